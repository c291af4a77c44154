import { expect } from "vitest";
import { type AsyncMusic, TaskFailedError } from "../../../src/index.js";
import { rejection } from "../../support/rejection.js";
import type { Kit } from "../kit.js";
import { balanceOf, type Open, SONG, UPLOAD } from "../world.js";

export function describeChains(open: Open, { describe, it }: Kit): void {
  describe("clips", () => {
    it("can be continued, and joined to a whole song", async () => {
      const { client } = await open();
      const song = await client.tasks.run(SONG);
      const [clip] = song.output.result;
      const input = { continue_at: 12.5, title: "Rain, too", prompt: "more rain" };
      const more = await continued(client, clip?.id, input);
      expect(more).toMatchObject({ credits_cost: 10, input: { ...input, continue_clip_id: clip?.id } });
      for (const each of more.output.result) expect(each.title).toBe("Rain, too");

      const [ending] = more.output.result;
      const concat = {
        model: "provider_a",
        task_type: "concat",
        input: { clip_id: ending?.id ?? "" },
      } as const;
      const whole = await client.tasks.run(concat);
      expect(whole).toMatchObject({ type: "concat", credits_cost: 5 });
      expect(whole.output.result.map((each) => Object.keys(each).sort())).toEqual([["audio_url", "id"]]);
      expect([clip?.id, ending?.id]).not.toContain(whole.output.result[0]?.id);
    });

    it("of an upload can be continued", async () => {
      const { client } = await open();
      const upload = await client.tasks.run(UPLOAD);
      const song = await continued(client, upload.output.result[0]?.id);
      expect(song.output.result.length).toBeGreaterThan(0);
    });

    it("that do not exist make the task fail permanently, without a charge", async () => {
      const { client } = await open();
      const error = await rejection(continued(client, "no-such-clip"), TaskFailedError);
      expect(error).toMatchObject({ errorCode: "invalid_task_input", retryable: false });
      expect(await client.account.balance()).toEqual(balanceOf(1000));
    });

    it("of another account are treated like unknown ones, with the same message", async () => {
      const { client, connect, emulator } = await open();
      const song = await client.tasks.run(SONG);
      const other = connect({ apiKey: emulator.accounts.create({ credits: 100 }).api_key });
      const foreign = await rejection(continued(other, song.output.result[0]?.id), TaskFailedError);
      const unknown = await rejection(continued(other, "no-such-clip"), TaskFailedError);
      expect(foreign.task.error).toBe(unknown.task.error);
      expect(foreign).toMatchObject({ errorCode: unknown.errorCode, retryable: unknown.retryable });
    });

    it("can be used with every key of their account", async () => {
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
  return client.tasks.run({ ...SONG, input: { continue_clip_id: clipId ?? "", ...more } });
}
