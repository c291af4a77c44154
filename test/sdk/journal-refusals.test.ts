import {
  AccountSuspendedError,
  AuthenticationError,
  BadRequestError,
  InsufficientCreditsError,
  type JournalEntry,
  JournalError,
  RateLimitedError,
  SubmissionOutcomeUnknownError,
} from "async-music";
import { afterEach, describe, expect, test, vi } from "vitest";
import { abortedAfter } from "../support/abort.js";
import { away, fail, hang, journaledWorld, KEY, OTHER_REQUEST } from "../support/journaled.js";
import { journalEntry, posts } from "../support/journals.js";
import { rejection } from "../support/rejection.js";
import {
  accepted,
  done,
  limited,
  refusal,
  SONG_REQUEST,
  succeeded,
  unreachable,
} from "../support/responses.js";
import { createTestClock, turns } from "../support/test-clock.js";
import { createWorld, inTurn } from "../support/world.js";

// An intent stands in the journal only while a POST may be in flight: a refusal, also a 429, takes it back.

const refused = () => refusal(402, "insufficient_credits");

/** A service that responds with a 429, and then creates the task. */
const limitedOnce = () => inTurn(limited(60), accepted, done);

describe("after a 429", () => {
  test.each([
    ["nothing", null],
    ["a settlement that freed the key", journalEntry("intent", { settled: true })],
  ])("the key holds %s again during the wait", async (_, before) => {
    const { clock, run, write, entry, inner } = journaledWorld(limitedOnce());
    if (before !== null) await write(before);
    const running = run();
    await clock.sleep(30_000);
    expect(await entry()).toEqual(before && { ...before, revision: expect.any(String) });
    expect(await inner.open()).toEqual([]);
    await expect(running).resolves.toEqual(succeeded());
  });

  test.each<[string, JournalEntry | null, "delete" | "put"]>([
    ["nothing", null, "delete"],
    ["a settlement that freed the key", journalEntry("intent", { settled: true }), "put"],
  ])("a key that held %s is taken again without a read", async (_, before, restore) => {
    const { run, write, calls } = journaledWorld(limitedOnce());
    if (before !== null) await write(before);
    await run();
    expect(calls).toEqual(["get", "put", restore, "put", "put", "put"]);
  });

  test("each attempt has an intent of its own, written at its own time", async () => {
    const { run, puts } = journaledWorld(limitedOnce());
    await run({ requestId: "request-1" });
    const [first, second] = puts;
    expect([first, second]).toMatchObject([
      { request_id: "request-1", at: "2026-01-01T00:00:00.000Z" },
      { request_id: "request-1", at: "2026-01-01T00:01:00.000Z" },
    ]);
    expect(first?.revision).not.toBe(second?.revision);
  });

  test("a process that ends in the wait leaves a free key; one that wakes up later resumes the task of the other", async () => {
    const suspended = journaledWorld(inTurn(limited(60), done));
    const { clock, inner } = suspended;
    const running = suspended.run();
    await clock.sleep(30_000);
    const other = journaledWorld(inTurn(accepted, done), { inner, clock });
    await expect(other.run()).resolves.toEqual(succeeded());
    await expect(running).resolves.toEqual(succeeded());
    expect([posts(suspended).length, posts(other).length]).toEqual([1, 1]);
  });

  test("an abort in the wait has nothing left to do in the journal", async () => {
    const { clock, run, entry, broken } = journaledWorld(() => limited(60));
    void clock.sleep(20_000).then(() => {
      broken.delete = fail;
    });
    await expect(run({ signal: abortedAfter(clock, 30_000, "stop") })).rejects.toBe("stop");
    expect(await entry()).toBeNull();
  });

  test("the run continues if the entry cannot be deleted, under a new intent", async () => {
    const world = journaledWorld(limitedOnce());
    world.broken.delete = fail;
    await expect(world.run()).resolves.toEqual(succeeded());
    expect(posts(world)).toHaveLength(2);
    expect(new Set(world.puts.map(({ revision }) => revision)).size).toBe(world.puts.length);
    expect(await world.entry()).toMatchObject({ state: "submitted" });
  });

  test("a delete that failed and takes effect later removes no intent of a later attempt", async () => {
    const late: (() => Promise<unknown>)[] = [];
    const held: (JournalEntry | null)[] = [];
    const { run, entry, inner, broken } = journaledWorld(async ({ method }, index) => {
      if (method === "GET") return done();
      if (index === 0) return limited(60);
      for (const take of late) await take();
      held.push(await entry());
      return accepted();
    });
    broken.delete = (...call) => {
      late.push(() => inner.delete(...call));
      return fail();
    };
    await run();
    expect(held).toMatchObject([{ state: "intent" }]);
  });

  test("an entry that is not deleted when the retries end is reported with the last refusal", async () => {
    const { run, broken } = journaledWorld(() => limited(1));
    broken.delete = fail;
    const error = await rejection(run(), JournalError);
    expect(error).toMatchObject({ sent: true, taskId: null, cause: away });
    expect(error.message).toContain(RateLimitedError.name);
  });
});

describe("a delete that never answers", () => {
  afterEach(() => void vi.useRealTimers());

  test("delays the attempt after a 429 by 30 real seconds at most", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const world = journaledWorld(limitedOnce());
    world.broken.delete = hang;
    const running = world.run();
    await turns(20);
    await vi.advanceTimersByTimeAsync(30_000);
    await expect(running).resolves.toEqual(succeeded());
    expect(posts(world)).toHaveLength(2);
  });
});

test.each([
  ["nothing", null],
  ["a settlement that freed the key", journalEntry("intent", { settled: true })],
])("a refused run that has restored %s calls the journal no more", async (_, before) => {
  const { run, write, calls, clock } = journaledWorld(refused, { clock: createTestClock({ skips: false }) });
  if (before !== null) await write(before);
  await rejection(run(), InsufficientCreditsError);
  const made = [...calls];
  await clock.advance(60_000);
  expect(calls).toEqual(made);
});

describe("an order that was refused, and whose entry could not be deleted", () => {
  /** The first run, with a journal that stays away until the test brings it back. */
  async function refusedRun() {
    const world = journaledWorld(refused, { clock: createTestClock({ skips: false }) });
    const { run, broken, journal, entry } = world;
    broken.delete = fail;
    expect(await rejection(run(), JournalError)).toMatchObject({ sent: true, taskId: null, cause: away });
    expect(await entry()).toMatchObject({ state: "intent" });
    const other = createWorld(inTurn(accepted, done));
    const runElsewhere = (request: typeof SONG_REQUEST | typeof OTHER_REQUEST = SONG_REQUEST) =>
      other.client.tasks.run(request, { journal, journalKey: KEY });
    return { ...world, other, runElsewhere };
  }

  test("is sent again by a run of this process, also by another client", async () => {
    const { runElsewhere, entry } = await refusedRun();
    await expect(runElsewhere()).resolves.toEqual(succeeded());
    expect(await entry()).toMatchObject({ state: "submitted", status: "success" });
  });

  test("may be sent with another request, as after any refusal", async () => {
    const { runElsewhere, other } = await refusedRun();
    await runElsewhere(OTHER_REQUEST);
    expect(posts(other)).toHaveLength(1);
  });

  test("is refused again with the error of the service once the journal works", async () => {
    const { run, broken, entry, requests } = await refusedRun();
    delete broken.delete;
    await rejection(run(), InsufficientCreditsError);
    expect(requests).toHaveLength(2);
    expect(await entry()).toBeNull();
  });

  test("is free for other processes if the journal works again within 31 seconds", async () => {
    const { inner, entry, clock, broken } = await refusedRun();
    await clock.advance(10_000);
    delete broken.delete;
    expect(await entry()).toMatchObject({ state: "intent" });
    await clock.advance(21_000);
    expect(await entry()).toBeNull();
    const other = journaledWorld(inTurn(accepted, done), { inner });
    await expect(other.run()).resolves.toEqual(succeeded());
  });

  test("is deleted once when the journal works again", async () => {
    const { calls, clock, broken } = await refusedRun();
    delete broken.delete;
    await clock.advance(1000);
    const made = [...calls];
    await clock.advance(60_000);
    expect(calls).toEqual(made);
  });

  test("is not freed later if another run has taken it meanwhile", async () => {
    const { runElsewhere, entry, clock, broken } = await refusedRun();
    await runElsewhere();
    const recorded = await entry();
    delete broken.delete;
    await clock.advance(60_000);
    expect(await entry()).toEqual(recorded);
  });

  test("can be settled, and stays settled", async () => {
    const { settle, entry, clock, broken } = await refusedRun();
    expect(await settle(null)).toBe(true);
    delete broken.delete;
    await clock.advance(60_000);
    expect(await entry()).toMatchObject({ state: "intent", settled: true });
  });
});

describe("an intent whose write fails, but takes effect", () => {
  /** The failed run, whose write takes effect when the test says so. */
  async function lateWrite(clock = createTestClock()) {
    const world = journaledWorld(inTurn(accepted, done), { clock });
    let writeLate = async (): Promise<unknown> => undefined;
    world.broken.put = (...call) => {
      writeLate = () => world.inner.put(...call);
      return fail();
    };
    expect(await rejection(world.run(), JournalError)).toMatchObject({ sent: false });
    return { ...world, writeLate };
  }

  test.each([500, 1500, 14_000])("%s ms later, is removed for other processes", async (lateMs) => {
    const { clock, writeLate, entry } = await lateWrite(createTestClock({ skips: false }));
    await clock.advance(lateMs);
    await writeLate();
    expect(await entry()).toMatchObject({ state: "intent" });
    await clock.advance(31_000 - lateMs);
    expect(await entry()).toBeNull();
  });

  test("later, does not hold its key in this process", async () => {
    const { run, broken, writeLate, entry, requests } = await lateWrite();
    await writeLate();
    delete broken.put;
    expect(await entry()).toMatchObject({ state: "intent" });
    await expect(run()).resolves.toEqual(succeeded());
    expect(posts({ requests })).toHaveLength(1);
  });
});

test.each([
  ["a POST that was never sent", unreachable, false],
  ["a refusal", refused, true],
])("`sent` after %s whose entry could not be deleted", async (_, answer, sent) => {
  const { run, broken } = journaledWorld(answer);
  broken.delete = fail;
  expect(await rejection(run(), JournalError)).toMatchObject({ sent });
});

test.each([
  [400, BadRequestError, null],
  [401, AuthenticationError, null],
  [402, InsufficientCreditsError, null],
  [403, AccountSuspendedError, null],
  [429, RateLimitedError, null],
  [202, SubmissionOutcomeUnknownError, "intent"],
  [500, SubmissionOutcomeUnknownError, "intent"],
] as const)("a %i whose body never ends is a %o, and leaves the key with %j", async (status, kind, state) => {
  const headers = { "Content-Type": "application/json" };
  const { run, entry } = journaledWorld(() => new Response(new ReadableStream(), { status, headers }));
  // Real time, in which a busy machine must at least send the request.
  await rejection<Error>(run({ timeoutMs: 300, maxRetries: 0 }), kind);
  expect((await entry())?.state ?? null).toBe(state);
});
