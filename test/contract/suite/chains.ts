import { expect } from "vitest";
import { type AsyncMusic, TaskFailedError } from "../../../src/index.js";
import { rejection } from "../../support/rejection.js";
import type { Kit } from "../kit.js";
import { type Open, SONG, UPLOAD } from "../world.js";

export function describeChains(open: Open, { describe, it }: Kit): void {
  describe("clips", () => {
    it("are continued, and the whole is joined", async () => {
      const { client } = await open();
      const song = await client.tasks.run(SONG);
      const [clip] = song.output.result;
      const more = await continued(client, clip?.id, {
        continue_at: 12.5,
        title: "Rain, too",
        prompt: "more rain",
      });
      expect(more).toMatchObject({
        credits_cost: 10,
        input: { continue_clip_id: clip?.id, continue_at: 12.5 },
      });
      for (const each of more.output.result) expect(each.title).toBe("Rain, too");

      const [ending] = more.output.result;
      const whole = await client.tasks.run({
        model: "provider_a",
        task_type: "concat",
        input: { clip_id: ending?.id ?? "" },
      });
      expect(whole).toMatchObject({ type: "concat", credits_cost: 5 });
      expect(whole.output.result.map((each) => Object.keys(each).sort())).toEqual([["audio_url", "id"]]);
      expect([clip?.id, ending?.id]).not.toContain(whole.output.result[0]?.id);
    });

    it("of an upload are continued", async () => {
      const { client } = await open();
      const upload = await client.tasks.run(UPLOAD);
      const song = await continued(client, upload.output.result[0]?.id);
      expect(song.output.result.length).toBeGreaterThan(0);
    });

    it("that do not exist let the task fail for good, and cost nothing", async () => {
      const { client } = await open();
      const error = await rejection(continued(client, "no-such-clip"), TaskFailedError);
      expect(error).toMatchObject({ errorCode: "invalid_task_input", retryable: false });
      expect(await client.account.balance()).toEqual({ available: 1000, frozen: 0, total: 1000 });
    });

    it("of another account are as good as none, in the same words", async () => {
      const { client, connect, emulator } = await open();
      const song = await client.tasks.run(SONG);
      const stranger = connect({ apiKey: emulator.accounts.create({ credits: 100 }).api_key });
      const foreign = await rejection(continued(stranger, song.output.result[0]?.id), TaskFailedError);
      const unknown = await rejection(continued(stranger, "no-such-clip"), TaskFailedError);
      expect(foreign.task.error).toBe(unknown.task.error);
      expect(foreign).toMatchObject({ errorCode: unknown.errorCode, retryable: unknown.retryable });
    });

    it("belong to the account, whichever of its keys is used", async () => {
      const { client, connect, emulator } = await open();
      const song = await client.tasks.run(SONG);
      const other = connect({ apiKey: emulator.accounts.createKey(emulator.accountId).api_key });
      expect(await continued(other, song.output.result[0]?.id)).toMatchObject({ status: "success" });
    });
  });
}

function continued(
  client: AsyncMusic,
  clipId: string | undefined,
  more: { continue_at?: number; title?: string; prompt?: string } = {},
) {
  return client.tasks.run({
    model: "provider_a",
    task_type: "music",
    input: { continue_clip_id: clipId ?? "", ...more },
  });
}
