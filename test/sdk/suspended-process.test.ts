import { AsyncMusic, RequestTimeoutError, SubmissionOutcomeUnknownError } from "async-music";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { held } from "../support/collect.js";
import { rejection } from "../support/rejection.js";
import { balance, ok, SONG_REQUEST, submission, TASK_ID } from "../support/responses.js";
import { createTestClock } from "../support/test-clock.js";

// A process that did not run for a while, and continues after the deadline of a request. Its timers come too late.

const TIMEOUT_MS = 30_000;
/** How long a process that continues too late still waits for what has arrived. */
const GRACE_MS = 1000;

/** How much later than its timers the process's time is. */
let suspendedMs = 0;

beforeEach(() => {
  suspendedMs = 0;
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  const { now } = Date;
  vi.spyOn(Date, "now").mockImplementation(() => now() + suspendedMs);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

function createWorld() {
  const { given: response, give: respond } = held<Response>();
  const client = new AsyncMusic({
    apiKey: "key_1",
    baseUrl: "https://music.example",
    timeoutMs: TIMEOUT_MS,
    maxRetries: 0,
    clock: createTestClock(),
    fetch: () => response,
  });
  return { client, respond };
}

/** The time of the process's timers until the deadline of the requests that were just sent; real time is later by this much. */
async function reachDeadline(lateMs: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(TIMEOUT_MS - 1);
  suspendedMs += lateMs;
  await vi.advanceTimersByTimeAsync(1);
}

test("a response that is delivered after a late deadline is the result", async () => {
  const { client, respond } = createWorld();
  const created = client.tasks.create(SONG_REQUEST);
  await reachDeadline(3_600_000);
  await vi.advanceTimersByTimeAsync(GRACE_MS - 1);
  respond(ok(submission()));
  expect((await created).task_id).toBe(TASK_ID);
});

test("a body whose second half is delivered after a late deadline is read to its end", async () => {
  const { client, respond } = createWorld();
  const read = client.account.balance();
  const whole = new Uint8Array(await balance({ available: 42 }).arrayBuffer());
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  respond(new Response(readable));
  void writer.write(whole.subarray(0, 10));
  await reachDeadline(3_600_000);
  void writer.write(whole.subarray(10));
  void writer.close();
  expect((await read).available).toBe(42);
});

test.each([
  ["on time", 0, 0],
  ["a little late", 10, 0],
  ["late", 11, GRACE_MS],
  ["an hour late", 3_600_000, GRACE_MS],
])("without a response, a deadline %s (%i ms) ends the call %i ms later", async (_, lateMs, graceMs) => {
  const { client } = createWorld();
  let isOver = false;
  const read = rejection(client.account.balance(), RequestTimeoutError).finally(() => {
    isOver = true;
  });
  await reachDeadline(lateMs);
  await vi.advanceTimersByTimeAsync(Math.max(0, graceMs - 1));
  expect(isOver).toBe(graceMs === 0);
  // Another suspension does not extend the grace without end.
  suspendedMs += lateMs;
  await vi.advanceTimersByTimeAsync(1);
  expect((await read).message).toContain(`no response came within ${TIMEOUT_MS} ms`);
});

test("a create without a response has an unknown outcome after the grace", async () => {
  const { client } = createWorld();
  const created = rejection(client.tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError);
  await reachDeadline(60_000);
  await vi.advanceTimersByTimeAsync(GRACE_MS);
  await created;
});

test("the caller's abort ends a read within the grace at once", async () => {
  const { client } = createWorld();
  const controller = new AbortController();
  const read = expect(client.account.balance({ signal: controller.signal })).rejects.toThrow("stop");
  await reachDeadline(60_000);
  controller.abort(new Error("stop"));
  await read;
});
