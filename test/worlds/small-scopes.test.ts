import { join } from "node:path";
import { fileJournal } from "async-music/node";
import { beforeEach, expect, test } from "vitest";
import { inOneStore, runSmallScope } from "../../tools/simulate/small-scope.js";
import { unwatch } from "../lifecycle/begun.js";
import { createFolder } from "../support/folder.js";

// The processes of a world end in the middle of their waits.
beforeEach(unwatch);

/** Some of the interleavings of two processes. */
const offsets = [0, 1, 3, 6, 10, 15, 22];

// `npm run small-scopes` runs larger scopes in memory. Here, at least one fault is placed at each request and each use of the journal.
test("one process: every placement of one fault keeps the promises", async () => {
  const { schedules, broken } = await runSmallScope({ processes: 1, faults: 1, crashes: 0, offsets });
  expect(broken).toEqual([]);
  expect(schedules).toBeGreaterThan(15);
});

test("with real files, every placement of one crash keeps the promises", async () => {
  const journal = inOneStore(fileJournal(join(await createFolder(), "journal")));
  const { schedules, broken } = await runSmallScope({
    processes: 2,
    faults: 0,
    crashes: 1,
    offsets: [0, 3],
    journal,
  });
  expect(broken).toEqual([]);
  expect(schedules).toBeGreaterThan(40);
});

test("a journal that overwrites an existing entry is found", async () => {
  const entries = new Map<string, never>();
  const journal = () => {
    entries.clear();
    return {
      get: async (key: string) => entries.get(key) ?? null,
      put: async (key: string, entry: unknown) => !!entries.set(key, entry as never),
      delete: async (key: string) => entries.delete(key),
    };
  };
  const { broken } = await runSmallScope({ processes: 2, faults: 0, crashes: 0, offsets, journal });
  expect(broken.map(({ violations }) => violations[0]?.check)).toContain("charged_twice");
});
