import { expect } from "vitest";
import type { Emulator } from "../../../emulator/index.js";
import type { Clip, Task, TaskSubmission } from "../../../src/index.js";
import type { Kit } from "../kit.js";
import { CUSTOM_SONG, LYRICS, type Open, PROVIDER_B_SONG, SONG, UPLOAD } from "../world.js";

export function describeTasks(open: Open, { describe, it }: Kit): void {
  describe("tasks", () => {
    it("create a song from a description, after minutes of service time", async () => {
      const { client, emulator } = await open();
      emulator.providers.provider_a.always(null);
      const beganAt = emulator.clock.now();
      const song = await client.tasks.run(SONG);
      expect(song).toMatchObject({ status: "success", model: "provider_a", type: "music", credits_cost: 10 });
      expect(song).toMatchObject({ input: SONG.input, audio_format: null, error: null, error_code: null });
      expectSongs(song.output.result);
      expect(emulator.clock.now() - beganAt).toBeGreaterThanOrEqual(30_000);
      expect(emulator.audit()).toEqual([]);
    });

    it("create a song from lyrics and styles, with the requested title", async () => {
      const { client } = await open();
      const song = await client.tasks.run(CUSTOM_SONG);
      expectSongs(song.output.result);
      for (const clip of song.output.result) {
        expect(clip).toMatchObject({ title: "Tram 28", metadata: { tags: "fado, slow" } });
      }
    });

    it("create a song of provider_b", async () => {
      const { client, emulator } = await open();
      const format = formatOf(emulator);
      const song = await client.tasks.run({ ...PROVIDER_B_SONG, ...format });
      expect(song).toMatchObject({ model: "provider_b", credits_cost: 5, audio_format: null, ...format });
      expectSongs(song.output.result);
    });

    it("write lyrics", async () => {
      const { client } = await open();
      const lyrics = await client.tasks.run(LYRICS);
      expect(lyrics).toMatchObject({ type: "lyrics", credits_cost: 5 });
      expect(lyrics.output.result.title).not.toBe("");
      expect(lyrics.output.result.text).toMatch(/\[(Verse|Chorus)\]/);
    });

    it("upload audio", async () => {
      const { client } = await open();
      const upload = await client.tasks.run(UPLOAD);
      expect(upload).toMatchObject({ type: "upload", credits_cost: 1 });
      expect(upload.output.result.map((clip) => Object.keys(clip).sort())).toEqual([["audio_url", "id"]]);
    });

    it("can be retrieved by their id after submission", async () => {
      const { client, emulator } = await open();
      const format = formatOf(emulator);
      const submission = await client.tasks.create({ ...SONG, ...format });
      const charged = { type: "music", status: "pending", credits_charged: 10 };
      expect(submission).toMatchObject({ ...charged, audio_format: null, ...format });
      const task = await client.tasks.retrieve(submission.task_id);
      expect(task).toMatchObject({
        task_id: submission.task_id,
        status: statusWhenFirstRead(emulator),
        input: SONG.input,
        audio_format: null,
        ...format,
        created_at: submission.created_at,
        completed_at: null,
      });
    });

    it("can be waited for by submission, id, and saved submission", async () => {
      const { client, connect } = await open();
      const submission = await client.tasks.create(LYRICS);
      const saved: TaskSubmission<"lyrics"> = JSON.parse(JSON.stringify(submission));
      const others = [connect().tasks.wait(submission.task_id), connect().tasks.wait(saved)];
      const tasks = await Promise.all([client.tasks.wait(submission), ...others]);
      expect(tasks.map(({ status }) => status)).toEqual(["success", "success", "success"]);
      expect(new Set(tasks.map(({ output }) => JSON.stringify(output))).size).toBe(1);
    });

    it("become pending, running with rising progress, and success, in this order", async () => {
      const { client, emulator } = await open();
      emulator.providers.provider_a.next({ queue_seconds: 8, process_seconds: 60 });
      const seen: Task[] = [];
      for await (const task of client.tasks.watch(await client.tasks.create(SONG))) seen.push(task);
      const changes = seen.map(({ status }) => status).filter((status, at, all) => status !== all[at - 1]);
      expect(changes).toEqual([...new Set([statusWhenFirstRead(emulator), "running", "success"])]);
      const progress = seen.flatMap(({ status, output }) =>
        status === "running" ? [Number.parseInt(output?.progress ?? "", 10)] : [],
      );
      expect(progress.length).toBeGreaterThan(2);
      expect(progress).toEqual([...progress].sort((a, b) => a - b));
    });

    it("are reported to `onSubmitted` and `onUpdate`", async () => {
      const { client, emulator } = await open();
      emulator.providers.provider_a.next({ queue_seconds: 8, process_seconds: 20 });
      const reported: string[] = [];
      const song = await client.tasks.run(SONG, {
        onSubmitted: ({ task_id, status }) => void reported.push(`submitted ${task_id} ${status}`),
        onUpdate: ({ status }) => void (reported.includes(status) || reported.push(status)),
      });
      const statuses = new Set([statusWhenFirstRead(emulator), "running", "success"]);
      expect(reported).toEqual([`submitted ${song.task_id} pending`, ...statuses]);
    });

    it("that failed can be retrieved and watched without an error", async () => {
      const { client, emulator } = await open();
      const reason = { error_code: "content_moderation" } as const;
      emulator.providers.provider_b.next({ outcome: "failure", process_seconds: 3, ...reason });
      const { task_id: id } = await client.tasks.create(PROVIDER_B_SONG);
      let last: Task | undefined;
      for await (const task of client.tasks.watch(id)) last = task;
      expect(last).toMatchObject({ status: "failure", retryable: false, ...reason });
      expect(await client.tasks.retrieve(id)).toEqual(last);
    });
  });

  describe("withResponse", () => {
    it("returns the response of each endpoint, with the request ID", async () => {
      const { client, emulator } = await open();
      const created = await client.tasks.create(SONG, { requestId: "create-1" }).withResponse();
      const task = await client.tasks.retrieve(created.data.task_id, { requestId: "read-2" }).withResponse();
      const balance = await client.account.balance({ requestId: "balance-3" }).withResponse();
      const usage = await client.account.usage({ requestId: "usage-4" }).withResponse();

      const all = [created, task, balance, usage];
      expect(all.map(({ response }) => response.status)).toEqual([202, 200, 200, 200]);
      const ids = all.map(({ requestId }) => requestId);
      expect(ids).toEqual(["create-1", "read-2", "balance-3", "usage-4"]);
      expect(all.map(({ response }) => response.headers.get("X-Request-Id"))).toEqual(ids);
      expect(all.map(({ rateLimit }) => rateLimit.remaining)).toEqual([119, 118, 117, 116]);
      expect(emulator.requests.map((request) => request.request_id)).toEqual(ids);
      expect(balance.data).toEqual({ available: 990, frozen: 10, total: 1000 });
      expect(await balance.response.json()).toEqual({ code: 200, data: balance.data });
    });

    it("returns the generated request ID that the service received", async () => {
      const { client, emulator } = await open();
      const { requestId } = await client.account.usage().withResponse();
      expect(requestId).toMatch(/^[A-Za-z0-9._:-]{1,128}$/);
      expect(emulator.requests[0]?.request_id).toBe(requestId);
    });
  });
}

/** A requested format, where the policy allows one. */
function formatOf({ policy }: Emulator): { audio_format?: "mp3" } {
  return policy.audio_conversion === "off" ? {} : { audio_format: "mp3" };
}

/** The status of a queued task at its first read. */
function statusWhenFirstRead({ policy }: Emulator): "pending" | "running" {
  return policy.running_after === "first_read" ? "running" : "pending";
}

function expectSongs(clips: readonly Clip[]): void {
  expect(clips.length).toBeGreaterThan(0);
  for (const clip of clips) {
    expect(clip.audio_url).toMatch(/^https?:\/\//);
    expect(clip.image_url).toMatch(/^https?:\/\//);
    expect(clip.title).toBeTypeOf("string");
    expect(clip.metadata?.duration).toBeGreaterThan(0);
  }
  expect(new Set(clips.map(({ id }) => id)).size).toBe(clips.length);
}
