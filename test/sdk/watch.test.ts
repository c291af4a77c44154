import { AsyncMusicError, AuthenticationError, type Task, WaitTimeoutError } from "async-music";
import { expect, test } from "vitest";
import { done, failed, ok, refusal, running, succeeded, TASK_ID, task } from "../support/answers.js";
import { all } from "../support/collect.js";
import { rejection } from "../support/rejection.js";
import { turns } from "../support/test-clock.js";
import { createWorld, inTurn, never } from "../support/world.js";

const at = (progress: string) => () => ok(task({ output: { status: "processing", progress, result: null } }));

test("every change is yielded once, progress included, and last the task as it ended", async () => {
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
  ["a status that is unknown", { status: "paused" }],
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

test("nothing is sent before somebody iterates, and each iteration begins anew", async () => {
  const { client, requests } = createWorld(done);
  const watched = client.tasks.watch(TASK_ID);
  await turns(5);
  expect(requests).toEqual([]);
  await all(watched);
  await all(watched);
  expect(requests).toHaveLength(2);
});

test("leaving the loop ends the polling, and leaves no timer behind", async () => {
  const { client, clock, requests } = createWorld(running);
  for await (const _ of client.tasks.watch(TASK_ID)) break;
  const sleeps = clock.sleeps.length;
  await clock.sleep(600_000);
  expect(requests).toHaveLength(1);
  expect(clock.sleeps).toHaveLength(sleeps + 1);
});

test("return() while the next change is awaited ends both at once", async () => {
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

test("return() while a poll is under way gives that poll up", async () => {
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

test("a reader that takes its time is not polled for meanwhile", async () => {
  const { client, clock, requests } = createWorld(inTurn(running, ok(succeeded())));
  for await (const _ of client.tasks.watch(TASK_ID)) {
    const sent = requests.length;
    await clock.sleep(300_000);
    expect(requests).toHaveLength(sent);
  }
});

test("onUpdate hears of every change that is yielded, and what it throws does not lose the task", async () => {
  const { client } = createWorld(inTurn(running, ok(succeeded())));
  const heard: string[] = [];
  const onUpdate = ({ status }: Task) => void heard.push(status);
  await all(client.tasks.watch(TASK_ID, { onUpdate }));
  expect(heard).toEqual(["running", "success"]);

  const cause = new Error("database away");
  const throwing = all(client.tasks.watch(TASK_ID, { onUpdate: () => Promise.reject(cause) }));
  expect(await rejection(throwing, AsyncMusicError)).toMatchObject({ taskId: TASK_ID, cause });
});

test("it ends as a wait does when patience is over or the key is refused", async () => {
  const patient = createWorld(running);
  const late = await rejection(
    all(patient.client.tasks.watch(TASK_ID, { maxWaitMs: 30_000 })),
    WaitTimeoutError,
  );
  expect(late).toMatchObject({ taskId: TASK_ID, task: task() });

  const refused = createWorld(() => refusal(401, "invalid_api_key"));
  const error = await rejection(all(refused.client.tasks.watch(TASK_ID)), AuthenticationError);
  expect(error.taskId).toBe(TASK_ID);
});

test("an outage of the service is outlasted", async () => {
  const { client } = createWorld(({ at }) =>
    at < 600_000 ? refusal(500, "internal_error") : ok(succeeded()),
  );
  expect(await all(client.tasks.watch(TASK_ID))).toEqual([succeeded()]);
});
