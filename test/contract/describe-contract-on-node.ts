import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { saveAudio } from "../../src/node/index.js";
import { describeContract } from "./describe-contract.js";
import { type Adapter, type Open, openerFor, PROVIDER_B_SONG } from "./world.js";

/** The contract tests, and those that need a file system. */
export function describeContractOnNode(name: string, adapter: Adapter): void {
  describeContract(name, adapter);
  describe(`the SDK on Node and the emulator, by ${name}`, () => describeSavedAudio(openerFor(adapter)));
}

export function describeSavedAudio(open: Open): void {
  describe("saved audio", () => {
    it("is one complete file with the extension of its format", async () => {
      const { client } = await open();
      const song = await client.tasks.run(PROVIDER_B_SONG);
      const clip = song.output.result[0] ?? "";
      const whole = Buffer.from(await (await client.audio.download(clip)).arrayBuffer());

      const folder = await temporaryFolder();
      const path = await saveAudio(await client.audio.download(clip), join(folder, "song"));
      expect(path).toBe(join(folder, "song.mp3"));
      expect(await readdir(folder)).toEqual(["song.mp3"]);
      expect((await readFile(path)).equals(whole)).toBe(true);
    });
  });
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "async-music-contract-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
