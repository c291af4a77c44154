import { AsyncMusicError, JournalError, memoryJournal, RateLimitedError } from "async-music";
import { expect, test } from "vitest";
import { createOwnPacer } from "../support/own-pacer.js";
import { rejection } from "../support/rejection.js";
import { accepted, acceptedAs, ok, SONG_REQUEST, succeeded, TASK_ID } from "../support/responses.js";
import { createTestClock, START } from "../support/test-clock.js";
import { API_KEY, createWorld } from "../support/world.js";

test("a custom pacer admits every request and receives its report", async () => {
  const { pacer, asked, told } = createOwnPacer();
  const clock = createTestClock();
  const { client } = createWorld(() => ok(succeeded()), { clock, pacer });
  await client.tasks.retrieve(TASK_ID);
  expect(asked).toMatchObject([{ kind: "read", taskId: TASK_ID }]);
  expect(told).toMatchObject([{ taskId: TASK_ID, sentAt: clock.now(), heldForMs: null }]);
});

const METHODS = ["admit", "report", "learn"] as const;
test.each(METHODS)("the error of a wait has the task ID if the pacer's %s throws", async (method) => {
  const { pacer } = createOwnPacer();
  const away = new Error("the database is away");
  pacer[method] = () => {
    throw away;
  };
  const { client } = createWorld(() => ok(succeeded()), { pacer });
  const error = await rejection(client.tasks.wait(TASK_ID), AsyncMusicError);
  expect(error).toMatchObject({ taskId: TASK_ID, cause: away });
  expect(error.message).toContain(`client.tasks.wait("${TASK_ID}")`);
});

test("a wait that is aborted when its poll is admitted sends nothing and reports it to the pacer", async () => {
  const { pacer, told } = createOwnPacer();
  const controller = new AbortController();
  const reason = new Error("enough");
  pacer.admit = async () => {
    controller.abort(reason);
    return true;
  };
  const { client, requests } = createWorld(() => ok(succeeded()), { pacer });
  await expect(client.tasks.wait(TASK_ID, { signal: controller.signal })).rejects.toBe(reason);
  expect(requests).toEqual([]);
  const report = { sentAt: expect.any(Number), remaining: null, heldForMs: null, unsent: "poll" };
  expect(told).toEqual([{ taskId: TASK_ID, ...report }]);
});

test("a pacer whose report throws does not lose a created task", async () => {
  const { pacer } = createOwnPacer();
  pacer.report = () => {
    throw new Error("the database is away");
  };
  const { client } = createWorld(acceptedAs, { pacer });
  const request = { model: "provider_a", task_type: "lyrics", input: { prompt: "rain" } } as const;
  expect(await client.tasks.create(request)).toMatchObject({ task_id: TASK_ID });
});

test("a pacer that throws leaves the journal key free, and the run rejects with its error", async () => {
  const { pacer } = createOwnPacer();
  const away = new Error("the database is away");
  pacer.admit = () => Promise.reject(away);
  const { client } = createWorld(() => accepted(), { pacer });
  const journal = memoryJournal();
  await expect(client.tasks.run(SONG_REQUEST, { journal, journalKey: "order-7" })).rejects.toBe(away);
  expect(await journal.get("order-7")).toBeNull();
});

test("a pacer receives a report of an admitted request that is not sent", async () => {
  const { pacer, asked, told } = createOwnPacer();
  const clock = createTestClock();
  const { client, requests } = createWorld(() => accepted(), { clock, pacer });
  const away = { ...memoryJournal(), put: () => Promise.reject(new Error("the database is away")) };
  await rejection(client.tasks.run(SONG_REQUEST, { journal: away, journalKey: "order-7" }), JournalError);
  expect(requests).toEqual([]);
  expect(asked).toHaveLength(1);
  const report = { sentAt: clock.now(), remaining: null, heldForMs: null, unsent: "create" };
  expect(told).toEqual([{ taskId: undefined, ...report }]);
});

test.each([
  ["is held back for 90.5 s more", 90_500, 91],
  ["may be used again", null, 0],
])(
  "a request that is refused while the key %s has the next time",
  async (_, heldForMs, retryAfterSeconds) => {
    const { pacer } = createOwnPacer();
    pacer.admit = async () => false;
    const heldUntil = heldForMs && START + heldForMs;
    pacer.rateLimit = () => ({ limit: null, remaining: null, resetAt: null, heldUntil });
    const { client } = createWorld(() => ok(succeeded()), { pacer });
    const error = await rejection(
      client.tasks.retrieve(TASK_ID, { requestId: "request-1" }),
      RateLimitedError,
    );
    const retryAt = new Date(heldUntil ?? START);
    const ids = { requestId: "request-1", taskId: TASK_ID };
    expect(error).toMatchObject({
      status: 429,
      errorCode: "rate_limited",
      ...ids,
      retryAfterSeconds,
      retryAt,
    });
    expect(error.message).toContain(retryAt.toISOString());
  },
);

test("a pacer function is called with the client's clock and key", async () => {
  const { pacer, asked } = createOwnPacer();
  const clock = createTestClock();
  const made: unknown[] = [];
  const { client } = createWorld(() => ok(succeeded()), {
    clock,
    pacer: (...given) => {
      made.push(...given);
      return pacer;
    },
  });
  await client.tasks.retrieve(TASK_ID);
  expect(made).toEqual([clock, API_KEY, expect.any(Function)]);
  expect(asked).toHaveLength(1);
});
