import { AsyncMusicError, InvalidResponseError, memoryBudget, type Task } from "async-music";
import { expect, test } from "vitest";
import { all } from "../support/collect.js";
import { reasonOf, rejection } from "../support/rejection.js";
import {
  accepted,
  done,
  failed,
  ok,
  running,
  SONG_REQUEST,
  succeeded,
  TASK_ID,
  task,
} from "../support/responses.js";
import { turns } from "../support/test-clock.js";
import { createWorld, inTurn, never } from "../support/world.js";

const at = (progress: string) => () => ok(task({ output: { status: "processing", progress, result: null } }));

test("every change is yielded once, including progress, and the final task is last", async () => {
  const answers = inTurn(
    ok(task({ status: "pending" })),
    running,
    running,
    at("10%"),
    at("10%"),
    at("80%"),
    ok(succeeded()),
  );
  const { client } = createWorld(answers);
  const seen = await all(client.tasks.watch(TASK_ID));
  expect(seen.map(({ status, output }) => [status, output?.progress])).toEqual([
    ["pending", undefined],
    ["running", undefined],
    ["running", "10%"],
    ["running", "80%"],
    ["success", "100%"],
  ]);
});

test.each([
  ["a field that is new", { region: "eu" }],
  ["the provider's status", { output: { status: "queued", result: null } }],
  ["an unknown status", { status: "paused" }],
  ["a reason", { error: "slow" }],
])("%s is a change too", async (_, fields) => {
  const { client } = createWorld(inTurn(running, ok(task(fields)), ok(succeeded())));
  expect(await all(client.tasks.watch(TASK_ID))).toHaveLength(3);
});

test.each(["failure", "timeout"])("a task that ends in %s is yielded, not thrown", async (status) => {
  const { client } = createWorld(inTurn(running, ok(failed({ status }))));
  const seen = await all(client.tasks.watch(TASK_ID));
  expect(seen.map((each) => each.status)).toEqual(["running", status]);
});

test("nothing is sent before iteration, and each iteration starts a new wait", async () => {
  const { client, requests } = createWorld(done);
  const watched = client.tasks.watch(TASK_ID);
  await turns(5);
  expect(requests).toEqual([]);
  await all(watched);
  await all(watched);
  expect(requests).toHaveLength(2);
});

test("leaving the loop stops polling and leaves no timer", async () => {
  const { client, clock, requests } = createWorld(running);
  for await (const _ of client.tasks.watch(TASK_ID)) break;
  const sleeps = clock.sleeps.length;
  await clock.sleep(600_000);
  expect(requests).toHaveLength(1);
  expect(clock.sleeps).toHaveLength(sleeps + 1);
});

test("return() while next() is pending ends both at once", async () => {
  const { client, clock, requests } = createWorld(inTurn(ok(task({ status: "pending" })), running));
  const iterator = client.tasks.watch(TASK_ID)[Symbol.asyncIterator]();
  await iterator.next();
  await iterator.next();
  const pending = iterator.next();
  await expect(iterator.return?.()).resolves.toEqual({ done: true, value: undefined });
  await expect(pending).resolves.toEqual({ done: true, value: undefined });
  await expect(iterator.next()).resolves.toEqual({ done: true, value: undefined });
  const sent = requests.length;
  await clock.sleep(600_000);
  expect(requests).toHaveLength(sent);
});

test("return() aborts a poll in flight", async () => {
  const { client, requests } = createWorld(never);
  const iterator = client.tasks.watch(TASK_ID)[Symbol.asyncIterator]();
  const pending = iterator.next();
  while (requests.length === 0) await turns(1);
  await iterator.return?.();
  await expect(pending).resolves.toMatchObject({ done: true });
  expect(requests[0]?.signal.aborted).toBe(true);
});

test("return() before the first next() sends nothing", async () => {
  const { client, requests } = createWorld(running);
  const iterator = client.tasks.watch(TASK_ID)[Symbol.asyncIterator]();
  await iterator.return?.();
  await expect(iterator.next()).resolves.toMatchObject({ done: true });
  expect(requests).toEqual([]);
});

test("an abort rejects with the signal's reason, between polls and during one", async () => {
  const reason = { why: "the user left" };
  for (const answer of [running, never] as const) {
    const controller = new AbortController();
    const { client, requests } = createWorld(answer);
    const watching = all(client.tasks.watch(TASK_ID, { signal: controller.signal }));
    while (requests.length === 0) await turns(1);
    controller.abort(reason);
    await expect(watching).rejects.toBe(reason);
  }
});

test("an abort before the first next() rejects, and sends nothing", async () => {
  const { client, requests } = createWorld(running);
  const watching = all(client.tasks.watch(TASK_ID, { signal: AbortSignal.abort("before") }));
  await expect(watching).rejects.toBe("before");
  expect(requests).toEqual([]);
});

test("nothing is polled while the reader is busy", async () => {
  const { client, clock, requests } = createWorld(inTurn(running, ok(succeeded())));
  for await (const _ of client.tasks.watch(TASK_ID)) {
    const sent = requests.length;
    await clock.sleep(300_000);
    expect(requests).toHaveLength(sent);
  }
});

test("onUpdate is called for every yielded change, and an error that it throws has the task ID", async () => {
  const { client } = createWorld(inTurn(running, ok(succeeded())));
  const seenByCallback: string[] = [];
  const onUpdate = ({ status }: Task) => void seenByCallback.push(status);
  await all(client.tasks.watch(TASK_ID, { onUpdate }));
  expect(seenByCallback).toEqual(["running", "success"]);

  const cause = new Error("database away");
  const throwing = all(client.tasks.watch(TASK_ID, { onUpdate: () => Promise.reject(cause) }));
  expect(await rejection(throwing, AsyncMusicError)).toMatchObject({ taskId: TASK_ID, cause });
});

test("a task belongs to its loop or callback: neither the end of the wait nor another one reads what was changed", async () => {
  const { client, requests } = createWorld(inTurn(running, done));
  const change = (each: Task) => void Object.assign(each, { status: "changed", type: "changed" });
  const watching = (async () => {
    for await (const each of client.tasks.watch(TASK_ID)) change(each);
  })();
  const waiting = client.tasks.wait(TASK_ID);
  const changing = client.tasks.wait(TASK_ID, { onUpdate: change });
  await watching;
  expect(await waiting).toEqual(succeeded());
  expect(await changing).toEqual(succeeded());
  expect(requests).toHaveLength(2);
});

test("a success without a usable result is refused, as `wait` refuses it", async () => {
  const broken = succeeded({ output: { status: "completed", progress: "100%", result: null } as never });
  const { client } = createWorld(() => ok(broken));
  const error = await rejection(all(client.tasks.watch(TASK_ID)), InvalidResponseError);
  expect(error.taskId).toBe(TASK_ID);
  expect(await reasonOf(client.tasks.wait(TASK_ID))).toMatchObject({ message: error.message });
});

test.each(["task", "completion"] as const)(
  "a listener of `%s` that changes its task changes neither the wait nor the charge of a budget",
  async (name) => {
    const { client } = createWorld(inTurn(accepted, running, done));
    client.on(name, ({ task: seen }) => void Object.assign(seen, { status: "changed", credits_cost: 0 }));
    const budget = memoryBudget({ maxCredits: 20, per: "day" });
    const song = await client.tasks.run(SONG_REQUEST, { tenant: "acme", budget });
    expect([song.status, song.credits_cost, (await budget.usage("acme")).spent]).toEqual(["success", 10, 10]);
  },
);
