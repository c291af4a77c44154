import {
  AsyncMusic,
  AsyncMusicError,
  type Clock,
  InsufficientCreditsError,
  InvalidResponseError,
  JournalConflictError,
  type JournalEntry,
  JournalError,
  SubmissionOutcomeUnknownError,
  TaskFailedError,
  WaitTimeoutError,
} from "async-music";
import { createEmulator } from "async-music/emulator";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { memoryStore } from "../../src/budget/memory-store.js";
import { budgetOf } from "../../src/budget/tenant-budget.js";
import { abortedAfter } from "../support/abort.js";
import { held, recorder } from "../support/collect.js";
import {
  away,
  createJournalDouble,
  fail,
  failAfter,
  hang,
  journaledWorld,
  KEY,
} from "../support/journaled.js";
import { journalEntry, posts } from "../support/journals.js";
import { createLog } from "../support/log.js";
import { reasonOf, rejection } from "../support/rejection.js";
import {
  accepted,
  done,
  failed,
  limited,
  OTHER_TASK_ID,
  ok,
  refusal,
  running,
  SONG_REQUEST,
  serve,
  serveAnew,
  succeeded,
  TASK_ID,
} from "../support/responses.js";
import { createTestClock, START, turns } from "../support/test-clock.js";
import { watchUnhandledRejections } from "../support/unhandled.js";
import { createWorld, inTurn } from "../support/world.js";

const failIfUnrecorded = () => expect.fail("It was recorded");

test.each(["get", "put"] as const)("if `%s` throws before the POST, nothing is sent", async (method) => {
  const { run, broken, entry, requests } = journaledWorld(serve);
  broken[method] = fail;
  const error = await rejection(run(), JournalError);
  expect(error).toMatchObject({ journalKey: KEY, taskId: null, cause: away });
  expect(error.message).toContain(`"${KEY}"`);
  expect(error.message).toContain("the database is away");
  expect(requests).toEqual([]);
  expect(await entry()).toBeNull();
});

test("a run rejects with the conflict that `put` throws, and sends nothing", async () => {
  const { run, broken, requests } = journaledWorld(serve);
  const conflict = new JournalConflictError("planned with another request", { journalKey: KEY });
  broken.put = () => Promise.reject(conflict);
  expect(await rejection(run(), JournalConflictError)).toBe(conflict);
  expect(requests).toEqual([]);
});

test("an intent that was written although put threw is removed", async () => {
  const { run, broken, inner, entry, requests } = journaledWorld(serve);
  broken.put = async (...written) => {
    await inner.put(...written);
    throw away;
  };
  await rejection(run(), JournalError);
  expect(await entry()).toBeNull();
  expect(requests).toEqual([]);
});

test("a put that wrote the intent and returned false counts as written", async () => {
  const { run, broken, inner, entry } = journaledWorld(serve);
  broken.put = async (...written) => {
    await inner.put(...written);
    return inner.put(...written);
  };
  await expect(run()).resolves.toEqual(succeeded());
  expect(await entry()).toMatchObject({ state: "submitted" });
});

const [INTENT, RECORD] = [journalEntry("intent"), journalEntry("submitted")];
const RESERVATION = { id: "total/1", tenant: "acme", credits: 10 };
test.each<[string, unknown]>([
  ["a string", "entry"],
  ["an empty object", {}],
  ["a list", []],
  ["an unknown state", { ...INTENT, state: "done" }],
  ["an entry without a revision", { ...INTENT, revision: undefined }],
  ["an entry without the request", { ...INTENT, request: undefined }],
  ["an entry whose request ID is a number", { ...INTENT, request_id: 1 }],
  ["an entry without its time", { ...INTENT, at: null }],
  ["an entry with half a count", { ...INTENT, tasks_created: 1.5 }],
  ["an entry whose count is a string", { ...INTENT, tasks_created: "7" }],
  ["an entry without a count", { ...INTENT, tasks_created: undefined }],
  ...[null, "30000", -1, 0, Number.NaN, Number.POSITIVE_INFINITY].map((timeout_ms): [string, unknown] => [
    `an entry whose time limit is ${JSON.stringify(timeout_ms)} (${String(timeout_ms)})`,
    { ...INTENT, timeout_ms },
  ]),
  ["an entry whose customer is a number", { ...INTENT, tenant: 7 }],
  ...[
    "reservation",
    { ...RESERVATION, id: 7 },
    { ...RESERVATION, tenant: null },
    { ...RESERVATION, credits: "10" },
  ].map((reservation): [string, unknown] => [
    `an entry whose reservation is ${JSON.stringify(reservation)}`,
    { ...INTENT, reservation },
  ]),
  ["a record in an unknown state", { ...RECORD, state: "done" }],
  ["a record whose task ID is a number", { ...RECORD, task_id: 7 }],
  ["a record without a submission", { ...RECORD, submission: undefined }],
  ["a record whose submission is a string", { ...RECORD, submission: TASK_ID }],
  ["a record without a task", { ...RECORD, task_id: "" }],
  ["a record of two tasks", { ...RECORD, submission: { task_id: "other" } }],
])("if get returns %s, the run fails and sends no POST", async (_, entry) => {
  const { run, broken, requests } = journaledWorld(serve);
  broken.get = async () => entry as never;
  await rejection(run(), JournalError);
  expect(requests).toEqual([]);
});

test("if put returns false and get returns null, the run fails after two seconds and sends nothing", async () => {
  const { run, broken, puts, clock, requests } = journaledWorld(serve);
  broken.put = async () => {
    if (puts.length > 100) throw new Error("called without a pause");
    return false;
  };
  const error = await rejection(run(), JournalError);
  expect(error).toMatchObject({ taskId: null, sent: false });
  expect(error.cause).toBeUndefined();
  expect(error.message).toContain("No task was created by this run. Check that");
  expect(error.message).toContain("does not read from a stale replica");
  expect([puts.length, clock.elapsed(), requests.length]).toEqual([9, 2000, 0]);
});

test("a stale replica is read again until it shows the entry", async () => {
  const { run, write, broken, inner, ...world } = journaledWorld(done);
  await write(RECORD);
  broken.get = async (key) => (world.clock.elapsed() < 1000 ? null : inner.get(key));
  await expect(run()).resolves.toEqual(succeeded());
  expect(posts(world)).toEqual([]);
});

test("a record that fails after the POST is written later, and the run returns the task", async () => {
  const { run, broken, inner, entry } = journaledWorld(inTurn(accepted, running, done));
  const onUpdate = () => {
    delete broken.put;
  };
  const onSubmitted = async () => expect(await entry()).toMatchObject({ state: "intent" });
  broken.put = failAfter(1, inner.put);
  const result = run({ onSubmitted, onUpdate, onUnrecorded: failIfUnrecorded });
  await expect(result).resolves.toEqual(succeeded());
  expect(await entry()).toMatchObject({ state: "submitted", task_id: TASK_ID });
});

describe("while its task is awaited", () => {
  const SONG_MS = 60_000;

  const endsLate = (now: number) => (now < SONG_MS ? running() : done());

  /** A journal that takes the intent, and records the task as `record` says; and when it was called to do so. */
  function recordingBy(record: (put: () => Promise<boolean>, now: number) => Promise<boolean>) {
    const world = journaledWorld(({ method }) =>
      method === "POST" ? accepted() : endsLate(world.clock.elapsed()),
    );
    const tries: number[] = [];
    world.broken.put = (...values) => {
      const put = () => world.inner.put(...values);
      if (values[1].state === "intent" || values[1].status !== undefined) return put();
      const now = world.clock.elapsed();
      tries.push(now);
      return record(put, now);
    };
    return { ...world, tries };
  }

  test("a record that fails is tried again after a second", async () => {
    const { run, entry, tries, client } = recordingBy((put, now) => (now < 1000 ? fail() : put()));
    const onUpdate = vi.fn(async () =>
      expect(await entry()).toMatchObject({ state: "submitted", task_id: TASK_ID }),
    );
    const result = run({ onUpdate, onUnrecorded: failIfUnrecorded });
    await expect(result).resolves.toEqual(succeeded());
    expect(onUpdate).toHaveBeenCalled();
    const [created = 0, again = 0] = tries;
    expect(again - created).toBe(1000);
    await client.tasks.flush();
    expect(await entry()).toMatchObject({ status: "success" });
  });

  test("it is tried after pauses of 1, 2, 4, 8 and 16 s, and at the end", async () => {
    const { run, tries } = recordingBy(fail);
    const { seen: unrecorded, note: onUnrecorded } = recorder<JournalError>();
    await expect(run({ onUnrecorded })).resolves.toEqual(succeeded());
    const [created = 0, ...later] = tries;
    expect(later.slice(0, -1).map((at) => at - created)).toEqual([1000, 3000, 7000, 15_000, 31_000]);
    expect(later.at(-1)).toBeGreaterThanOrEqual(SONG_MS);
    expect(unrecorded).toMatchObject([{ taskId: TASK_ID }]);
  });

  test("after an abort it is tried once more, and not later", async () => {
    const { run, tries, clock } = recordingBy(fail);
    const controller = new AbortController();
    const onUpdate = () => controller.abort("left");
    await rejection(run({ signal: controller.signal, onUpdate }), JournalError);
    const { length } = tries;
    await clock.sleep(SONG_MS);
    expect(tries).toHaveLength(length);
  });

  test("the end of a run joins the try that is in progress", async () => {
    const { given: responds, give: respond } = held();
    const { run, tries, clock, entry } = recordingBy((put, now) =>
      now < 1000 ? fail() : responds.then(put),
    );
    const result = run({ onUnrecorded: failIfUnrecorded });
    await vi.waitUntil(() => clock.elapsed() >= SONG_MS);
    await turns(20);
    expect(tries).toHaveLength(2);
    respond();
    await expect(result).resolves.toEqual(succeeded());
    expect(await entry()).toMatchObject({ status: "success" });
  });

  test("an order that was settled, ended and delivered meanwhile stays delivered", async () => {
    const { run, inner, entry } = recordingBy(async (put, now) => {
      if (now >= 1000) return put();
      const { revision = "", ...intent } = (await entry()) ?? {};
      const ended = { state: "submitted", task_id: TASK_ID, submission: null, status: "success" } as const;
      const settled = { ...intent, ...ended, settled: true, acknowledged: true, revision: "delivered" };
      await inner.put(KEY, settled as JournalEntry, revision);
      return fail();
    });
    await expect(run({ onUnrecorded: failIfUnrecorded })).resolves.toEqual(succeeded());
    expect(await entry()).toMatchObject({ revision: "delivered", acknowledged: true, status: "success" });
  });
});

describe("a response of which only the task ID can be read", () => {
  const incomplete = () => Response.json({ code: 202, data: { task_id: TASK_ID } }, { status: 202 });

  test("is recorded by a second try at once", async () => {
    const { run, entry, broken, inner, puts } = journaledWorld(inTurn(incomplete));
    broken.put = (...values) => (puts.length === 2 ? fail() : inner.put(...values));
    expect(await rejection(run(), InvalidResponseError)).toMatchObject({ taskId: TASK_ID });
    expect(await entry()).toMatchObject({ state: "submitted", task_id: TASK_ID });
  });

  test("is an error of the journal that names the task, if both tries fail", async () => {
    const { run, broken, inner } = journaledWorld(inTurn(incomplete));
    broken.put = failAfter(1, inner.put);
    expect(await rejection(run(), JournalError)).toMatchObject({ taskId: TASK_ID, sent: true, cause: away });
  });
});

describe("a clock whose `sleep` throws at once", () => {
  const broken = () => {
    const clock = createTestClock();
    const sleep = () => {
      throw new Error("time is over");
    };
    return { clock, stop: () => void Object.assign(clock, { sleep }) };
  };

  test("leaves no rejection behind while a record fails", async () => {
    const unhandled = watchUnhandledRejections();
    const { clock, stop } = broken();
    const world = journaledWorld(serve, { clock });
    world.broken.put = async (...given) => {
      if (given[1].state === "submitted") stop();
      return failAfter(given[1].state === "intent" ? 1 : 0, world.inner.put)(...given);
    };
    await reasonOf(world.run());
    await turns(3);
    expect(unhandled).not.toHaveBeenCalled();
  });

  test("leaves no rejection behind while a refused intent cannot be removed", async () => {
    const unhandled = watchUnhandledRejections();
    const { clock, stop } = broken();
    const world = journaledWorld(
      () => {
        stop();
        return refusal(402, "insufficient_credits");
      },
      { clock },
    );
    world.broken.delete = fail;
    await rejection(world.run(), JournalError);
    await turns(3);
    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe("while journal and budget are slow", () => {
  /** Each call takes so long, by the client's clock. */
  function slowWorld(ms: Partial<Record<"put" | "get" | "reserve" | "read", number>>) {
    vi.useFakeTimers({ now: START, toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const clock = createTestClock();
    const world = journaledWorld(serveAnew, { clock });
    const slow =
      <Given extends unknown[], Result>(name: keyof typeof ms, call: (...given: Given) => Promise<Result>) =>
      async (...given: Given) => {
        const result = await call(...given);
        clock.jump(ms[name] ?? 0);
        vi.setSystemTime(clock.now());
        return result;
      };
    Object.assign(world.broken, { put: slow("put", world.inner.put), get: slow("get", world.inner.get) });
    const store = memoryStore();
    const slowStore = { ...store, reserve: slow("reserve", store.reserve), read: slow("read", store.read) };
    const budget = budgetOf(slowStore, { maxCredits: 100, per: "total" });
    return { ...world, store, clock, run: () => world.run({ budget, tenant: "acme" }) };
  }

  test.each([
    [{ put: 29_000, get: 29_000, reserve: 29_000 }, true],
    [{ put: 29_000, reserve: 32_000 }, false],
    [{ put: 61_000 }, false],
    [{ reserve: 61_000 }, false],
  ])("a POST is sent within a minute of its intent, or not at all: %j", async (ms, isSent) => {
    const world = slowWorld(ms);
    const at = () => Date.parse(world.puts.find(({ state }) => state === "intent")?.at ?? "") - START;
    if (isSent) {
      await world.run();
      expect((posts(world)[0]?.at ?? 0) - at()).toBeLessThanOrEqual(60_000);
      return;
    }
    const error = await rejection(world.run(), JournalError);
    expect(error).toMatchObject({ sent: false, taskId: null });
    expect(error.message).toContain("took longer than 60 s. Nothing was sent.");
    expect(posts(world)).toEqual([]);
    expect(await world.entry()).toBeNull();
    expect((await world.store.read("acme", "")).open).toEqual([]);
  });
});

test.each([
  ["the emulator's", (clock: Clock) => clock],
  [
    "one around it",
    ({ now, sleep }: Clock) => ({
      now: () => now(),
      sleep: (...given: Parameters<typeof sleep>) => sleep(...given),
    }),
  ],
])(
  "under a virtual clock (%s), which skips while a real database works, no intent is too old",
  async (_, clockOf) => {
    await using emulator = createEmulator({ clock: "virtual" });
    const client = new AsyncMusic({ ...emulator.connection(), clock: clockOf(emulator.clock) });
    const { journal, broken, inner } = createJournalDouble();
    broken.put = async (...given) => {
      if (given[1].state === "intent") await emulator.clock.advance(120_000);
      return inner.put(...given);
    };
    await expect(client.tasks.create(SONG_REQUEST, { journal, journalKey: KEY })).resolves.toBeDefined();
  },
);

describe("if every record fails", () => {
  /** A world whose journal takes the intent only. */
  function unrecordedWorld(answer: Parameters<typeof journaledWorld>[0], cause: Error = away) {
    const world = journaledWorld(answer);
    world.broken.put = failAfter(1, world.inner.put, cause);
    return world;
  }

  test.each([
    ["an error", away],
    ["a JournalError of its own", new JournalError("the database is away", { journalKey: "theirs" })],
  ])("with %s, the run returns the task and calls onUnrecorded", async (_, cause) => {
    const { run } = unrecordedWorld(serve, cause);
    const { seen: unrecorded, note: onUnrecorded } = recorder<JournalError>();
    await expect(run({ onUnrecorded })).resolves.toEqual(succeeded());
    const [error] = unrecorded;
    const common = { name: "JournalError", taskId: TASK_ID, journalKey: KEY };
    expect(unrecorded).toMatchObject([{ ...common, sent: true, cause }]);
    expect(error?.message).toContain("the database is away");
    expect(error?.message).toContain(`settleOutcome(journal, "${KEY}", "${TASK_ID}")`);
  });

  test("another run of the process continues with the task, and records it; another process does not know it", async () => {
    const world = unrecordedWorld(serve);
    await world.run();
    const other = journaledWorld(serve, { inner: world.inner });
    expect((await rejection(other.run(), SubmissionOutcomeUnknownError)).taskId).toBeNull();
    expect(posts(other)).toEqual([]);

    world.broken.put = world.inner.put;
    await expect(world.run()).resolves.toEqual(succeeded());
    expect(await world.entry()).toMatchObject({ state: "submitted", task_id: TASK_ID, status: "success" });
    const again = world.client.tasks.create(SONG_REQUEST, { journal: world.journal, journalKey: KEY });
    expect((await again).task_id).toBe(TASK_ID);
    expect(posts(world)).toHaveLength(1);
  });

  test.each(["create", "run"] as const)(
    "a %s that was aborted in flight logs the error, which names the task: its caller has gone",
    async (method) => {
      const logger = createLog();
      const post = held<Response>();
      const world = createWorld(({ method: sent }) => (sent === "POST" ? post.given : done()), { logger });
      const { journal, broken, inner } = createJournalDouble();
      broken.put = failAfter(1, inner.put);
      const leaving = new AbortController();
      const options = { journal, journalKey: KEY, signal: leaving.signal };
      const left = reasonOf(world.client.tasks[method](SONG_REQUEST, options));
      await vi.waitFor(() => expect(world.requests).toHaveLength(1));
      leaving.abort();
      const message = String(await left);
      expect(message).toContain("`onSubmitted` and the event `submission` still receive the task.");
      post.give(accepted());
      await world.client.tasks.flush();
      await vi.waitFor(() => expect(logger.at("error")).toHaveLength(1));
      expect(JSON.stringify(logger.lines)).toContain(TASK_ID);
    },
  );

  test.each([
    ["a failed task", () => ok(failed()), TaskFailedError],
    ["a wait that took too long", running, WaitTimeoutError],
  ])("the error of %s, which names the task, stays the error", async (_, last, kind) => {
    const { run } = unrecordedWorld(inTurn(accepted, last));
    expect((await rejection<AsyncMusicError>(run({ maxWaitMs: 60_000 }), kind)).taskId).toBe(TASK_ID);
  });

  test.each([
    ["a string", "left"],
    ["the error of another task", new AsyncMusicError("failed", { taskId: "task-of-another" })],
  ])("a run that is aborted with %s rejects with an error that names the task", async (_, reason) => {
    const { run } = unrecordedWorld(inTurn(accepted, running));
    const controller = new AbortController();
    const onUpdate = () => controller.abort(reason);
    const error = await rejection(run({ signal: controller.signal, onUpdate }), JournalError);
    expect(error).toMatchObject({ taskId: TASK_ID, journalKey: KEY, cause: away });
  });
});

test.each([
  ["freed during the POST still gets its task", null],
  ["taken by another process during the POST is left to it, and onUnrecorded is called", INTENT],
  [
    "taken with another request ID is left to its run, too",
    journalEntry("intent", { request_id: "request-2" }),
  ],
  [
    "settled with the task of another request is left so, too",
    journalEntry("submitted", { settled: true, request_id: "request-2", task_id: OTHER_TASK_ID }),
  ],
])("a key that was %s", async (_, taken) => {
  const { seen: unrecorded, note: onUnrecorded } = recorder<JournalError>();
  const { inner, run, entry, write, requests } = journaledWorld(async (request) => {
    if (request.method === "POST") {
      await inner.delete(KEY, (await entry())?.revision ?? "");
      if (taken !== null) await write(taken);
    }
    return serve(request);
  });
  const result = run({ onUnrecorded, requestId: "request-1" });
  await expect(result).resolves.toEqual(succeeded());
  expect(await entry()).toMatchObject(taken ?? { state: "submitted", task_id: TASK_ID });
  expect(unrecorded.map(({ taskId }) => taskId)).toEqual(taken === null ? [] : [TASK_ID]);
  for (const { message } of unrecorded) expect(message).toContain(TASK_ID);
  expect(posts({ requests })).toHaveLength(1);
});

test.each([
  ["this task", 0, { task_id: TASK_ID }],
  ["another task", 1, { task_id: OTHER_TASK_ID, submission: null }],
])(
  "a record that the end of %s replaced before `put` returned is reported %i times as unrecorded",
  async (_, reports, fields) => {
    const { seen: unrecorded, note: onUnrecorded } = recorder<JournalError>();
    const { inner, run, entry, broken } = journaledWorld(serve);
    // The process is suspended after its write, or the response of its database is lost.
    broken.put = async (key, written, previous) => {
      const isPut = await inner.put(key, written, previous);
      if (!isPut || written.state === "intent") return isPut;
      const ended = { ...written, ...fields, revision: "ended", status: "success" } as const;
      await inner.put(key, ended, written.revision);
      return false;
    };
    await expect(run({ onUnrecorded })).resolves.toEqual(succeeded());
    expect(unrecorded).toHaveLength(reports);
    expect(await entry()).toMatchObject({ revision: "ended", ...fields });
  },
);

const ADVICE = "Nothing was sent. Fix the journal, then try again with the same journal key.";

test.each<[string, unknown, string]>([
  ["an error", new Error("db.example is away"), ": db.example is away."],
  ["an error that ends in a full stop", new Error("db.example is away."), ": db.example is away."],
  ["another's JournalError", new JournalError("away", { journalKey: "theirs" }), ": away."],
  ["a string", "away", "."],
  ["nothing", undefined, "."],
])("if the journal throws %s, the message says what failed, and why", async (_, thrown, end) => {
  const refuse = () => Promise.reject(thrown);
  const reasons = new Set<string>();
  for (const method of ["get", "put"] as const) {
    const { broken, settle, write } = journaledWorld(serve);
    await write(INTENT);
    broken[method] = refuse;
    const error = await rejection(settle(TASK_ID), JournalError);
    expect(error).toMatchObject({ journalKey: KEY, taskId: null, sent: false });
    expect(error.cause).toBe(thrown);
    const start = `Journal key "${KEY}": `;
    expect(error.message.startsWith(start)).toBe(true);
    expect(error.message.endsWith(`${end} ${ADVICE}`)).toBe(true);
    reasons.add(error.message.slice(start.length, -`${end} ${ADVICE}`.length));
  }
  expect(reasons.size).toBe(2);
  for (const reason of reasons) expect(reason).toMatch(/^[a-z' ]+[a-z]$/);
});

describe("if the entry has changed while a run records how its task ended", () => {
  /** Another process changes the entry in these fields, just before the run writes the end for the first time. */
  const runAndChange = async (fields: Partial<JournalEntry>) => {
    const { run, broken, inner, entry } = journaledWorld(serve);
    let isChanged = false;
    broken.put = async (key, next, previous) => {
      const isEnd = next.state === "submitted" && next.status !== undefined;
      if (isEnd && !isChanged) {
        isChanged = true;
        const changed = { ...(await inner.get(key)), revision: "changed", ...fields } as JournalEntry;
        await inner.put(key, changed, previous);
      }
      return inner.put(key, next, previous);
    };
    await expect(run()).resolves.toEqual(succeeded());
    return entry();
  };

  test("by the lease of a follower, the end is recorded beside it", async () => {
    const follower = { id: "other", until: "2026-01-01T00:01:00.000Z" };
    const entry = await runAndChange({ follower });
    expect(entry).toMatchObject({ state: "submitted", status: "success", acknowledged: false, follower });
  });

  test.each<[what: string, fields: Partial<JournalEntry>]>([
    ["another task", { task_id: OTHER_TASK_ID, submission: null }],
    ["an intent", { state: "intent" }],
  ])("into %s, it is left alone", async (_, fields) => {
    const entry = await runAndChange(fields);
    expect(entry).toMatchObject({ revision: "changed", ...fields });
    expect(entry).not.toHaveProperty("status");
  });
});

test("the error names both the refusal and the key that can't be freed", async () => {
  const { run, broken } = journaledWorld(() => refusal(402, "insufficient_credits"));
  broken.delete = fail;
  const error = await rejection(run(), JournalError);
  expect(error).toMatchObject({ taskId: null, sent: true, cause: away });
  expect(error.message).toContain(InsufficientCreditsError.name);
  expect(error.message).toContain("settleOutcome(journal, ");
});

test("an abort of a rate-limited POST whose key can't be freed is a JournalError", async () => {
  const { run, broken, clock } = journaledWorld(() => limited(60));
  broken.delete = () => Promise.reject("away");
  const error = await rejection(run({ signal: abortedAfter(clock, 30_000) }), JournalError);
  expect(error).toMatchObject({ taskId: null, sent: true, cause: "away" });
  expect(error.message).toContain("settleOutcome(journal, ");
});

test("a key that can't be freed after a refusal is tried again later, until other processes can use it", async () => {
  const { run, broken, inner, entry, clock } = journaledWorld(() => refusal(402, "insufficient_credits"));
  broken.delete = fail;
  await rejection(run(), JournalError);
  await clock.sleep(15_000);
  expect(await entry()).toMatchObject({ state: "intent" });
  broken.delete = inner.delete;
  await clock.sleep(17_000);
  expect(await entry()).toBeNull();
});

test("a journal whose delete returns nothing is read to check that the key is free", async () => {
  const { run, broken, inner, calls } = journaledWorld(() => refusal(402, "insufficient_credits"));
  // @ts-expect-error A journal in JavaScript may answer nothing.
  broken.delete = async (...call) => void (await inner.delete(...call));
  await rejection(run(), InsufficientCreditsError);
  expect(calls).toEqual(["get", "put", "delete", "get"]);
});

test("a journal whose delete returns nothing and keeps the entry does not hold the key in this process", async () => {
  const { run, broken } = journaledWorld(inTurn(refusal(402, "insufficient_credits"), accepted, done));
  // @ts-expect-error A journal in JavaScript may answer nothing.
  broken.delete = async () => {};
  await rejection(run(), InsufficientCreditsError);
  await expect(run()).resolves.toEqual(succeeded());
});

describe("a journal that never answers", () => {
  const wait = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  /** A world whose journal takes so many entries, and then hangs. */
  function hangingAfter(taken: number) {
    const world = journaledWorld(serve);
    const { broken, inner, puts } = world;
    broken.put = (...entry) => (puts.length <= taken ? inner.put(...entry) : hang());
    const untilThirdPut = () => vi.waitUntil(() => puts.length === 3, { timeout: 60_000 });
    const { seen: unrecorded, note: onUnrecorded } = recorder<JournalError>();
    return { ...world, unrecorded, result: world.run({ onUnrecorded }), untilThirdPut };
  }

  test.each<[method: "get" | "put", call: "run" | "settle"]>([
    ["get", "run"],
    ["put", "run"],
    ["get", "settle"],
  ])("fails after thirty seconds, and nothing is sent: `%s` in `%s`", async (method, call) => {
    const { run, settle, broken, entry, requests } = journaledWorld(serve);
    broken[method] = hang;
    let hasEnded = false;
    const ended = reasonOf(call === "run" ? run() : settle(TASK_ID)).finally(() => {
      hasEnded = true;
    });
    await wait(29_999);
    expect(hasEnded).toBe(false);
    await wait(1);
    const error = await ended;
    expect(error).toBeInstanceOf(JournalError);
    expect(error).toMatchObject({ taskId: null, message: expect.stringContaining("30000 ms") });
    expect(requests).toEqual([]);
    expect(await entry()).toBeNull();
    expect(vi.getTimerCount()).toBe(0);
  });

  test("does not keep a run from its created task, and onUnrecorded is called", async () => {
    const { result, unrecorded, puts } = hangingAfter(1);
    // The intent, the record, and as many tries to record it again as fit into the time of the task.
    for (let put = 2; unrecorded.length === 0; put++) {
      await vi.waitUntil(() => puts.length >= put || unrecorded.length > 0, { timeout: 60_000 });
      await wait(30_000);
    }
    await expect(result).resolves.toEqual(succeeded());
    expect(unrecorded).toMatchObject([{ taskId: TASK_ID, journalKey: KEY }]);
  });

  test("delays a finished task by at most a second, and leaves no timer", async () => {
    const { result, unrecorded, untilThirdPut } = hangingAfter(2);
    await untilThirdPut();
    await wait(1000);
    await expect(result).resolves.toEqual(succeeded());
    expect(unrecorded).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("does not block a batch permanently, even with maxCredits", async () => {
    const { client, journal, broken, inner } = journaledWorld(serve);
    broken.get = (key) => (key === KEY ? hang() : inner.get(key));
    const batch = client.tasks.runAll([SONG_REQUEST, SONG_REQUEST], {
      journal,
      journalKey: (_, index) => (index === 0 ? KEY : "order-2"),
      maxCredits: 20,
    });
    const ended: unknown[] = [];
    const reading = (async () => {
      for await (const { task, error } of batch) ended.push(task?.status ?? error?.constructor);
    })();
    await wait(30_000);
    await vi.waitUntil(() => ended.length === 1);
    await wait(30_000);
    await reading;
    expect(ended).toEqual(["success", JournalError]);
  });
});
