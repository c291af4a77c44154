import {
  AccountSuspendedError,
  AuthenticationError,
  BadRequestError,
  InsufficientCreditsError,
  type Journal,
  type JournalEntry,
  JournalError,
  memoryJournal,
  RateLimitedError,
  SubmissionOutcomeUnknownError,
  settleOutcome,
} from "async-music";
import { afterEach, describe, expect, test, vi } from "vitest";
import { abortedAfter } from "../support/abort.js";
import {
  accepted,
  done,
  limited,
  refusal,
  SONG_REQUEST,
  succeeded,
  unreachable,
} from "../support/answers.js";
import { journalEntry, posts } from "../support/journals.js";
import { rejection } from "../support/rejection.js";
import { createTestClock, turns } from "../support/test-clock.js";
import { createWorld, inTurn } from "../support/world.js";

// An intent stands in the journal only while a POST may be in flight: a refusal, also a 429, takes it back.

const KEY = "order-1";
const away = new Error("the database is away");
const REFUSED = refusal(402, "insufficient_credits");

type Answer = Parameters<typeof createWorld>[0];

/** A process of its own, with a journal object of its own on the same entries. */
function processOf(journal: Journal, answer: Answer, clock = createTestClock()) {
  const own = { ...journal };
  const world = createWorld(answer, { clock });
  const run = (options = {}) =>
    world.client.tasks.run(SONG_REQUEST, { journal: own, journalKey: KEY, ...options });
  return { ...world, run };
}

/** A journal that notes each entry that was put, with methods that a test may replace. */
function notedJournal(replaced: Partial<Journal> = {}) {
  const inner = memoryJournal();
  const puts: JournalEntry[] = [];
  const journal: Journal = {
    get: (...call) => (replaced.get ?? inner.get)(...call),
    async put(...call) {
      puts.push(call[1]);
      return (replaced.put ?? inner.put)(...call);
    },
    delete: (...call) => (replaced.delete ?? inner.delete)(...call),
  };
  return { inner, journal, puts, replaced };
}

describe("after a 429", () => {
  test.each([
    ["nothing", null],
    ["a settlement that freed the key", journalEntry("intent", { settled: true })],
  ])("the key holds %s again during the wait", async (_, before) => {
    const journal = memoryJournal();
    if (before !== null) await journal.put(KEY, before, null);
    const { clock, run } = processOf(journal, inTurn(limited(60), accepted, done));
    const running = run();
    await clock.sleep(30_000);
    expect(await journal.get(KEY)).toEqual(before && { ...before, revision: expect.any(String) });
    expect(await journal.open()).toEqual([]);
    await expect(running).resolves.toEqual(succeeded());
  });

  test("each attempt has an intent of its own, written at its own time", async () => {
    const { journal, puts } = notedJournal();
    await processOf(journal, inTurn(limited(60), accepted, done)).run({ requestId: "request-1" });
    const [first, second] = puts;
    expect([first, second]).toMatchObject([{ request_id: "request-1" }, { request_id: "request-1" }]);
    expect(first?.revision).not.toBe(second?.revision);
    expect([first?.at, second?.at]).toEqual(["2026-01-01T00:00:00.000Z", "2026-01-01T00:01:00.000Z"]);
  });

  test("a process that ends in the wait leaves a free key; one that wakes up later resumes the task of the other", async () => {
    const journal = memoryJournal();
    const clock = createTestClock();
    const suspended = processOf(journal, inTurn(limited(60), done), clock);
    const running = suspended.run();
    await clock.sleep(30_000);
    const other = processOf(journal, inTurn(accepted, done), clock);
    await expect(other.run()).resolves.toEqual(succeeded());
    await expect(running).resolves.toEqual(succeeded());
    expect([posts(suspended).length, posts(other).length]).toEqual([1, 1]);
  });

  test("an abort in the wait has nothing left to do in the journal", async () => {
    const { inner, journal, replaced } = notedJournal();
    const { clock, run } = processOf(journal, () => limited(60));
    void clock.sleep(20_000).then(() => {
      replaced.delete = () => Promise.reject(away);
    });
    await expect(run({ signal: abortedAfter(clock, 30_000, "stop") })).rejects.toBe("stop");
    expect(await inner.get(KEY)).toBeNull();
  });

  test("the run continues if the entry cannot be deleted, under a new intent", async () => {
    const { inner, journal, puts, replaced } = notedJournal();
    replaced.delete = () => Promise.reject(away);
    const world = processOf(journal, inTurn(limited(60), accepted, done));
    await expect(world.run()).resolves.toEqual(succeeded());
    expect(posts(world)).toHaveLength(2);
    expect(new Set(puts.map(({ revision }) => revision)).size).toBe(puts.length);
    expect(await inner.get(KEY)).toMatchObject({ state: "submitted" });
  });

  test("a delete that failed and takes effect later removes no intent of a later attempt", async () => {
    const { inner, journal, replaced } = notedJournal();
    const late: (() => Promise<unknown>)[] = [];
    replaced.delete = (...call) => {
      late.push(() => inner.delete(...call));
      return Promise.reject(away);
    };
    const held: (JournalEntry | null)[] = [];
    const world = processOf(journal, async ({ method }, index) => {
      if (method === "GET") return done();
      if (index === 0) return limited(60);
      for (const take of late) await take();
      held.push(await inner.get(KEY));
      return accepted();
    });
    await world.run();
    expect(held).toMatchObject([{ state: "intent" }]);
  });

  test("an entry that is not deleted when the retries end is reported with the last refusal", async () => {
    const { journal, replaced } = notedJournal();
    replaced.delete = () => Promise.reject(away);
    const error = await rejection(processOf(journal, () => limited(1)).run(), JournalError);
    expect(error).toMatchObject({ sent: true, taskId: null, cause: away });
    expect(error.message).toContain(RateLimitedError.name);
  });
});

describe("a delete that never answers", () => {
  afterEach(() => void vi.useRealTimers());

  test("delays the attempt after a 429 by 30 real seconds at most", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { journal, replaced } = notedJournal();
    replaced.delete = () => new Promise(() => {});
    const world = processOf(journal, inTurn(limited(60), accepted, done));
    const running = world.run();
    await turns(20);
    await vi.advanceTimersByTimeAsync(30_000);
    await expect(running).resolves.toEqual(succeeded());
    expect(posts(world)).toHaveLength(2);
  });
});

describe("an order that was refused, and whose entry could not be deleted", () => {
  /** The first run, with a journal that stays away until the test brings it back. */
  async function refusedRun(answer: Answer) {
    const { inner, journal, puts, replaced } = notedJournal();
    const clock = createTestClock({ skips: false });
    const world = createWorld(answer, { clock });
    const run = () => world.client.tasks.run(SONG_REQUEST, { journal, journalKey: KEY });
    replaced.delete = () => Promise.reject(away);
    const error = await rejection(run(), JournalError);
    expect(error).toMatchObject({ sent: true, taskId: null, cause: away });
    expect(await inner.get(KEY)).toMatchObject({ state: "intent" });
    return { ...world, inner, journal, puts, replaced, run, clock };
  }

  test("is sent again by a run of this process, also by another client", async () => {
    const { inner, journal } = await refusedRun(() => REFUSED.clone());
    const other = createWorld(inTurn(accepted, done));
    const again = other.client.tasks.run(SONG_REQUEST, { journal, journalKey: KEY });
    await expect(again).resolves.toEqual(succeeded());
    expect(await inner.get(KEY)).toMatchObject({ state: "submitted", status: "success" });
  });

  test("may be sent with another request, as after any refusal", async () => {
    const { journal } = await refusedRun(() => REFUSED.clone());
    const other = createWorld(inTurn(accepted, done));
    const changed = { ...SONG_REQUEST, input: { gpt_description_prompt: "sun in Faro" } };
    await other.client.tasks.run(changed, { journal, journalKey: KEY });
    expect(posts(other)).toHaveLength(1);
  });

  test("is refused again with the error of the service once the journal works", async () => {
    const { run, replaced, inner, requests } = await refusedRun(() => REFUSED.clone());
    delete replaced.delete;
    await rejection(run(), InsufficientCreditsError);
    expect(requests).toHaveLength(2);
    expect(await inner.get(KEY)).toBeNull();
  });

  test("is free for other processes if the journal works again within 31 seconds", async () => {
    const { inner, clock, replaced } = await refusedRun(() => REFUSED.clone());
    await clock.advance(10_000);
    delete replaced.delete;
    expect(await inner.get(KEY)).toMatchObject({ state: "intent" });
    await clock.advance(21_000);
    expect(await inner.get(KEY)).toBeNull();
    const other = processOf(inner, inTurn(accepted, done));
    await expect(other.run()).resolves.toEqual(succeeded());
  });

  test("is not freed later if another run has taken it meanwhile", async () => {
    const { inner, journal, clock, replaced } = await refusedRun(() => REFUSED.clone());
    const other = createWorld(inTurn(() => accepted(), done));
    await other.client.tasks.run(SONG_REQUEST, { journal, journalKey: KEY });
    const recorded = await inner.get(KEY);
    delete replaced.delete;
    await clock.advance(60_000);
    expect(await inner.get(KEY)).toEqual(recorded);
  });

  test("can be settled, and stays settled", async () => {
    const { inner, journal, clock, replaced } = await refusedRun(() => REFUSED.clone());
    expect(await settleOutcome(journal, KEY, null)).toBe(true);
    delete replaced.delete;
    await clock.advance(60_000);
    expect(await inner.get(KEY)).toMatchObject({ state: "intent", settled: true });
  });
});

test.each([500, 1500, 14_000])(
  "an intent whose write fails, but takes effect %s ms later, is removed for other processes",
  async (lateMs) => {
    const { inner, journal, replaced } = notedJournal();
    const clock = createTestClock({ skips: false });
    let writeLate = async (): Promise<unknown> => undefined;
    replaced.put = (...call) => {
      writeLate = () => inner.put(...call);
      return Promise.reject(away);
    };
    const world = createWorld(inTurn(accepted, done), { clock });
    await rejection(world.client.tasks.run(SONG_REQUEST, { journal, journalKey: KEY }), JournalError);
    await clock.advance(lateMs);
    await writeLate();
    expect(await inner.get(KEY)).toMatchObject({ state: "intent" });
    await clock.advance(31_000 - lateMs);
    expect(await inner.get(KEY)).toBeNull();
  },
);

test("an intent whose write fails, but takes effect later, does not hold its key in this process", async () => {
  const { inner, journal, replaced } = notedJournal();
  let writeLate = async (): Promise<unknown> => undefined;
  replaced.put = (...call) => {
    writeLate = () => inner.put(...call);
    return Promise.reject(away);
  };
  const world = createWorld(inTurn(accepted, done));
  const run = () => world.client.tasks.run(SONG_REQUEST, { journal, journalKey: KEY });
  expect(await rejection(run(), JournalError)).toMatchObject({ sent: false });
  await writeLate();
  delete replaced.put;
  expect(await inner.get(KEY)).toMatchObject({ state: "intent" });
  await expect(run()).resolves.toEqual(succeeded());
  expect(posts(world)).toHaveLength(1);
});

test.each([
  ["a POST that was never sent", unreachable, false],
  ["a refusal", () => REFUSED.clone(), true],
])("`sent` after %s whose entry could not be deleted", async (_, answer, sent) => {
  const { journal, replaced } = notedJournal();
  replaced.delete = () => Promise.reject(away);
  expect(await rejection(processOf(journal, answer).run(), JournalError)).toMatchObject({ sent });
});

/** The status and headers of a response whose body never ends. */
const stalled = (status: number, headers = {}) =>
  new Response(new ReadableStream(), { status, headers: { "Content-Type": "application/json", ...headers } });

test.each([
  [400, BadRequestError],
  [401, AuthenticationError],
  [402, InsufficientCreditsError],
  [403, AccountSuspendedError],
  [429, RateLimitedError],
])("a %i whose body never ends is a refusal, and leaves the key free", async (status, kind) => {
  const { journal, inner } = notedJournal();
  const { run } = processOf(journal, () => stalled(status));
  await rejection(run({ timeoutMs: 20, maxRetries: 0 }), kind);
  expect(await inner.get(KEY)).toBeNull();
});

test("a 202 or a 500 whose body never ends leaves the outcome unknown", async () => {
  for (const status of [202, 500]) {
    const { journal, inner } = notedJournal();
    const { run } = processOf(journal, () => stalled(status));
    await rejection(run({ timeoutMs: 20 }), SubmissionOutcomeUnknownError);
    expect(await inner.get(KEY)).toMatchObject({ state: "intent" });
  }
});
