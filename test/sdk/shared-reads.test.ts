import { AsyncMusic, type Task, TaskNotFoundError } from "async-music";
import { createEmulator } from "async-music/emulator";
import { expect, test } from "vitest";
import { rejection } from "../support/rejection.js";
import { ok, refusal, SONG_REQUEST, succeeded, TASK_ID, task } from "../support/responses.js";
import { turns } from "../support/test-clock.js";
import { arrivals, createWorld } from "../support/world.js";

// `retrieve` joins a read of the same task that was not sent yet.

/** A client whose first read of the task was just sent: the next one waits for a second. */
async function createReadWorld() {
  const world = createWorld((_, index) => ok(task({ output: { result: null, progress: `${index}%` } })));
  await world.client.tasks.retrieve(TASK_ID);
  return world;
}

test("forty retrieves of one finished task are one request", async () => {
  const emulator = createEmulator();
  const client = new AsyncMusic(emulator.connection());
  const { task_id } = await client.tasks.run(SONG_REQUEST);
  await emulator.clock.advance(10_000);
  const before = { at: emulator.clock.now(), requests: emulator.requests.length };
  const read = () => client.tasks.retrieve(task_id);
  const tasks = await Promise.all(Array.from({ length: 40 }, read));
  for (const each of tasks) expect(each.status).toBe("success");
  expect(emulator.clock.now() - before.at).toBe(0);
  expect(emulator.requests.length - before.requests).toBe(1);
});

test("three pages that read one task each second get it within a second", async () => {
  const { client, clock, requests } = createWorld(() => ok(task()));
  const reads: Promise<number>[] = [];
  for (let second = 0; second < 60; second++) {
    const begun = clock.elapsed();
    for (let page = 0; page < 3; page++)
      reads.push(client.tasks.retrieve(TASK_ID).then(() => clock.elapsed() - begun));
    await clock.sleep(1000);
  }
  expect(Math.max(...(await Promise.all(reads)))).toBeLessThanOrEqual(1000);
  expect(requests).toHaveLength(60);
});

test("a retrieve does not join a read that was sent: its task may be older", async () => {
  let later: Promise<Task> | undefined;
  const { client, requests } = createWorld(async (_, index) => {
    later ??= client.tasks.retrieve(TASK_ID);
    await turns(3);
    return ok(index === 0 ? task() : succeeded());
  });
  expect(await client.tasks.retrieve(TASK_ID)).toEqual(task());
  expect(await later).toEqual(succeeded());
  expect(arrivals({ requests })).toEqual([0, 1000]);
});

test("each caller gets its own copy of the task, and the response", async () => {
  const { client, requests } = await createReadWorld();
  const calls = [1, 2, 3].map(() => client.tasks.retrieve(TASK_ID));
  const [first, ...others] = await Promise.all(calls.map((call) => call.withResponse()));
  for (const { data, requestId, response } of others) {
    expect(data).toEqual(first?.data);
    expect(data).not.toBe(first?.data);
    expect(data.input).not.toBe(first?.data.input);
    expect(data.output).not.toBe(first?.data.output);
    expect(requestId).toBe(first?.requestId);
    expect(await response.json()).toMatchObject({ data: { output: { progress: "1%" } } });
  }
  expect(requests).toHaveLength(2);
});

test("a failed read rejects for each caller, and is not kept", async () => {
  const { client, requests } = createWorld((_, index) =>
    index === 0 ? refusal(404, "task_not_found") : ok(task()),
  );
  const calls = [1, 2, 3].map(() => rejection(client.tasks.retrieve(TASK_ID), TaskNotFoundError));
  for (const error of await Promise.all(calls)) expect(error.taskId).toBe(TASK_ID);
  expect(requests).toHaveLength(1);
  expect(await client.tasks.retrieve(TASK_ID)).toEqual(task());
});

test("an abort ends the promise of its own caller only, also of the caller that came first", async () => {
  const { client, clock, requests } = await createReadWorld();
  const controllers = [new AbortController(), new AbortController()];
  const [first, second] = controllers.map(({ signal }) => client.tasks.retrieve(TASK_ID, { signal }));
  const third = client.tasks.retrieve(TASK_ID);
  controllers[0]?.abort("left");
  await expect(first).rejects.toBe("left");
  expect(clock.elapsed()).toBe(0);
  await expect(second).resolves.toMatchObject({ task_id: TASK_ID });
  await third;
  expect(arrivals({ requests })).toEqual([0, 1000]);
});

test("a read whose callers have all aborted is not sent, and a later retrieve does not join it", async () => {
  const { client, clock, requests } = await createReadWorld();
  const controllers = [1, 2, 3].map(() => new AbortController());
  const calls = controllers.map(({ signal }) => client.tasks.retrieve(TASK_ID, { signal }));
  const ends = Promise.allSettled(calls);
  await turns(3);
  for (const controller of controllers) controller.abort("left");
  const later = client.tasks.retrieve(TASK_ID);
  expect(await ends).toEqual(controllers.map(() => ({ status: "rejected", reason: "left" })));
  await later;
  await clock.sleep(10_000);
  expect(arrivals({ requests })).toEqual([0, 1000]);
});

test("a retrieve with a signal that was aborted before leaves the others alone", async () => {
  const { client, requests } = await createReadWorld();
  const other = client.tasks.retrieve(TASK_ID);
  await expect(client.tasks.retrieve(TASK_ID, { signal: AbortSignal.abort("left") })).rejects.toBe("left");
  await other;
  expect(requests).toHaveLength(2);
});

test("retrieves with other options have their own reads", async () => {
  const { client, requests } = await createReadWorld();
  const options = [
    {},
    { tenant: "one" },
    { timeoutMs: 5000 },
    { maxRetries: 0 },
    { requestId: "mine" },
    { headers: { a: "1" } },
    { headers: { a: "2" } },
  ];
  const twice = [...options, ...structuredClone(options)];
  await Promise.all(twice.map((each) => client.tasks.retrieve(TASK_ID, each)));
  expect(requests).toHaveLength(1 + options.length);
});

test("a read shared with a caller that expects another type fails for that caller only", async () => {
  const { client, requests } = createWorld(() => ok(succeeded()));
  const { task_id, status, created_at } = task();
  const lyrics = { task_id, status, created_at, type: "lyrics", estimated_wait_seconds: 60 } as const;
  const [one, other] = await Promise.allSettled([
    client.tasks.retrieve(TASK_ID),
    client.tasks.retrieve(lyrics as never),
  ]);
  expect([one.status, other.status]).toEqual(["fulfilled", "rejected"]);
  expect(requests).toHaveLength(1);
});
