import { postgresJournal } from "async-music/postgres";
import { beforeEach, expect, test } from "vitest";
import { inOneStore, runSmallScope } from "../../tools/simulate/small-scope.js";
import { unwatch } from "../lifecycle/begun.js";
import { connectPool, createTable } from "./connections.js";

// The processes of a world end in the middle of their waits.
beforeEach(unwatch);

test("every placement of one crash in two processes keeps the promises", async () => {
  const journal = postgresJournal(connectPool(), { table: await createTable() });
  const scope = { processes: 2, faults: 0, crashes: 1, offsets: [0, 2, 5] } as const;
  const { schedules, broken } = await runSmallScope({ ...scope, journal: inOneStore(journal) });
  expect(broken).toEqual([]);
  expect(schedules).toBeGreaterThan(60);
});
