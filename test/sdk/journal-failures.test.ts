import {
  AsyncMusicError,
  InsufficientCreditsError,
  type Journal,
  JournalError,
  memoryJournal,
  SubmissionOutcomeUnknownError,
  settleOutcome,
  TaskFailedError,
  WaitTimeoutError,
} from "async-music";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  accepted,
  failed,
  limited,
  ok,
  refusal,
  SONG_REQUEST,
  succeeded,
  TASK_ID,
  task,
} from "../support/answers.js";
import { journalEntry, posts } from "../support/journals.js";
import { reasonOf, rejection } from "../support/rejection.js";
import { createWorld, inTurn, type SeenRequest } from "../support/world.js";

const KEY = "order-1";
const done = () => ok(succeeded());
const submit = () => accepted();
const serve = ({ method }: SeenRequest) => (method === "POST" ? accepted() : done());
const away = new Error("the database is away");
const fail = () => Promise.reject(away);

/** A journal that works until a test breaks one of its methods. */
function breakable() {
  const inner = memoryJournal();
  const broken: Partial<Journal> = {};
  const journal: Journal = {
    get: (...call) => (broken.get ?? inner.get)(...call),
    put: (...call) => (broken.put ?? inner.put)(...call),
    delete: (...call) => (broken.delete ?? inner.delete)(...call),
  };
  return { inner, broken, options: { journal, journalKey: KEY } };
}

test.each(["get", "put"] as const)(
  "a journal whose %s throws before the POST: nothing is sent",
  async (method) => {
    const { broken, options, inner } = breakable();
    const { client, requests } = createWorld(serve);
    broken[method] = fail;
    const error = await rejection(client.tasks.run(SONG_REQUEST, options), JournalError);
    expect(error).toMatchObject({ journalKey: KEY, taskId: null, cause: away });
    expect(error.message).toContain(`"${KEY}"`);
    expect(error.message).toContain("the database is away");
    expect(requests).toEqual([]);
    expect(await inner.get(KEY)).toBeNull();
  },
);

test("an intent that was written although its put threw does not hold the key", async () => {
  const { broken, options, inner } = breakable();
  const { client, requests } = createWorld(serve);
  broken.put = async (...entry) => {
    await inner.put(...entry);
    throw away;
  };
  await rejection(client.tasks.run(SONG_REQUEST, options), JournalError);
  expect(await inner.get(KEY)).toBeNull();
  expect(requests).toEqual([]);
});

test("a database that wrote the intent and then says it was there already is not in its own way", async () => {
  const { broken, options, inner } = breakable();
  const { client } = createWorld(serve);
  broken.put = async (...entry) => {
    await inner.put(...entry);
    return inner.put(...entry);
  };
  await expect(client.tasks.run(SONG_REQUEST, options)).resolves.toEqual(succeeded());
  expect(await inner.get(KEY)).toMatchObject({ state: "submitted" });
});

test.each<[string, unknown]>([
  ["text", "entry"],
  ["an empty object", {}],
  ["a list", []],
  ["an unknown state", { ...journalEntry("intent"), state: "done" }],
  ["an entry without a revision", { ...journalEntry("intent"), revision: undefined }],
  ["an entry without the request", { ...journalEntry("intent"), request: undefined }],
  ["an entry whose request has no name", { ...journalEntry("intent"), request_id: 1 }],
  ["an entry without its time", { ...journalEntry("intent"), at: null }],
  ["an entry with half a count", { ...journalEntry("intent"), tasks_created: 1.5 }],
  ["an entry whose count is text", { ...journalEntry("intent"), tasks_created: "7" }],
  ["an entry without a count", { ...journalEntry("intent"), tasks_created: undefined }],
  ["a record in an unknown state", { ...journalEntry("submitted"), state: "done" }],
  ["a record whose task has a number", { ...journalEntry("submitted"), task_id: 7 }],
  ["a record that does not say what was answered", { ...journalEntry("submitted"), submission: undefined }],
  ["a record of a text", { ...journalEntry("submitted"), submission: TASK_ID }],
  ["a record without a task", { ...journalEntry("submitted"), task_id: "" }],
  ["a record of two tasks", { ...journalEntry("submitted"), submission: { task_id: "other" } }],
])("a journal that answers %s is an error, and never a POST", async (_, entry) => {
  const { broken, options } = breakable();
  const { client, requests } = createWorld(serve);
  broken.get = async () => entry as never;
  await rejection(client.tasks.run(SONG_REQUEST, options), JournalError);
  expect(requests).toEqual([]);
});

test("a database that takes no entry and holds none is given up after two seconds, and nothing is sent", async () => {
  const { broken, options } = breakable();
  const { client, clock, requests } = createWorld(serve);
  let puts = 0;
  broken.put = async () => {
    if (puts++ > 100) throw new Error("asked without a pause");
    return false;
  };
  const error = await rejection(client.tasks.run(SONG_REQUEST, options), JournalError);
  expect(error.taskId).toBeNull();
  expect(error.cause).toBeUndefined();
  expect(puts).toBe(9);
  expect(clock.elapsed()).toBe(2000);
  expect(requests).toEqual([]);
});

test("a database that is read from a copy, which comes behind, is looked at until it shows the entry", async () => {
  const { broken, options, inner } = breakable();
  const world = createWorld(done);
  await inner.put(KEY, journalEntry("submitted"), null);
  broken.get = async (key) => (world.clock.elapsed() < 1000 ? null : inner.get(key));
  await expect(world.client.tasks.run(SONG_REQUEST, options)).resolves.toEqual(succeeded());
  expect(posts(world)).toEqual([]);
});

test("a record that fails after the POST is written when the run ends, and the song is answered", async () => {
  const { broken, options, inner } = breakable();
  const { client } = createWorld(inTurn(submit, ok(task()), done));
  const onUpdate = () => {
    delete broken.put;
  };
  const onSubmitted = async () => expect(await inner.get(KEY)).toMatchObject({ state: "intent" });
  broken.put = failAfter(1, inner.put);
  const run = client.tasks.run(SONG_REQUEST, { ...options, onSubmitted, onUpdate, onUnrecorded });
  await expect(run).resolves.toEqual(succeeded());
  expect(await inner.get(KEY)).toMatchObject({ state: "submitted", task_id: TASK_ID });
});

test("a record that fails to the end: the song is answered, and onUnrecorded hears of it", async () => {
  const { broken, options, inner } = breakable();
  const { client } = createWorld(serve);
  const heard: JournalError[] = [];
  broken.put = failAfter(1, inner.put);
  const run = client.tasks.run(SONG_REQUEST, { ...options, onUnrecorded: (error) => void heard.push(error) });
  await expect(run).resolves.toEqual(succeeded());
  expect(heard).toHaveLength(1);
  expect(heard[0]).toMatchObject({ name: "JournalError", taskId: TASK_ID, journalKey: KEY, cause: away });
  expect(heard[0]?.message).toContain(`client.tasks.wait("${TASK_ID}")`);

  const again = await rejection(client.tasks.run(SONG_REQUEST, options), SubmissionOutcomeUnknownError);
  expect(again.taskId).toBeNull();
});

test("a record that fails to the end: an error that names the task stays the error", async () => {
  for (const [last, kind] of [
    [() => ok(failed()), TaskFailedError],
    [() => ok(task()), WaitTimeoutError],
  ] as const) {
    const { broken, options, inner } = breakable();
    const { client } = createWorld(inTurn(submit, last));
    broken.put = failAfter(1, inner.put);
    const error = await rejection(client.tasks.run(SONG_REQUEST, { ...options, maxWaitMs: 60_000 }), kind);
    expect(error.taskId).toBe(TASK_ID);
  }
});

test.each([
  ["a text", "left"],
  ["the error of another task", new AsyncMusicError("failed", { taskId: "task-of-another" })],
])(
  "a record that fails to the end: an abort with %s gives way to an error that names the task",
  async (_, reason) => {
    const { broken, options, inner } = breakable();
    const controller = new AbortController();
    const { client } = createWorld(inTurn(submit, ok(task())));
    broken.put = failAfter(1, inner.put);
    const onUpdate = () => controller.abort(reason);
    const run = client.tasks.run(SONG_REQUEST, { ...options, signal: controller.signal, onUpdate });
    const error = await rejection(run, JournalError);
    expect(error).toMatchObject({ taskId: TASK_ID, journalKey: KEY, cause: away });
  },
);

test("a key that was freed during the POST gets its task all the same", async () => {
  const { options, inner } = breakable();
  const { client } = createWorld(async (request) => {
    const entry = await inner.get(KEY);
    if (request.method === "POST") await inner.delete(KEY, entry?.revision ?? "");
    return serve(request);
  });
  await client.tasks.run(SONG_REQUEST, { ...options, onUnrecorded });
  expect(await inner.get(KEY)).toMatchObject({ state: "submitted", task_id: TASK_ID });
});

test("a key that somebody else has taken during the POST is left to them, and onUnrecorded hears of it", async () => {
  const { options, inner } = breakable();
  const heard: JournalError[] = [];
  const world = createWorld(async (request) => {
    const entry = await inner.get(KEY);
    if (request.method === "POST") {
      await inner.delete(KEY, entry?.revision ?? "");
      await inner.put(KEY, journalEntry("intent"), null);
    }
    return serve(request);
  });
  const run = world.client.tasks.run(SONG_REQUEST, {
    ...options,
    onUnrecorded: (error) => void heard.push(error),
  });
  await expect(run).resolves.toEqual(succeeded());
  expect(heard[0]?.message).toContain(TASK_ID);
  expect(await inner.get(KEY)).toEqual(journalEntry("intent"));
  expect(posts(world)).toHaveLength(1);
});

test("a refusal whose key can't be freed says both", async () => {
  const { broken, options } = breakable();
  const { client } = createWorld(() => refusal(402, "insufficient_credits"));
  broken.delete = fail;
  const error = await rejection(client.tasks.run(SONG_REQUEST, options), JournalError);
  expect(error).toMatchObject({ taskId: null, cause: away });
  expect(error.message).toContain(InsufficientCreditsError.name);
  expect(error.message).toContain("settleOutcome(journal, ");
});

test.each<[string, unknown, string]>([
  ["an error", new Error("db.example is away"), ": db.example is away."],
  ["an error that ends in a full stop", new Error("db.example is away."), ": db.example is away."],
  ["another's JournalError", new JournalError("away", { journalKey: "theirs" }), ": away."],
  ["a text", "away", "."],
  ["nothing", undefined, "."],
])("a journal that throws %s: the message says what failed, and why", async (_, thrown, end) => {
  const refuse = () => Promise.reject(thrown);
  const reasons = new Set<string>();
  for (const method of ["get", "put"] as const) {
    const { broken, options, inner } = breakable();
    await inner.put(KEY, journalEntry("intent"), null);
    broken[method] = refuse;
    const error = await rejection(settleOutcome(options.journal, KEY, TASK_ID), JournalError);
    expect(error).toMatchObject({ journalKey: KEY, taskId: null });
    expect(error.cause).toBe(thrown);
    const start = `Failed to keep the journal under "${KEY}": `;
    expect(error.message.startsWith(start)).toBe(true);
    expect(error.message.endsWith(end)).toBe(true);
    reasons.add(error.message.slice(start.length, -end.length));
  }
  expect(reasons.size).toBe(2);
  for (const reason of reasons) expect(reason).toMatch(/^[a-z' ]+[a-z]$/);
});

test("a JournalError of the journal's own, once the task exists: the reason is not lost", async () => {
  const { broken, options, inner } = breakable();
  const { client } = createWorld(serve);
  const heard: JournalError[] = [];
  const full = new JournalError("the disk is full", { journalKey: "theirs" });
  let puts = 0;
  broken.put = (...entry) => (puts++ === 0 ? inner.put(...entry) : Promise.reject(full));
  await client.tasks.run(SONG_REQUEST, { ...options, onUnrecorded: (error) => void heard.push(error) });
  expect(heard[0]).toMatchObject({ taskId: TASK_ID, journalKey: KEY, cause: full });
  expect(heard[0]?.message).toContain("the disk is full");
});

test("an abort that leaves a limited POST, and whose key can't be freed, says so", async () => {
  const { broken, options } = breakable();
  const controller = new AbortController();
  const { client, clock } = createWorld(() => limited(60));
  broken.delete = () => Promise.reject("away");
  void clock.sleep(30_000).then(() => controller.abort("left"));
  const run = client.tasks.run(SONG_REQUEST, { ...options, signal: controller.signal });
  const error = await rejection(run, JournalError);
  expect(error).toMatchObject({ taskId: null, cause: "away" });
  expect(error.message).toContain("settleOutcome(journal, ");
});

describe("a journal that never answers", () => {
  const hang = () => new Promise<never>(() => {});
  const wait = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  afterEach(() => void vi.useRealTimers());

  test.each(["get", "put"] as const)(
    "has failed after thirty seconds, and nothing is sent: %s",
    async (method) => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      const { broken, options, inner } = breakable();
      const { client, requests } = createWorld(serve);
      broken[method] = hang;
      let hasEnded = false;
      const ended = reasonOf(client.tasks.run(SONG_REQUEST, options)).finally(() => {
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
    },
  );

  test("keeps nobody from a song that is paid for: onUnrecorded hears of its task", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { broken, options, inner } = breakable();
    const { client } = createWorld(serve);
    const heard: JournalError[] = [];
    let puts = 0;
    broken.put = (...entry) => (puts++ === 0 ? inner.put(...entry) : hang());
    const run = client.tasks.run(SONG_REQUEST, {
      ...options,
      onUnrecorded: (error) => void heard.push(error),
    });
    await wait(30_000);
    await vi.waitUntil(() => puts === 3, { timeout: 60_000 });
    await wait(30_000);
    await expect(run).resolves.toEqual(succeeded());
    expect(heard).toMatchObject([{ taskId: TASK_ID, journalKey: KEY }]);
  });

  test("delays a finished song by a second at most, and leaves no timer", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { broken, options, inner } = breakable();
    const { client } = createWorld(serve);
    let puts = 0;
    broken.put = (...entry) => (++puts < 3 ? inner.put(...entry) : hang());
    let isUnrecorded = false;
    const onUnrecorded = () => {
      isUnrecorded = true;
    };
    const run = client.tasks.run(SONG_REQUEST, { ...options, onUnrecorded });
    await vi.waitUntil(() => puts === 3, { timeout: 60_000 });
    await wait(1000);
    await expect(run).resolves.toEqual(succeeded());
    expect(isUnrecorded).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("holds no batch back for good, with a ceiling too", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { broken, options, inner } = breakable();
    const { client } = createWorld(serve);
    broken.get = (key) => (key === KEY ? hang() : inner.get(key));
    const batch = client.tasks.runAll([SONG_REQUEST, SONG_REQUEST], {
      journal: options.journal,
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

  test("keeps no outcome to itself: settleOutcome rejects too", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { broken, options } = breakable();
    broken.get = hang;
    const ended = reasonOf(settleOutcome(options.journal, KEY, TASK_ID));
    await wait(30_000);
    expect(await ended).toBeInstanceOf(JournalError);
  });
});

test("a journal that doesn't say whether it has freed a key is asked what it holds", async () => {
  const { broken, options, inner } = breakable();
  // @ts-expect-error A journal in JavaScript may answer nothing.
  broken.delete = async (...call) => void (await inner.delete(...call));
  const { client } = createWorld(() => refusal(402, "insufficient_credits"));
  await rejection(client.tasks.run(SONG_REQUEST, options), InsufficientCreditsError);
});

function onUnrecorded(): never {
  return expect.fail("It was recorded");
}

/** Lets so many calls through, and fails those that follow. */
function failAfter(calls: number, put: Journal["put"]): Journal["put"] {
  let left = calls;
  return (...entry) => (left-- > 0 ? put(...entry) : fail());
}
