import {
  CreditCeilingError,
  InvalidOptionError,
  InvalidRequestError,
  RateLimitedError,
  RequestTimeoutError,
  ServerError,
  SubmissionOutcomeUnknownError,
  type TaskRequest,
  WaitTimeoutError,
} from "async-music";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createMemoryPacer } from "../../src/rate-limit/memory-pacer.js";
import type { Pacer } from "../../src/rate-limit/pacer.js";
import {
  accepted,
  acceptedAnew,
  balance,
  done,
  limited,
  ok,
  refusal,
  running,
  SONG_REQUEST,
  succeeded,
  TASK_ID,
  task,
  taskIdIn,
} from "../support/answers.js";
import { rejection } from "../support/rejection.js";
import { createTestClock, START, turns } from "../support/test-clock.js";
import { arrivals, createWorld, gaps, inTurn, never } from "../support/world.js";

// Each limit just below, exactly at it, and just above. Other files pin the size of a response, the length of a window, and what
// a `Retry-After` states.

afterEach(() => void vi.useRealTimers());

/** The largest result of a source of random numbers. */
const LARGEST = 1 - Number.EPSILON;

describe("the wait that a 429 states", () => {
  test.each([
    [119.999, 2],
    [120, 2],
    [120.001, 1],
  ])("of %f s is compared with a budget of 120 s: %i requests are sent", async (seconds, sent) => {
    const world = createWorld(inTurn(limited(seconds), balance()));
    const read = world.client.account.balance();
    if (sent === 1) await rejection(read, RateLimitedError);
    else await read;
    expect(arrivals(world)).toEqual(sent === 1 ? [0] : [0, seconds * 1000]);
  });

  test.each([
    [999, 1],
    [1000, 2],
    [1001, 2],
  ])("of 1 s is compared with a `retryBudgetMs` of %i: %i requests are sent", async (retryBudgetMs, sent) => {
    const world = createWorld(inTurn(limited(1), acceptedAnew()), { retryBudgetMs });
    await world.client.tasks.create(SONG_REQUEST).catch(() => {});
    expect(world.requests).toHaveLength(sent);
  });

  test.each([
    [1999, 2],
    [2000, 3],
    [2001, 3],
  ])("of 1 s, twice, is compared with what is left of %i ms: %i requests", async (retryBudgetMs, sent) => {
    const world = createWorld(inTurn(limited(1), limited(1), balance()), { retryBudgetMs });
    await world.client.account.balance().catch(() => {});
    expect(world.requests).toHaveLength(sent);
  });

  test.each([
    [86_399, 86_399_000],
    [86_400, 86_400_000],
    [86_401, 86_400_000],
  ])("of %i s holds the key for %i ms: a day at most", async (seconds, heldForMs) => {
    const { client } = createWorld(() => limited(seconds), { maxRetries: 0 });
    await rejection(client.account.balance(), RateLimitedError);
    expect(client.rateLimit.heldUntil).toEqual(new Date(START + heldForMs));
  });
});

test.each([
  [249, 1],
  [250, 2],
  [251, 2],
])("a back-off of 250 ms with a `retryBudgetMs` of %i: %i requests are sent", async (retryBudgetMs, sent) => {
  const broken = () => refusal(502, "upstream_provider_error");
  const world = createWorld(inTurn(broken, balance()), { retryBudgetMs, random: () => 0.5 });
  await world.client.account.balance().catch(() => {});
  expect(world.requests).toHaveLength(sent);
});

test("a read is retried twice by default", async () => {
  const world = createWorld(() => refusal(502, "upstream_provider_error"));
  await rejection(world.client.account.balance(), ServerError);
  expect(world.requests).toHaveLength(3);
});

test("an attempt ends after 30,000 ms by default, and not a millisecond earlier", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const { client } = createWorld(never, { maxRetries: 0 });
  let error: unknown = null;
  void client.account.balance().catch((thrown) => (error = thrown));
  await turns(10);
  await vi.advanceTimersByTimeAsync(29_999);
  await turns(10);
  expect(error).toBeNull();
  await vi.advanceTimersByTimeAsync(1);
  await turns(10);
  expect(error).toBeInstanceOf(RequestTimeoutError);
});

describe("the pacer", () => {
  const paced = () => {
    const clock = createTestClock();
    const pacer: Pacer = createMemoryPacer(clock);
    const report = (heldForMs: number | null) =>
      pacer.report({ sentAt: clock.now(), remaining: null, heldForMs });
    return { clock, pacer, report };
  };
  const CASES: [maxHoldMs: number, isAdmitted: boolean][] = [
    [19_999, false],
    [20_000, true],
    [20_001, true],
  ];

  test.each(CASES)(
    "admits a later request that may wait %i ms after a hold of 20,000 ms: %s",
    async (maxHoldMs, isAdmitted) => {
      const { clock, pacer, report } = paced();
      await pacer.admit({ kind: "account" });
      report(20_000);
      expect(await pacer.admit({ kind: "account", maxHoldMs })).toBe(isAdmitted);
      expect(clock.elapsed()).toBe(isAdmitted ? 20_000 : 0);
    },
  );

  test.each(CASES)(
    "keeps a queued request that may wait %i ms after a hold of 20,000 ms: %s",
    async (maxHoldMs, isAdmitted) => {
      const { clock, pacer, report } = paced();
      await pacer.admit({ kind: "account" });
      pacer.report({ sentAt: clock.now(), remaining: 1, heldForMs: null });
      await pacer.admit({ kind: "account" });
      const queued = pacer.admit({ kind: "account", maxHoldMs });
      report(20_000);
      expect(await queued).toBe(isAdmitted);
      expect(clock.elapsed()).toBe(isAdmitted ? 20_000 : 0);
    },
  );

  test.each([
    [999, 1000],
    [1000, 1000],
    [1001, 1001],
  ])(
    "delays a read of one task that comes %i ms after the last: it is sent after %i ms",
    async (afterMs, sentMs) => {
      const { clock, pacer } = paced();
      await pacer.admit({ kind: "read", taskId: TASK_ID });
      pacer.report({ taskId: TASK_ID, sentAt: clock.now(), remaining: 119, heldForMs: null });
      await clock.sleep(afterMs);
      await pacer.admit({ kind: "read", taskId: TASK_ID });
      expect(clock.elapsed()).toBe(sentMs);
    },
  );

  test.each([59_999, 60_000, 60_001])(
    "sends a request that comes %i ms after the start of a used-up window at the window's end",
    async (afterMs) => {
      const { clock, pacer } = paced();
      await pacer.admit({ kind: "account" });
      pacer.report({ sentAt: clock.now(), remaining: 0, heldForMs: null });
      await clock.sleep(afterMs);
      await pacer.admit({ kind: "account" });
      const sentMs = Math.max(afterMs, 60_000);
      expect(clock.elapsed()).toBeGreaterThanOrEqual(sentMs);
      // A timer lasts 50 ms at least.
      expect(clock.elapsed()).toBeLessThan(afterMs < sentMs ? afterMs + 51 : sentMs + 1);
    },
  );
});

test.each([
  [119, [0, 0, 0]],
  [2, [0, 0, 0]],
  [1, [0, 0, 60_000]],
  [0, [0, 60_000, 60_000]],
])("with %i requests left in the window, three are sent after %j ms", async (left, expected) => {
  const world = createWorld((_, index) =>
    balance({}, { "X-RateLimit-Remaining": String(world.clock.elapsed() > 0 ? 119 : left - index) }),
  );
  for (let read = 0; read < 3; read++) await world.client.account.balance();
  expect(arrivals(world)).toEqual(expected);
});

describe("a task ID", () => {
  test.each([
    [255, true],
    [256, true],
    [257, false],
  ])("of %i characters is usable: %s", async (length, isUsable) => {
    const id = "a".repeat(length);
    const { client, requests } = createWorld((request) =>
      request.method === "POST" ? accepted({ task_id: id }) : ok(task({ task_id: taskIdIn(request) })),
    );
    if (isUsable) {
      await client.tasks.retrieve(id);
      expect((await client.tasks.create(SONG_REQUEST)).task_id).toBe(id);
      return;
    }
    await rejection(client.tasks.retrieve(id), InvalidRequestError);
    expect(requests).toEqual([]);
    await rejection(client.tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError);
  });
});

/** As many lists in each other. */
const lists = (levels: number) => JSON.parse("[".repeat(levels) + "]".repeat(levels)) as unknown;

describe("nesting", () => {
  test.each([
    [999, true],
    [1000, true],
    [1001, false],
  ])("of a request in %i levels is sent: %s", async (levels, isSent) => {
    const { client, requests } = createWorld(() => accepted());
    // The request and its `input` are two of the levels.
    const input = { ...SONG_REQUEST.input, extra: lists(levels - 2) };
    const create = client.tasks.create({ ...SONG_REQUEST, input } as TaskRequest);
    if (isSent) await create;
    else await rejection(create, InvalidRequestError);
    expect(requests).toHaveLength(isSent ? 1 : 0);
  });

  test.each([
    [999, 1],
    [1000, 1],
    [1001, 2],
  ])("of a task in %i levels takes a wait %i polls", async (levels, polls) => {
    const deep = ok(succeeded({ extra: lists(levels - 1) }));
    const { client, requests } = createWorld(inTurn(deep, done));
    await client.tasks.wait(TASK_ID);
    expect(requests).toHaveLength(polls);
  });
});

describe("`pollIntervalMs`", () => {
  test.each([
    [999, false],
    [1000, true],
    [1001, true],
    [[999, 5000], false],
    [[1000, 1000], true],
    [[1001, 1001], true],
    [[1001, 1000], false],
    [[1000, 1001], true],
  ] as const)("of %j is accepted: %s", async (pollIntervalMs, isAccepted) => {
    const { client } = createWorld(done);
    const wait = client.tasks.wait(TASK_ID, { pollIntervalMs });
    if (isAccepted) await wait;
    else await rejection(wait, InvalidOptionError);
  });

  const FAILED_READS = 4;
  test.each([
    ["without failures", 0, [5000, 10_000], 0, 5000],
    ["without failures", 0, [5000, 10_000], LARGEST, 5100],
    ["without failures", 0, [5000, 5099], LARGEST, 5099],
    ["without failures", 0, [5000, 5001], LARGEST, 5001],
    ["without failures", 0, [5000, 5000], LARGEST, 5000],
    ["after failures", FAILED_READS, [5000, 10_000], 0, 9804],
    ["after failures", FAILED_READS, [5000, 10_000], LARGEST, 10_000],
    ["after failures", FAILED_READS, [5000, 5000], LARGEST, 5000],
  ] as const)("%s (%i), gaps of %j at the random number %f end with one of %i ms", async (...row) => {
    const [, failures, pollIntervalMs, random, expected] = row;
    const broken = () => refusal(500, "internal_error");
    const answers = failures === 0 ? [running, running] : Array<typeof running>(failures).fill(broken);
    const world = createWorld(inTurn(...answers, done), { random: () => random });
    await world.client.tasks.wait(TASK_ID, { pollIntervalMs });
    const times = gaps(arrivals(world));
    expect(times.at(-1)).toBe(expected);
    for (const gap of times) {
      expect(gap).toBeGreaterThanOrEqual(pollIntervalMs[0]);
      expect(gap).toBeLessThanOrEqual(pollIntervalMs[1]);
    }
  });
});

test.each([
  [4999, false],
  [5000, true],
  [5001, true],
])("a poll that is due after 5000 ms is sent with `maxWaitMs: %i`: %s", async (maxWaitMs, isSent) => {
  const { client, clock } = createWorld(inTurn(running, done));
  const wait = client.tasks.wait(TASK_ID, { maxWaitMs });
  if (isSent) await wait;
  else {
    const error = await rejection(wait, WaitTimeoutError);
    expect(error.message).toContain("within 4.999 s");
  }
  expect(clock.elapsed()).toBe(Math.min(5000, maxWaitMs));
});

test.each([
  [9, false],
  [10, true],
  [11, true],
  [19, true],
])("a song of 10 credits with `maxCredits: %i` is sent: %s", async (maxCredits, isSent) => {
  const world = createWorld((request) =>
    request.method === "POST" ? acceptedAnew() : ok(succeeded({ task_id: taskIdIn(request) })),
  );
  const errors: unknown[] = [];
  for await (const { error } of world.client.tasks.runAll([SONG_REQUEST, SONG_REQUEST], {
    maxCredits,
    concurrency: 1,
  }))
    errors.push(error);
  expect(errors[0] === undefined).toBe(isSent);
  expect(errors[1]).toBeInstanceOf(CreditCeilingError);
});

test.each([
  [49, 0],
  [50, 1],
  [51, 1],
])("an admission after %i ms emits %i `wait` events", async (waitedMs, events) => {
  const clock = createTestClock();
  const own = createMemoryPacer(clock);
  const pacer: Pacer = {
    ...own,
    admit: async (request, signal) => {
      await clock.sleep(waitedMs);
      return own.admit(request, signal);
    },
  };
  const { client } = createWorld(() => balance(), { clock, pacer });
  const waits: number[] = [];
  client.on("wait", ({ waitedMs }) => waits.push(waitedMs));
  await client.account.balance();
  expect(waits).toEqual(Array<number>(events).fill(waitedMs));
});
