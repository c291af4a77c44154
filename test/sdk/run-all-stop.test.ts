import { AsyncMusicError, CreditCeilingError, InsufficientCreditsError, memoryJournal } from "async-music";
import { expect, test, vi } from "vitest";
import { batchWorld, errorsOf, journalKey, song, songs } from "../support/batch-world.js";
import { all } from "../support/collect.js";
import { posts } from "../support/journals.js";
import { rejection } from "../support/rejection.js";

const poor = () => songs("30", ...Array(199).fill("poor"));
const stopOn = (error: unknown) => error instanceof InsufficientCreditsError;

test("a batch stops after an error, and completes what has begun", async () => {
  const world = batchWorld();
  const journal = memoryJournal();
  const seen = await world.runAll(poor(), { stopOn, concurrency: 4, journal, journalKey });
  expect(errorsOf(seen)).toContain(InsufficientCreditsError);
  expect(seen.some(({ task }) => task !== undefined)).toBe(true);
  expect(posts(world).length).toBeLessThanOrEqual(4);
  expect(seen).toHaveLength(posts(world).length);
  expect(await journal.get("song-150")).toBeNull();
});

test("a generator is closed when its batch stops", async () => {
  const world = batchWorld();
  let isClosed = false;
  function* source() {
    try {
      yield* poor();
    } finally {
      isClosed = true;
    }
  }
  await all(world.client.tasks.runAll(source(), { stopOn, concurrency: 2 }));
  expect(isClosed).toBe(true);
  expect(posts(world).length).toBeLessThanOrEqual(2);
});

test("a stopOn that throws stops the batch, and loses no result", async () => {
  const world = batchWorld();
  const cause = new Error("no rule");
  const seen: number[] = [];
  const reading = (async () => {
    const stopOn = () => {
      throw cause;
    };
    for await (const { index } of world.client.tasks.runAll(poor(), { stopOn, concurrency: 3 }))
      seen.push(index);
  })();
  expect((await rejection(reading, AsyncMusicError)).cause).toBe(cause);
  expect(seen).toHaveLength(posts(world).length);
  expect(seen.length).toBeLessThanOrEqual(3);
});

test("stopOn is called once for each failed request, with its index, and never for an abort", async () => {
  const world = batchWorld();
  const controller = new AbortController();
  const calls: number[] = [];
  const note = (_: unknown, index: number) => calls.push(index) > 100;
  const seen = await world.runAll(songs("1", "poor", "2 fails", "3"), { stopOn: note });
  expect(seen).toHaveLength(4);
  expect(calls.sort()).toEqual([1, 2]);
  const options = { stopOn: note, signal: controller.signal, onSubmitted: () => controller.abort() };
  await world.runAll(songs("60"), options).catch(() => {});
  expect(calls).toHaveLength(2);
});

test("a source that does not respond does not keep a batch that has stopped", async () => {
  const world = batchWorld();
  const returned = vi.fn(async () => ({ done: true as const, value: undefined }));
  const given = songs("30", "poor");
  const next = async () => {
    const value = given.shift();
    return value === undefined ? new Promise<never>(() => {}) : { value };
  };
  const source = { [Symbol.asyncIterator]: () => ({ next, return: returned }) };
  const seen = await all(world.client.tasks.runAll(source as never, { stopOn, concurrency: 4 }));
  expect(seen).toHaveLength(2);
  expect(returned).toHaveBeenCalledOnce();
});

test("what earlier runs have submitted counts before anything is sent, although the batch can stop", async () => {
  const world = batchWorld();
  const journal = memoryJournal();
  const [first, second] = [song("1"), song("2")];
  await world.runAll([second], { journal, journalKey: () => "song-1" });
  const options = { journal, journalKey, maxCredits: 10 };
  const isRefused = (error: unknown) => error instanceof CreditCeilingError;
  const seen = await world.runAll([first, second], { ...options, stopOn: isRefused, concurrency: 1 });
  expect(errorsOf(seen)).toEqual([CreditCeilingError]);
  expect(posts(world)).toHaveLength(1);
  // A key that the stop left untouched can be run.
  expect(errorsOf(await world.runAll([second], { journal, journalKey: () => "song-1" }))).toEqual([
    undefined,
  ]);
  expect(posts(world)).toHaveLength(1);
});

test("in JavaScript, a stopOn that returns a promise stops the batch, and its rejection ends no process", async () => {
  const world = batchWorld();
  const promised = async () => Promise.reject(new Error("no rule"));
  await world.runAll(poor(), { stopOn: promised as never, concurrency: 2 });
  expect(posts(world).length).toBeLessThanOrEqual(2);
});
