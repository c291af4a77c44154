import {
  type Task,
  TaskFailedError,
  TaskNotFoundError,
  type TaskSubmission,
  WaitTimeoutError,
} from "async-music";
import { expect, test } from "vitest";
import { held } from "../support/collect.js";
import { rejection } from "../support/rejection.js";
import { failed, ok, refusal, submission, succeeded, TASK_ID, task } from "../support/responses.js";
import { createTestClock, turns } from "../support/test-clock.js";
import { createTimeLimit } from "../support/time-limit.js";
import { arrivals, createWorld, never, type SeenRequest } from "../support/world.js";

// Two waits on one task share one poll.

const MINUTE = 60_000;
/** A submission of an earlier process. */
const saved = (created_at: string, fields = {}) =>
  submission({ created_at, ...fields }) as unknown as TaskSubmission;

const doneAt =
  (ms: number) =>
  ({ at }: SeenRequest) =>
    ok(at >= ms ? succeeded() : task());

test("ten waits on one task cost the polls of one, and all get the result", async () => {
  const alone = createWorld(doneAt(MINUTE));
  await alone.client.tasks.wait(TASK_ID);

  const { client, requests } = createWorld(doneAt(MINUTE));
  const results = await Promise.all(Array.from({ length: 10 }, () => client.tasks.wait(TASK_ID)));
  for (const result of results) expect(result).toEqual(succeeded());
  expect(arrivals({ requests })).toEqual(arrivals(alone));
});

test("a later wait with shorter gaps polls for the earlier one too", async () => {
  const { client, clock, requests } = createWorld(doneAt(MINUTE));
  const first = client.tasks.wait(TASK_ID);
  await clock.sleep(7300);
  const second = client.tasks.wait(TASK_ID, { pollIntervalMs: 1000 });
  await Promise.all([first, second]);
  const ofTheSecond = Array.from({ length: 53 }, (_, index) => 7300 + 1000 * index);
  expect(arrivals({ requests })).toEqual([0, 5000, ...ofTheSecond, 60_300]);
});

test("an old submission is polled at once, and then at the normal pace", async () => {
  const { client, requests } = createWorld(doneAt(MINUTE));
  const revived = saved("2020-01-01T00:00:00Z");
  await client.tasks.wait(revived, { pollIntervalMs: [5000, 20_000] });
  expect(arrivals({ requests })).toEqual(Array.from({ length: 13 }, (_, poll) => 5000 * poll));
});

test("a wait that is due during a poll of another task polls its own", async () => {
  const otherId = "5ba53ba9-9b4b-4e4c-8a30-000000000002";
  const { client, requests } = createWorld(async ({ url }) => {
    const taskId = url.split("/").at(-1) ?? "";
    if (taskId === TASK_ID) other ??= client.tasks.wait(old(otherId));
    await turns(1);
    return ok(succeeded({ task_id: taskId }));
  });
  let other: Promise<Task> | undefined;
  const old = (task_id: string) => saved("2025-12-31T00:00:00Z", { task_id });
  expect((await client.tasks.wait(old(TASK_ID))).task_id).toBe(TASK_ID);
  expect((await other)?.task_id).toBe(otherId);
  expect(requests).toHaveLength(2);
});

test("successive waits on one old submission are polled a second apart", async () => {
  const { client, requests } = createWorld(() => refusal(404, "task_not_found"));
  const revived = saved("2020-01-01T00:00:00Z");
  for (let wait = 0; wait < 3; wait++) await rejection(client.tasks.wait(revived), TaskNotFoundError);
  expect(arrivals({ requests })).toEqual([0, 1000, 2000]);
});

test("a wait that is due during another's poll uses the same response", async () => {
  const { client, requests } = createWorld(async () => {
    late ??= client.tasks.wait(saved("2025-12-31T00:00:00Z"));
    await turns(3);
    return ok(succeeded());
  });
  let late: Promise<Task> | undefined;
  await client.tasks.wait(TASK_ID);
  await expect(late).resolves.toMatchObject({ status: "success" });
  expect(requests).toHaveLength(1);
});

test("a wait that is aborted between polls does not end the other", async () => {
  const { client, clock } = createWorld(doneAt(MINUTE));
  const controller = new AbortController();
  const reason = new Error("enough");
  const aborted = client.tasks.wait(TASK_ID, { signal: controller.signal });
  const other = client.tasks.wait(TASK_ID);
  await Promise.all([
    expect(aborted).rejects.toBe(reason),
    clock.sleep(8000).then(() => controller.abort(reason)),
    expect(other).resolves.toMatchObject({ status: "success" }),
  ]);
});

const WHICH = ["first", "second"];
test.each(WHICH)("an abort of the %s of two waits during a poll does not end the other", async (which) => {
  const controller = new AbortController();
  const reason = new Error("enough");
  const { client, requests } = createWorld(async (request, index) => {
    if (index > 0) return ok(succeeded());
    setImmediate(() => controller.abort(reason));
    return Promise.race([never(request), turns(5).then(() => ok(succeeded()))]);
  });
  const wait = (name: string) =>
    client.tasks.wait(TASK_ID, which === name ? { signal: controller.signal } : {});
  const [first, second] = [wait("first"), wait("second")];
  const [aborted, other] = which === "first" ? [first, second] : [second, first];
  const retries: unknown[] = [];
  client.on("retry", (event) => retries.push(event));
  await expect(aborted).rejects.toBe(reason);
  await expect(other).resolves.toMatchObject({ status: "success" });
  expect(requests).toHaveLength(1);
  expect(retries).toEqual([]);
});

test("a watch that is aborted during its poll does not end a wait", async () => {
  const { client, requests } = createWorld(async (request) => {
    await Promise.race([never(request), turns(5)]);
    return ok(succeeded());
  });
  const controller = new AbortController();
  const watching = client.tasks.watch(TASK_ID, { signal: controller.signal })[Symbol.asyncIterator]().next();
  const wait = client.tasks.wait(TASK_ID);
  await turns(2);
  controller.abort();
  await expect(watching).rejects.toBe(controller.signal.reason);
  await expect(wait).resolves.toMatchObject({ status: "success" });
  expect(requests).toHaveLength(1);
});

test("the poll of several waits is aborted when the last of them is, and a later wait sends its own", async () => {
  const { client, requests } = createWorld((request, index) =>
    index === 0 ? never(request) : ok(succeeded()),
  );
  const controllers = Array.from({ length: 3 }, () => new AbortController());
  const waits = controllers.map(({ signal }) => client.tasks.wait(TASK_ID, { signal }).catch(() => "left"));
  await turns(5);
  for (const [index, controller] of controllers.entries()) {
    expect(requests.map(({ signal }) => signal.aborted)).toEqual([false]);
    controller.abort();
    await expect(waits[index]).resolves.toBe("left");
    await turns(2);
  }
  expect(requests.map(({ signal }) => signal.aborted)).toEqual([true]);
  await expect(client.tasks.wait(TASK_ID)).resolves.toMatchObject({ status: "success" });
});

test("a wait whose maxWaitMs passes does not end its poll, which another wait shares", async () => {
  const clock = createTestClock({ skips: false });
  const { given: response, give: respond } = held<Response>();
  const { client, requests } = createWorld(() => response, { clock, timeoutMs: 60_000 });
  const hasty = rejection(client.tasks.wait(TASK_ID, { maxWaitMs: 5100 }), WaitTimeoutError);
  const patient = client.tasks.wait(TASK_ID);
  await clock.advance(6000);
  await hasty;
  respond(ok(succeeded()));
  await expect(patient).resolves.toMatchObject({ status: "success" });
  expect(requests).toHaveLength(1);
  expect(requests[0]?.signal.aborted).toBe(false);
});

test.each([
  ["fails", () => ok(failed()), TaskFailedError],
  ["is unknown", () => refusal(404, "task_not_found"), TaskNotFoundError],
])("every wait on a task that %s ends at once", async (_, answer, kind) => {
  const { client, requests } = createWorld(answer);
  const waits = [client.tasks.wait(TASK_ID), client.tasks.wait(TASK_ID)];
  const [one, other] = await Promise.all(waits.map((wait) => rejection<Error>(wait, kind)));
  if (kind === TaskFailedError) expect(one).not.toBe(other);
  expect(requests).toHaveLength(1);
});

test("a wait whose polls always fail does not delay another wait", async () => {
  const { client, clock } = createWorld(({ headers }) =>
    headers.has("X-Blocked") ? refusal(403, "forbidden") : ok(succeeded()),
  );
  const blocked = client.tasks.wait(TASK_ID, {
    pollIntervalMs: 1300,
    maxWaitMs: MINUTE,
    headers: { "X-Blocked": "yes" },
  });
  await client.tasks.wait(TASK_ID);
  expect(clock.elapsed()).toBe(7500);
  await expect(blocked).resolves.toMatchObject({ status: "success" });
});

test("a wait obeys the Retry-After of another wait's failed poll", async () => {
  const { client, requests } = createWorld(({ at }) =>
    at < 2000 ? refusal(503, "internal_error", { "Retry-After": "30" }) : ok(succeeded()),
  );
  const hasty = client.tasks.wait(TASK_ID, { pollIntervalMs: 1000 });
  await Promise.all([hasty, client.tasks.wait(TASK_ID)]);
  expect(arrivals({ requests })).toEqual([0, 30_000]);
});

test("each wait ends at its own maxWaitMs", async () => {
  const { client, clock } = createWorld(doneAt(2 * MINUTE));
  const ended: [string, number][] = [];
  await Promise.all([
    rejection(client.tasks.wait(TASK_ID, { maxWaitMs: 12_000 }), WaitTimeoutError).then(() =>
      ended.push(["short", clock.elapsed()]),
    ),
    rejection(client.tasks.wait(TASK_ID, { maxWaitMs: MINUTE }), WaitTimeoutError).then(() =>
      ended.push(["long", clock.elapsed()]),
    ),
    client.tasks.wait(TASK_ID).then(() => ended.push(["patient", clock.elapsed()])),
  ]);
  expect(ended).toEqual([
    ["short", 12_000],
    ["long", MINUTE],
    ["patient", 120_000],
  ]);
});

test("a wait whose maxWaitMs passes leaves another wait's stalled poll", async () => {
  const clock = createTestClock({ skips: false });
  const { client, requests } = createWorld((request) => never(request), { clock, timeoutMs: 60_000 });
  const controller = new AbortController();
  const patient = client.tasks.wait(TASK_ID, { signal: controller.signal }).catch(() => "left");
  const hasty = rejection(client.tasks.wait(TASK_ID, { maxWaitMs: 5100 }), WaitTimeoutError);
  await clock.advance(6000);
  await hasty;
  expect(requests).toHaveLength(1);
  controller.abort();
  await expect(patient).resolves.toBe("left");
});

test("each wait that a stalled poll outlasts rejects with the time limit of that poll as the cause", async () => {
  const clock = createTestClock({ skips: false });
  const { client, requests } = createWorld((request) => never(request), { clock, timeoutMs: 60_000 });
  const waits = [1, 2].map(() => rejection(client.tasks.wait(TASK_ID, { maxWaitMs: 100 }), WaitTimeoutError));
  await turns(5);
  await clock.advance(6000);
  for (const { cause } of await Promise.all(waits)) {
    const requestId = requests[0]?.headers.get("X-Request-Id");
    expect(cause).toMatchObject({ name: "RequestTimeoutError", taskId: TASK_ID, requestId });
  }
  expect(requests).toHaveLength(1);
});

test("a wait leaves another wait's stalled poll after its own `timeoutMs`, and polls itself", async () => {
  const { timeoutMs, pass } = createTimeLimit();
  const clock = createTestClock({ skips: false });
  const { client, requests } = createWorld(
    (request, index) => (index === 0 ? never(request) : ok(succeeded())),
    { clock, timeoutMs: 60_000 },
  );
  const controller = new AbortController();
  const patient = client.tasks.wait(TASK_ID, { signal: controller.signal }).catch(() => "left");
  const hasty = client.tasks.wait(TASK_ID, { timeoutMs });
  const failures: unknown[] = [];
  client.on("retry", ({ error }) => failures.push(error));
  await turns(10);
  expect(requests).toHaveLength(1);
  pass();
  await clock.advance(10_000);
  expect(requests).toHaveLength(2);
  await expect(hasty).resolves.toMatchObject({ status: "success" });
  expect(failures).toMatchObject([{ name: "RequestTimeoutError", taskId: TASK_ID }]);
  controller.abort();
  await patient;
});

test("a watch shares polls with a wait", async () => {
  const { client, requests } = createWorld(doneAt(MINUTE));
  const statuses: string[] = [];
  const watching = (async () => {
    for await (const { status } of client.tasks.watch(TASK_ID)) statuses.push(status);
  })();
  await Promise.all([watching, client.tasks.wait(TASK_ID)]);
  expect(statuses).toEqual(["running", "success"]);
  expect(arrivals({ requests })).toEqual(Array.from({ length: 13 }, (_, poll) => 5000 * poll));
});
