import { InvalidResponseError, TASK_TYPES, type Task, type TaskSubmission } from "async-music";
import { describe, expect, test } from "vitest";
import { all } from "../support/collect.js";
import { journaledWorld, KEY } from "../support/journaled.js";
import { rejection } from "../support/rejection.js";
import {
  accepted,
  done,
  LYRICS,
  ok,
  SONG_REQUEST,
  submission,
  succeeded,
  TASK_ID,
  task,
} from "../support/responses.js";
import { createWorld, inTurn, type World } from "../support/world.js";

// The result of a call has the type of what was ordered.

const lyrics = () => ok(succeeded({ type: "lyrics", output: { result: LYRICS } }));

/** A submission that an earlier process saved as JSON. */
const saved = (fields = {}) => JSON.parse(JSON.stringify(submission(fields))) as TaskSubmission<"music">;

const READS: Readonly<Record<string, (world: World, from: TaskSubmission<"music">) => PromiseLike<Task>>> = {
  retrieve: ({ client }, from) => client.tasks.retrieve(from),
  wait: ({ client }, from) => client.tasks.wait(from),
  watch: async ({ client }, from) => (await all(client.tasks.watch(from))).at(-1) as Task,
};

describe.each(Object.entries(READS))("%s of a saved submission", (_, read) => {
  test("refuses the result of another type", async () => {
    const error = await rejection(read(createWorld(lyrics), saved()), InvalidResponseError);
    expect(error).toMatchObject({ taskId: TASK_ID, issues: [{ path: "data.output.result" }] });
  });

  test("accepts the ordered result of a task whose type is not listed", async () => {
    const { output } = succeeded();
    const world = createWorld(() => ok(succeeded({ type: "song" })));
    await expect(read(world, saved())).resolves.toMatchObject({ type: "song", output });
  });

  test.each(["song", undefined])("of the type %s checks the result by the type of the task", async (type) => {
    await expect(read(createWorld(lyrics), saved({ type }))).resolves.toMatchObject({ type: "lyrics" });
    const broken = createWorld(() => ok(succeeded({ output: { result: LYRICS } })));
    await rejection(read(broken, saved({ type })), InvalidResponseError);
  });
});

describe("a submission that states another type than the request", () => {
  const others = TASK_TYPES.filter((type) => type !== "music");

  test.each(others)("is refused with the ID of the task: %s", async (type) => {
    const { client } = createWorld(() => accepted({ type }));
    const error = await rejection(client.tasks.create(SONG_REQUEST), InvalidResponseError);
    expect(error).toMatchObject({ taskId: TASK_ID, issues: [{ path: "data.type" }] });
    expect(error.message).toContain(`client.tasks.wait("${TASK_ID}")`);
  });

  test("is recorded in the journal, and the next run resolves with the song that was made", async () => {
    const world = journaledWorld(inTurn(accepted({ type: "lyrics" }), done));
    expect(await rejection(world.run(), InvalidResponseError)).toMatchObject({ taskId: TASK_ID });
    expect(await world.entry()).toMatchObject({ state: "submitted", task_id: TASK_ID, submission: null });
    await expect(world.run()).resolves.toEqual(succeeded());
    expect(world.requests.map(({ method }) => method)).toEqual(["POST", "GET"]);
  });

  test("of a type that is not listed is accepted, and the song is the result", async () => {
    const { client } = createWorld(inTurn(accepted({ type: "song" }), ok(succeeded({ type: "song" }))));
    const { output } = await client.tasks.run(SONG_REQUEST);
    expect(output.result[0]?.id).toBe("clip-1");
  });
});

describe("a run whose key has another task", () => {
  test("by its ID only refuses the result, and so does `create` with the key", async () => {
    const world = journaledWorld(inTurn(accepted({ credits_charged: undefined }), lyrics));
    await rejection(world.run(), InvalidResponseError);
    const error = await rejection(world.run(), InvalidResponseError);
    expect(error).toMatchObject({ taskId: TASK_ID, issues: [{ path: "data.output.result" }] });
    const { client, journal } = world;
    const again = client.tasks.create(SONG_REQUEST, { journal, journalKey: KEY });
    await rejection(again, InvalidResponseError);
  });

  test("that an earlier version has recorded with its type refuses the result", async () => {
    const world = journaledWorld(inTurn(accepted(), lyrics));
    await world.client.tasks.create(SONG_REQUEST, { journal: world.journal, journalKey: KEY });
    const entry = await world.entry();
    if (entry?.state !== "submitted" || entry.submission === null) throw new Error("The task is recorded.");
    const recorded = {
      ...entry,
      revision: "older",
      submission: { ...entry.submission, type: "lyrics" },
    } as const;
    await world.inner.put(KEY, recorded, entry.revision);
    await rejection(world.run(), InvalidResponseError);
  });

  test("that is unfinished is a submission of the ordered type", async () => {
    const unfinished = ok(task({ type: "lyrics" }));
    const world = journaledWorld(inTurn(accepted({ credits_charged: undefined }), unfinished));
    const { client, journal } = world;
    await rejection(world.run(), InvalidResponseError);
    const found = await client.tasks.create(SONG_REQUEST, { journal, journalKey: KEY });
    expect(found.type).toBe("music");
  });
});
