import {
  AsyncMusicError,
  InsufficientCreditsError,
  type Journal,
  JournalConflictError,
  JournalError,
  memoryJournal,
  type RunOptions,
  SubmissionOutcomeUnknownError,
  settleOutcome,
  TaskFailedError,
  WaitTimeoutError,
} from "async-music";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { abortedAfter } from "../support/abort.js";
import {
  accepted,
  done,
  failed,
  limited,
  OTHER_TASK_ID,
  ok,
  refusal,
  SONG_REQUEST,
  serve,
  succeeded,
  TASK_ID,
  task,
} from "../support/answers.js";
import { recorder } from "../support/collect.js";
import { journalEntry, posts } from "../support/journals.js";
import { reasonOf, rejection } from "../support/rejection.js";
import { createWorld, inTurn } from "../support/world.js";

const KEY = "order-1";
const away = new Error("the database is away");
const fail = () => Promise.reject(away);

/** A client whose runs use one key of a journal that works until a test breaks one of its methods. */
function breakable(answer: Parameters<typeof createWorld>[0] = serve) {
  const inner = memoryJournal();
  const broken: Partial<Journal> = {};
  const journal: Journal = {
    get: (...call) => (broken.get ?? inner.get)(...call),
    put: (...call) => (broken.put ?? inner.put)(...call),
    delete: (...call) => (broken.delete ?? inner.delete)(...call),
  };
  const world = createWorld(answer);
  const run = (options: RunOptions = {}) =>
    world.client.tasks.run(SONG_REQUEST, { journal, journalKey: KEY, ...options });
  return { ...world, inner, broken, journal, run };
}

const METHODS = ["get", "put"] as const;
test.each(METHODS)("if `%s` throws before the POST, nothing is sent", async (method) => {
  const { run, broken, inner, requests } = breakable();
  broken[method] = fail;
  const error = await rejection(run(), JournalError);
  expect(error).toMatchObject({ journalKey: KEY, taskId: null, cause: away });
  expect(error.message).toContain(`"${KEY}"`);
  expect(error.message).toContain("the database is away");
  expect(requests).toEqual([]);
  expect(await inner.get(KEY)).toBeNull();
});

test("a run rejects with the conflict that `put` throws, and sends nothing", async () => {
  const { run, broken, requests } = breakable();
  const conflict = new JournalConflictError("planned with another request", { journalKey: KEY });
  broken.put = () => Promise.reject(conflict);
  expect(await rejection(run(), JournalConflictError)).toBe(conflict);
  expect(requests).toEqual([]);
});

test("an intent that was written although put threw is removed", async () => {
  const { run, broken, inner, requests } = breakable();
  broken.put = async (...entry) => {
    await inner.put(...entry);
    throw away;
  };
  await rejection(run(), JournalError);
  expect(await inner.get(KEY)).toBeNull();
  expect(requests).toEqual([]);
});

test("a put that wrote the intent and returned false counts as written", async () => {
  const { run, broken, inner } = breakable();
  broken.put = async (...entry) => {
    await inner.put(...entry);
    return inner.put(...entry);
  };
  await expect(run()).resolves.toEqual(succeeded());
  expect(await inner.get(KEY)).toMatchObject({ state: "submitted" });
});

test.each<[string, unknown]>([
  ["a string", "entry"],
  ["an empty object", {}],
  ["a list", []],
  ["an unknown state", { ...journalEntry("intent"), state: "done" }],
  ["an entry without a revision", { ...journalEntry("intent"), revision: undefined }],
  ["an entry without the request", { ...journalEntry("intent"), request: undefined }],
  ["an entry whose request id is a number", { ...journalEntry("intent"), request_id: 1 }],
  ["an entry without its time", { ...journalEntry("intent"), at: null }],
  ["an entry with half a count", { ...journalEntry("intent"), tasks_created: 1.5 }],
  ["an entry whose count is a string", { ...journalEntry("intent"), tasks_created: "7" }],
  ["an entry without a count", { ...journalEntry("intent"), tasks_created: undefined }],
  ...[null, "30000", -1, 0, Number.NaN, Number.POSITIVE_INFINITY].map((timeout_ms): [string, unknown] => [
    `an entry whose time limit is ${JSON.stringify(timeout_ms)} (${String(timeout_ms)})`,
    { ...journalEntry("intent"), timeout_ms },
  ]),
  ["a record in an unknown state", { ...journalEntry("submitted"), state: "done" }],
  ["a record whose task id is a number", { ...journalEntry("submitted"), task_id: 7 }],
  ["a record without a submission", { ...journalEntry("submitted"), submission: undefined }],
  ["a record whose submission is a string", { ...journalEntry("submitted"), submission: TASK_ID }],
  ["a record without a task", { ...journalEntry("submitted"), task_id: "" }],
  ["a record of two tasks", { ...journalEntry("submitted"), submission: { task_id: "other" } }],
])("if get returns %s, the run fails and sends no POST", async (_, entry) => {
  const { run, broken, requests } = breakable();
  broken.get = async () => entry as never;
  await rejection(run(), JournalError);
  expect(requests).toEqual([]);
});

test("if put returns false and get returns null, the run fails after two seconds and sends nothing", async () => {
  const { run, broken, clock, requests } = breakable();
  let puts = 0;
  broken.put = async () => {
    if (puts++ > 100) throw new Error("called without a pause");
    return false;
  };
  const error = await rejection(run(), JournalError);
  expect(error).toMatchObject({ taskId: null, sent: false });
  expect(error.cause).toBeUndefined();
  expect(error.message).toContain("No task was created by this run. Check that");
  expect(error.message).toContain("does not read from a stale replica");
  expect(puts).toBe(9);
  expect(clock.elapsed()).toBe(2000);
  expect(requests).toEqual([]);
});

test("a stale replica is read again until it shows the entry", async () => {
  const { run, broken, inner, ...world } = breakable(done);
  await inner.put(KEY, journalEntry("submitted"), null);
  broken.get = async (key) => (world.clock.elapsed() < 1000 ? null : inner.get(key));
  await expect(run()).resolves.toEqual(succeeded());
  expect(posts(world)).toEqual([]);
});

test("a record that fails after the POST is written when the run ends, and the run returns the task", async () => {
  const { run, broken, inner } = breakable(inTurn(accepted(), ok(task()), done));
  const onUpdate = () => {
    delete broken.put;
  };
  const onSubmitted = async () => expect(await inner.get(KEY)).toMatchObject({ state: "intent" });
  broken.put = failAfter(1, inner.put);
  const running = run({ onSubmitted, onUpdate, onUnrecorded: failIfUnrecorded });
  await expect(running).resolves.toEqual(succeeded());
  expect(await inner.get(KEY)).toMatchObject({ state: "submitted", task_id: TASK_ID });
});

test.each([
  ["an error", away],
  ["a JournalError of its own", new JournalError("the database is away", { journalKey: "theirs" })],
])("if every record fails with %s, the run returns the task and calls onUnrecorded", async (_, cause) => {
  const { run, broken, inner } = breakable();
  const { seen: unrecorded, note: onUnrecorded } = recorder<JournalError>();
  broken.put = failAfter(1, inner.put, cause);
  const running = run({ onUnrecorded });
  await expect(running).resolves.toEqual(succeeded());
  expect(unrecorded).toMatchObject([
    { name: "JournalError", taskId: TASK_ID, sent: true, journalKey: KEY, cause },
  ]);
  expect(unrecorded[0]?.message).toContain("the database is away");
  expect(unrecorded[0]?.message).toContain(`client.tasks.wait("${TASK_ID}")`);

  const again = await rejection(run(), SubmissionOutcomeUnknownError);
  expect(again.taskId).toBeNull();
});

test("if every record fails, an error that names the task stays the error", async () => {
  for (const [last, kind] of [
    [() => ok(failed()), TaskFailedError],
    [() => ok(task()), WaitTimeoutError],
  ] as const) {
    const { run, broken, inner } = breakable(inTurn(accepted(), last));
    broken.put = failAfter(1, inner.put);
    const error = await rejection(run({ maxWaitMs: 60_000 }), kind);
    expect(error.taskId).toBe(TASK_ID);
  }
});

test.each([
  ["a string", "left"],
  ["the error of another task", new AsyncMusicError("failed", { taskId: "task-of-another" })],
])(
  "if every record fails, a run that is aborted with %s rejects with an error that names the task",
  async (_, reason) => {
    const { run, broken, inner } = breakable(inTurn(accepted(), ok(task())));
    const controller = new AbortController();
    broken.put = failAfter(1, inner.put);
    const onUpdate = () => controller.abort(reason);
    const running = run({ signal: controller.signal, onUpdate });
    const error = await rejection(running, JournalError);
    expect(error).toMatchObject({ taskId: TASK_ID, journalKey: KEY, cause: away });
  },
);

test("a key that was freed during the POST still gets its task", async () => {
  const { inner, run } = breakable(async (request) => {
    const entry = await inner.get(KEY);
    if (request.method === "POST") await inner.delete(KEY, entry?.revision ?? "");
    return serve(request);
  });
  await run({ onUnrecorded: failIfUnrecorded });
  expect(await inner.get(KEY)).toMatchObject({ state: "submitted", task_id: TASK_ID });
});

test("a key that another process took during the POST is left to it, and onUnrecorded is called", async () => {
  const { seen: unrecorded, note: onUnrecorded } = recorder<JournalError>();
  const { inner, run, requests } = breakable(async (request) => {
    const entry = await inner.get(KEY);
    if (request.method === "POST") {
      await inner.delete(KEY, entry?.revision ?? "");
      await inner.put(KEY, journalEntry("intent"), null);
    }
    return serve(request);
  });
  const running = run({ onUnrecorded });
  await expect(running).resolves.toEqual(succeeded());
  expect(unrecorded[0]?.message).toContain(TASK_ID);
  expect(await inner.get(KEY)).toEqual(journalEntry("intent"));
  expect(posts({ requests })).toHaveLength(1);
});

test.each([
  ["this task", { task_id: TASK_ID }, false],
  ["another task", { task_id: OTHER_TASK_ID }, true],
])(
  "a record that another process replaced by the end of %s before `put` returned: is it unrecorded?",
  async (_, fields, isUnrecorded) => {
    const { seen: unrecorded, note: onUnrecorded } = recorder<JournalError>();
    const { inner, run, broken } = breakable(serve);
    // The process is suspended after its write, or the response of its database is lost.
    broken.put = async (key, entry, previous) => {
      const isPut = await inner.put(key, entry, previous);
      if (!isPut || entry.state === "intent") return isPut;
      await inner.put(key, { ...entry, ...fields, revision: "ended", status: "success" }, entry.revision);
      return false;
    };
    await expect(run({ onUnrecorded })).resolves.toEqual(succeeded());
    expect(unrecorded).toHaveLength(isUnrecorded ? 1 : 0);
    expect(await inner.get(KEY)).toMatchObject({ revision: "ended", ...fields });
  },
);

test("the error names both the refusal and the key that can't be freed", async () => {
  const { run, broken } = breakable(() => refusal(402, "insufficient_credits"));
  broken.delete = fail;
  const error = await rejection(run(), JournalError);
  expect(error).toMatchObject({ taskId: null, sent: true, cause: away });
  expect(error.message).toContain(InsufficientCreditsError.name);
  expect(error.message).toContain("settleOutcome(journal, ");
});

const ADVICE = "Nothing was sent. Fix the journal, then try again with the same key.";

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
    const { broken, journal, inner } = breakable();
    await inner.put(KEY, journalEntry("intent"), null);
    broken[method] = refuse;
    const error = await rejection(settleOutcome(journal, KEY, TASK_ID), JournalError);
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

test("an abort of a rate-limited POST whose key can't be freed is a JournalError", async () => {
  const { run, broken, clock } = breakable(() => limited(60));
  broken.delete = () => Promise.reject("away");
  const running = run({ signal: abortedAfter(clock, 30_000) });
  const error = await rejection(running, JournalError);
  expect(error).toMatchObject({ taskId: null, sent: true, cause: "away" });
  expect(error.message).toContain("settleOutcome(journal, ");
});

describe("a journal that never answers", () => {
  const hang = () => new Promise<never>(() => {});
  const wait = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  test.each([
    ["get", "run"],
    ["put", "run"],
    ["get", "settleOutcome"],
  ] as const)("fails after thirty seconds, and nothing is sent: `%s` in `%s`", async (method, call) => {
    const { run, broken, journal, inner, requests } = breakable();
    broken[method] = hang;
    let hasEnded = false;
    const work = call === "run" ? run() : settleOutcome(journal, KEY, TASK_ID);
    const ended = reasonOf(work).finally(() => {
      hasEnded = true;
    });
    await wait(29_999);
    expect(hasEnded).toBe(false);
    await wait(1);
    const error = await ended;
    expect(error).toBeInstanceOf(JournalError);
    expect(error).toMatchObject({ taskId: null, message: expect.stringContaining("30000 ms") });
    expect(requests).toEqual([]);
    expect(await inner.get(KEY)).toBeNull();
    expect(vi.getTimerCount()).toBe(0);
  });

  test("does not keep a run from its created task, and onUnrecorded is called", async () => {
    const { run, broken, inner } = breakable();
    const { seen: unrecorded, note: onUnrecorded } = recorder<JournalError>();
    let puts = 0;
    broken.put = (...entry) => (puts++ === 0 ? inner.put(...entry) : hang());
    const running = run({ onUnrecorded });
    await wait(30_000);
    await vi.waitUntil(() => puts === 3, { timeout: 60_000 });
    await wait(30_000);
    await expect(running).resolves.toEqual(succeeded());
    expect(unrecorded).toMatchObject([{ taskId: TASK_ID, journalKey: KEY }]);
  });

  test("delays a finished task by at most a second, and leaves no timer", async () => {
    const { run, broken, inner } = breakable();
    let puts = 0;
    broken.put = (...entry) => (++puts < 3 ? inner.put(...entry) : hang());
    let isUnrecorded = false;
    const onUnrecorded = () => {
      isUnrecorded = true;
    };
    const running = run({ onUnrecorded });
    await vi.waitUntil(() => puts === 3, { timeout: 60_000 });
    await wait(1000);
    await expect(running).resolves.toEqual(succeeded());
    expect(isUnrecorded).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("does not block a batch permanently, even with maxCredits", async () => {
    const { client, journal, broken, inner } = breakable();
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

test("a journal whose delete returns nothing is read to check that the key is free", async () => {
  const { run, broken, inner } = breakable(() => refusal(402, "insufficient_credits"));
  // @ts-expect-error A journal in JavaScript may answer nothing.
  broken.delete = async (...call) => void (await inner.delete(...call));
  await rejection(run(), InsufficientCreditsError);
});

function failIfUnrecorded(): never {
  return expect.fail("It was recorded");
}

/** Lets so many calls through, and fails those that follow. */
function failAfter(calls: number, put: Journal["put"], error: Error = away): Journal["put"] {
  let left = calls;
  return (...entry) => (left-- > 0 ? put(...entry) : Promise.reject(error));
}
