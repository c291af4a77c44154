import {
  CreditCeilingError,
  InsufficientCreditsError,
  InvalidRequestError,
  type Journal,
  JournalError,
  memoryJournal,
  TaskFailedError,
  type TaskRequest,
  WaitTimeoutError,
} from "async-music";
import { describe, expect, test } from "vitest";
import {
  batchWorld,
  CHEAP,
  errorsOf,
  journalKey,
  promptKey,
  refusedIn,
  song,
  songs,
} from "../support/batch-world.js";
import { all } from "../support/collect.js";
import { journalEntry, posts } from "../support/journals.js";
import { accepted, refusal, serve } from "../support/responses.js";
import { turns } from "../support/test-clock.js";
import { createWorld } from "../support/world.js";

/** The options of a batch with a journal, one request after the other. */
const journaled = (journal: Journal = memoryJournal()) => ({ journal, journalKey, concurrency: 1 });

test("requests that exceed maxCredits are refused before they are sent, and the others are sent", async () => {
  const world = batchWorld();
  const lyrics = { model: "provider_a", task_type: "lyrics", input: { prompt: "rain" } } as const;
  const seen = await world.runAll([...songs("5", "5", "5"), lyrics], { maxCredits: 25, concurrency: 4 });
  const error = { credits: 10, spentCredits: 20, maxCredits: 25 };
  expect(refusedIn(seen)).toMatchObject([{ index: 2, error }]);
  expect(posts(world)).toHaveLength(3);
});

test("a request without a known price does not disable maxCredits for later requests", async () => {
  const nonsense = { model: "__proto__", task_type: "toString", input: {} } as unknown as TaskRequest;
  const seen = await batchWorld().runAll([nonsense, ...songs("5", "5")], { maxCredits: 10, concurrency: 1 });
  expect(errorsOf(seen)).toEqual([InvalidRequestError, undefined, CreditCeilingError]);
});

test.each([
  ["failed", "1 fails", true],
  ["timed out", "1 times out", true],
  ["was refused for lack of credits", "poor", true],
  ["is still running after maxWaitMs", "3600", false],
  ["has an unknown outcome", "lost", false],
  ["may exist after a redirect", "redirected", false],
])("maxCredits: whether the credits of a task that %s are free again", async (_, first, isFree) => {
  const options = { maxCredits: 10, concurrency: 1, maxWaitMs: 60_000 };
  const [one, other] = await batchWorld().runAll(songs(first, "5"), options);
  expect(one?.error).toBeDefined();
  expect(other?.error instanceof CreditCeilingError).toBe(!isFree);
});

test.each<[what: string, first: string, spent: number]>([
  ["that succeeded are spent", "5", 10],
  ["whose result is unusable are spent", "5 is unusable", 10],
  ["that is still running after maxWaitMs are reserved", "3600", 0],
  ["of which the outcome is unknown are reserved", "lost", 0],
  ["that may exist after a redirect are reserved", "redirected", 0],
  ["that is still running for another request are reserved", "60", 0],
])("the error of a refused request: the credits of a task %s", async (_, first, spent) => {
  const concurrency = first === "60" ? 2 : 1;
  const options = { maxCredits: 10, concurrency, maxWaitMs: 90_000 };
  const [error] = refusedIn(await batchWorld().runAll(songs(first, "5"), options));
  expect(error).toMatchObject({ error: { spent, reserved: 10 - spent, spentCredits: 10 } });
});

describe("in a continued batch", () => {
  test.each([
    ["an unfinished task are reserved", 1, { maxWaitMs: 20_000 }, 0],
    ["a task that has succeeded are spent, also at once", 10, {}, 10],
  ])("the credits of %s", async (_, concurrency, waiting, spent) => {
    const world = batchWorld();
    const options = { ...journaled(), concurrency };
    const requests = songs("60", "5");
    await world.runAll(requests.slice(0, 1), { ...options, ...waiting });
    const seen = await world.runAll(requests, { ...options, ...waiting, maxCredits: 15 });
    expect(refusedIn(seen)).toMatchObject([{ index: 1, error: { spent, reserved: 10 - spent } }]);
  });

  test("of requests with one key, a success is spent, also if another one has not seen it", async () => {
    const world = batchWorld();
    const options = { ...journaled(), journalKey: promptKey, maxCredits: 15, maxWaitMs: 20_000 };
    const seen = await world.runAll(songs("30", "6", "30", "30", "7"), options);
    expect(errorsOf(seen)).toEqual([
      WaitTimeoutError,
      CreditCeilingError,
      undefined,
      undefined,
      CreditCeilingError,
    ]);
    expect(refusedIn(seen)).toMatchObject([
      { error: { spent: 0, reserved: 10 } },
      { error: { spent: 10, reserved: 0 } },
    ]);
  });

  test("a task that the journal already holds counts towards maxCredits, and is never refused", async () => {
    const world = batchWorld();
    const options = journaled();
    const requests = songs("5", "5", "5", "5");
    await world.runAll(requests.slice(0, 3), options);
    const seen = await world.runAll(requests, { ...options, maxCredits: 10 });
    expect(errorsOf(seen)).toEqual([undefined, undefined, undefined, CreditCeilingError]);
    expect(posts(world)).toHaveLength(3);
  });

  test.each<[what: string, as: (requests: TaskRequest[]) => Iterable<TaskRequest>]>([
    ["an array", (requests) => requests],
    ["another iterable", (requests) => requests.values()],
  ])("of %s, a task whose entry can be read only once counts towards maxCredits", async (_, as) => {
    const world = batchWorld();
    const journal = memoryJournal();
    const requests = songs("60", "5");
    await world.runAll(requests.slice(0, 1), { ...journaled(journal), maxWaitMs: 20_000 });
    let reads = 0;
    const get: Journal["get"] = async (key) => {
      if (key === "song-0" && reads++ > 0) throw new Error("down");
      return journal.get(key);
    };
    const options = { ...journaled({ ...journal, get }), maxCredits: 15 };
    const seen = await world.runAll(as(requests), options);
    expect(errorsOf(seen)).toEqual([JournalError, CreditCeilingError]);
    expect(refusedIn(seen)).toMatchObject([{ error: { spent: 0, reserved: 10 } }]);
    expect(posts(world)).toHaveLength(1);
  });

  test("a refused request does not take what later ones have spent", async () => {
    const world = batchWorld();
    const options = { ...journaled(), maxCredits: 20 };
    const requests = songs("poor", "5", "6");
    const first = await world.runAll(requests, options);
    expect(errorsOf(first)).toEqual([InsufficientCreditsError, undefined, undefined]);
    const second = await world.runAll(requests, options);
    expect(errorsOf(second)).toEqual([CreditCeilingError, undefined, undefined]);
    expect(second[0]?.error).toMatchObject({ credits: 10, spentCredits: 20, maxCredits: 20 });
    expect(posts(world)).toHaveLength(3);
  });

  test.each<[what: string, as: (requests: TaskRequest[]) => Iterable<TaskRequest>]>([
    ["an array", (requests) => requests],
    ["another iterable", (requests) => requests.values()],
  ])("new requests of %s do not pass maxCredits while the journal is still reading tasks", async (...row) => {
    const [, as] = row;
    const world = batchWorld();
    const journal = memoryJournal();
    const requests = songs("5", "5", "5", "5", "5");
    await world.runAll(requests.slice(0, 3), journaled(journal));
    const get: Journal["get"] = async (key) => {
      const entry = await journal.get(key);
      if (entry !== null) await turns(20);
      return entry;
    };
    const options = { ...journaled({ ...journal, get }), maxCredits: 30, concurrency: 5 };
    const seen = await world.runAll(as(requests), options);
    expect(refusedIn(seen).map(({ index }) => index)).toEqual([3, 4]);
    expect(posts(world)).toHaveLength(3);
  });
});

test.each([
  [0, 0],
  [15, 1],
  [20, 2],
])(
  "with maxCredits %i, %i of two requests whose intents were withdrawn are sent",
  async (maxCredits, paid) => {
    const world = batchWorld();
    const journal = memoryJournal();
    const requests = songs("5", "6");
    for (const [index, request] of requests.entries()) {
      const intent = journalEntry("intent", { request, revision: `other-${index}` });
      await journal.put(`song-${index}`, intent, null);
    }
    const get: Journal["get"] = async (key) => {
      const entry = await journal.get(key);
      if (entry?.state === "intent") await journal.delete(key, entry.revision);
      return entry;
    };
    const seen = await world.runAll(requests, { ...journaled({ ...journal, get }), maxCredits });
    expect(errorsOf(seen).filter((kind) => kind !== undefined)).toEqual(
      Array(2 - paid).fill(CreditCeilingError),
    );
    expect(posts(world)).toHaveLength(paid);
  },
);

test("maxCredits holds with a journal that returns undefined", async () => {
  const world = batchWorld();
  const kept = memoryJournal();
  const get = async (key: string) => (await kept.get(key)) ?? undefined;
  const options = { ...journaled({ ...kept, get } as unknown as Journal), maxCredits: 10 };
  expect(errorsOf(await world.runAll(songs("5", "5"), options))).toEqual([undefined, CreditCeilingError]);
  expect(posts(world)).toHaveLength(1);
});

test("with maxCredits, a journal that throws synchronously is a JournalError", async () => {
  const get = () => {
    throw new Error("down");
  };
  const options = { ...journaled({ ...memoryJournal(), get }), maxCredits: 10 };
  expect(errorsOf(await batchWorld().runAll(songs("5"), options))).toEqual([JournalError]);
});

test("journalKey is called once per request, with maxCredits too", async () => {
  const options = journaled();
  let count = 0;
  await batchWorld().runAll(songs("5", "5"), {
    ...options,
    journalKey: () => `song-${count++}`,
    maxCredits: 20,
  });
  expect(await options.journal.get("song-0")).toMatchObject({ state: "submitted" });
  expect(await options.journal.get("song-1")).toMatchObject({ state: "submitted" });
  expect(count).toBe(2);
});

describe("requests with one key", () => {
  test.each([1, 3])("count once, also in a continued batch (concurrency %i)", async (concurrency) => {
    const world = batchWorld();
    const options = { ...journaled(), journalKey: promptKey, concurrency, maxCredits: 29 };
    for (const _batch of [1, 2]) {
      const seen = await world.runAll(songs("5", "5", "5", "6"), options);
      expect(errorsOf(seen)).toEqual(Array(4).fill(undefined));
      expect(posts(world)).toHaveLength(2);
    }
    const more = await world.runAll(songs("5", "5", "6", "7", "7"), options);
    const error = { spentCredits: 20 };
    expect(refusedIn(more)).toMatchObject([
      { index: 3, error },
      { index: 4, error },
    ]);
    expect(posts(world)).toHaveLength(2);
  });

  test.each([
    ["was refused", "poor"],
    ["failed", "1 fails"],
    ["timed out", "1 times out"],
  ])("whose task %s: their credits are free again, once", async (_, prompt) => {
    const world = batchWorld();
    const options = { ...journaled(), journalKey: promptKey, maxCredits: 10 };
    for (const _batch of [1, 2]) {
      const seen = await world.runAll(songs(prompt, prompt, "5", prompt, "6"), options);
      expect(seen.map(({ task }) => task !== undefined)).toEqual([false, false, true, false, false]);
      expect(seen[4]?.error).toBeInstanceOf(CreditCeilingError);
    }
  });

  test("of which one is left before their task fails: their credits are free again", async () => {
    const options = { ...journaled(), journalKey: promptKey, maxCredits: 10, maxWaitMs: 20_000 };
    const seen = await batchWorld().runAll(songs("30 fails", "30 fails", "5"), options);
    expect(errorsOf(seen)).toEqual([WaitTimeoutError, TaskFailedError, undefined]);
  });

  test("whose first one is refused: a dearer one is sent only if its own price fits into maxCredits", async () => {
    const world = createWorld(({ body }) =>
      body.includes("folk") ? refusal(402, "insufficient_credits") : accepted(),
    );
    const options = { ...journaled(), journalKey: () => "one", concurrency: 2, maxCredits: 9 };
    const results = await all(world.client.tasks.runAll<TaskRequest>([CHEAP, song("5")], options));
    expect(errorsOf(results)).toEqual([InsufficientCreditsError, CreditCeilingError]);
    expect(posts(world)).toHaveLength(1);
  });

  test("whose entry is deleted after a task was created: another one is sent only if its price fits", async () => {
    const world = batchWorld();
    const journal = memoryJournal();
    const get: Journal["get"] = async (key) => {
      const entry = await journal.get(key);
      if (entry?.state === "submitted") await journal.delete(key, entry.revision);
      return null;
    };
    const options = { ...journaled({ ...journal, get }), journalKey: () => "one", maxCredits: 15 };
    expect(errorsOf(await world.runAll(songs("5", "5"), options))).toEqual([undefined, CreditCeilingError]);
    expect(posts(world)).toHaveLength(1);
  });
});

test("a freed key does not count towards maxCredits before its run is allowed", async () => {
  const { client } = createWorld(serve);
  const options = { ...journaled(), concurrency: 10, maxCredits: 5 };
  const dear = song("10");
  await options.journal.put("song-0", journalEntry("intent", { request: dear, settled: true }), null);
  const results = await all(client.tasks.runAll<TaskRequest>([dear, CHEAP], options));
  expect(results.map(({ index, task }) => [index, task?.status]).sort()).toEqual([
    [0, undefined],
    [1, "success"],
  ]);
});
