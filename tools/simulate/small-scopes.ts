/**
 * `npm run small-scopes`: runs every schedule of small scopes, prints their numbers, and fails for a schedule that breaks a
 * promise. `--full` adds the largest scopes, which take more than half an hour.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { postgresJournal } from "../../src/databases/postgres/index.js";
import { redisJournal } from "../../src/databases/redis/index.js";
import { memoryJournal } from "../../src/journal/memory-journal.js";
import { fileJournal } from "../../src/node/index.js";
import { createPostgresDouble, createRedisDouble } from "../../test/support/store-doubles.js";
import { inOneStore, runSmallScope, type SmallScope } from "./small-scope.js";

const { full } = parseArgs({ options: { full: { type: "boolean", default: false } } }).values;

/** Every interleaving of two processes in lockstep: from both at once to one after the other. */
const offsets = Array.from({ length: 26 }, (_, ms) => ms);
const atOnce = async () => {};
let stores = 0;
const directory = mkdtempSync(join(tmpdir(), "small-scopes-"));

const one: SmallScope = { processes: 1, faults: 1, crashes: 1, offsets };
const two: SmallScope = { processes: 2, faults: 1, crashes: 0, offsets };
const SCOPES: readonly (readonly [journal: string, scope: SmallScope])[] = [
  ["memory", { ...one, faults: 2, crashes: 0 }],
  ["memory", { ...one, faults: 0, crashes: 2 }],
  ["memory", two],
  ["memory", { ...two, faults: 0, crashes: 1 }],
  ["Redis", two],
  ["PostgreSQL", two],
  ["file", one],
  ["file", two],
  ...(full
    ? ([
        ["memory", one],
        ["Redis", one],
        ["PostgreSQL", one],
        ["memory", { ...one, faults: 2, crashes: 2 }],
        ["memory", { ...two, crashes: 1 }],
      ] as const)
    : []),
];

const journals: Record<string, () => SmallScope["journal"]> = {
  memory: () => memoryJournal,
  Redis: () => () => redisJournal(createRedisDouble(atOnce)),
  PostgreSQL: () => () => postgresJournal(createPostgresDouble(atOnce)),
  file: () => inOneStore(fileJournal(join(directory, `${++stores}`))),
};

try {
  const sum = { schedules: 0, broken: 0 };
  console.log("journal     processes  faults  crashes  schedules  broken  seconds");
  for (const [journal, scope] of SCOPES) {
    const begunAt = performance.now();
    const { schedules, broken } = await runSmallScope({ ...scope, journal: journals[journal]?.() });
    const seconds = ((performance.now() - begunAt) / 1000).toFixed(1);
    const numbers = [scope.processes, scope.faults, scope.crashes, schedules, broken.length, seconds];
    const widths = [9, 6, 7, 9, 6, 7];
    console.log(
      [journal.padEnd(10), ...numbers.map((each, index) => String(each).padStart(widths[index] ?? 0))].join(
        "  ",
      ),
    );
    for (const { plan, violations } of broken.slice(0, 3)) console.log(JSON.stringify({ violations, plan }));
    sum.schedules += schedules;
    sum.broken += broken.length;
  }
  const promise = "no duplicate charge, no lost task, no key locked that the evidence could free";
  console.log(
    `${sum.schedules} schedules of one order: ${sum.broken === 0 ? promise : `${sum.broken} are broken`}`,
  );
  if (sum.broken > 0) process.exitCode = 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
