import { memoryJournal } from "async-music";
import { expect, onTestFinished, test, vi } from "vitest";
import { SONG_REQUEST, serveAnew } from "../support/responses.js";
import { createWorld } from "../support/world.js";

// A promise that lasts keeps a little of each `Promise.race` in memory until it settles.

test("a follower passes no promise to `Promise.race` for several orders", async () => {
  const race = vi.spyOn(Promise, "race");
  onTestFinished(() => race.mockRestore());
  const journal = memoryJournal();
  const { client } = createWorld(serveAnew);
  for (const journalKey of ["order-1", "order-2", "order-3", "order-4"])
    await client.tasks.create(SONG_REQUEST, { journal, journalKey });
  let count = 0;
  for await (const { task } of client.tasks.follow(journal)) {
    expect(task?.status).toBe("success");
    if (++count === 4) break;
  }
  const raced = race.mock.calls.flatMap(([promises]) => [...promises]);
  expect(raced.length).toBeGreaterThan(8);
  expect(new Set(raced).size).toBe(raced.length);
});
