import { AsyncMusicError, InsufficientCreditsError, memoryJournal } from "async-music";
import { expect, test } from "vitest";
import { batchWorld, errorsOf, journalKey, songs } from "../support/batch-world.js";
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
    for await (const { index } of world.client.tasks.runAll(poor(), { stopOn, concurrency: 3 })) seen.push(index);
  })();
  expect((await rejection(reading, AsyncMusicError)).cause).toBe(cause);
  expect(seen).toHaveLength(posts(world).length);
  expect(seen.length).toBeLessThanOrEqual(3);
});
