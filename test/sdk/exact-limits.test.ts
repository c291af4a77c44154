import {
  type AsyncMusic,
  CreditCeilingError,
  InvalidRequestError,
  RateLimitedError,
  RequestTimeoutError,
  SubmissionOutcomeUnknownError,
  type TaskRequest,
  WaitTimeoutError,
} from "async-music";
import { afterEach, describe, expect, test, vi } from "vitest";
import { all } from "../support/collect.js";
import { rejection } from "../support/rejection.js";
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
  serveAnew,
  succeeded,
  TASK_ID,
  task,
  taskIdIn,
} from "../support/responses.js";
import { START, turns } from "../support/test-clock.js";
import { arrivals, createWorld, gaps, inTurn, never } from "../support/world.js";

// Each limit just below, exactly at it, and just above. Other files pin the size of a response, the length of a window, and what
// a `Retry-After` states.

afterEach(() => void vi.useRealTimers());

type Answer = Parameters<typeof inTurn>[number];

/** The largest result of a source of random numbers. */
const LARGEST = 1 - Number.EPSILON;

describe("the wait that a 429 states", () => {
  const CALLS = {
    balance: (client: AsyncMusic) => client.account.balance(),
    create: (client: AsyncMusic) => client.tasks.create(SONG_REQUEST),
  };

  test.each([
    [1, 119.999, undefined, 2],
    [1, 120, undefined, 2],
    [1, 120.001, undefined, 1],
    [1, 1, 999, 1],
    [1, 1, 1000, 2],
    [1, 1, 1001, 2],
    [2, 1, 1999, 2],
    [2, 1, 2000, 3],
    [2, 1, 2001, 3],
  ])(
    "%i times of %f s, with a `retryBudgetMs` of %s: %i requests are sent",
    async (times, seconds, retryBudgetMs, sent) => {
      for (const [name, call] of Object.entries(CALLS)) {
        const success = name === "create" ? () => acceptedAnew() : () => balance();
        const answers = Array<Answer>(times).fill(() => limited(seconds));
        const world = createWorld(inTurn(...answers, success), { retryBudgetMs });
        if (sent > times) await call(world.client);
        else await rejection(call(world.client), RateLimitedError);
        expect(arrivals(world)).toEqual(Array.from({ length: sent }, (_, index) => index * seconds * 1000));
      }
    },
  );

  test.each([
    [86_399, 86_399_000],
    [86_400, 86_400_000],
    [86_401, 86_400_000],
  ])("of %i s holds the key for %i ms: a day at most", async (seconds, heldForMs) => {
    const { client } = createWorld(() => limited(seconds), { maxRetries: 0 });
    await rejection(client.account.balance(), RateLimitedError);
    expect(client.rateLimit.heldUntil).toEqual(new Date(START + heldForMs));
  });

  describe.each([
    [19_999, false],
    [20_000, true],
    [20_001, true],
  ])("of 20 s, for another call with a `retryBudgetMs` of %i that may wait: %s", (retryBudgetMs, mayWait) => {
    const last = () => balance({}, { "X-RateLimit-Remaining": "1" });

    test.each([
      ["which comes later", [limited(20)], false],
      ["which is in the queue", [last, limited(20)], true],
    ])("%s", async (_, answers, isQueued) => {
      const world = createWorld(inTurn(...answers, balance()), { retryBudgetMs, maxRetries: 0 });
      const read = () => world.client.account.balance();
      if (isQueued) await read();
      const limitedRead = rejection(read(), RateLimitedError);
      if (!isQueued) await limitedRead;
      const other = mayWait ? read() : rejection(read(), RateLimitedError);
      await Promise.all([limitedRead, other]);
      expect(arrivals(world).slice(answers.length)).toEqual(mayWait ? [20_000] : []);
      expect(world.clock.elapsed()).toBe(mayWait ? 20_000 : 0);
    });
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

test.each([
  [999, 1000],
  [1000, 1000],
  [1001, 1001],
])("a read of one task that comes %i ms after the last one is sent after %i ms", async (afterMs, sentMs) => {
  const world = createWorld(running);
  await world.client.tasks.retrieve(TASK_ID);
  await world.clock.sleep(afterMs);
  await world.client.tasks.retrieve(TASK_ID);
  expect(arrivals(world)).toEqual([0, sentMs]);
});

test.each([59_999, 60_000, 60_001])(
  "a request %i ms after a used-up window began is sent at its end",
  async (afterMs) => {
    const world = createWorld(() => balance({}, { "X-RateLimit-Remaining": "0" }));
    await world.client.account.balance();
    await world.clock.sleep(afterMs);
    await world.client.account.balance();
    const [, sentAt] = arrivals(world);
    expect(sentAt).toBeGreaterThanOrEqual(Math.max(afterMs, 60_000));
    // A timer lasts 50 ms at least.
    expect(sentAt).toBeLessThan(afterMs < 60_000 ? afterMs + 51 : afterMs + 1);
  },
);

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

test.each([
  [255, true],
  [256, true],
  [257, false],
])("a task ID of %i characters is usable: %s", async (length, isUsable) => {
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

/** As many lists in each other. */
const lists = (levels: number) => JSON.parse("[".repeat(levels) + "]".repeat(levels)) as unknown;

describe("nesting", () => {
  test.each([
    [999, true],
    [1000, true],
    [1001, false],
    [3000, false],
  ])("of a request in %i levels is sent: %s", async (levels, isSent) => {
    const { client, requests } = createWorld(() => accepted());
    // The request and its `input` are two of the levels.
    const input = { ...SONG_REQUEST.input, extra: lists(levels - 2) };
    const create = client.tasks.create({ ...SONG_REQUEST, input } as TaskRequest);
    if (isSent) await create;
    else expect((await rejection(create, InvalidRequestError)).errorCode).toBe("invalid_request_body");
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
  const world = createWorld(serveAnew);
  const options = { maxCredits, concurrency: 1 };
  const [first, second] = await all(world.client.tasks.runAll([SONG_REQUEST, SONG_REQUEST], options));
  expect(first?.error === undefined).toBe(isSent);
  expect(second?.error).toBeInstanceOf(CreditCeilingError);
});
