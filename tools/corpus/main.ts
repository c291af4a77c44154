/**
 * `npm run corpus`: explores each program of `test/worlds/corpus`, and prints a table. A planted bug that is not found, or a right
 * program that is accused, fails. `--worlds N` sets the worlds of each right program.
 */

import { parseArgs } from "node:util";
import { type App, BrokenWorldError, explore } from "../../emulator/worlds/index.js";
import { BUGS, RIGHT } from "../../test/worlds/corpus/index.js";

const { worlds } = parseArgs({ options: { worlds: { type: "string", default: "500" } } }).values;

/** The most worlds to search for one bug: less than a minute. */
const MOST_WORLDS = 3000;

console.log("| Planted bug | Found by | World | Seconds |\n|---|---|---|---|");
let found = 0;
for (const [name, app] of Object.entries(BUGS)) {
  const begunAt = performance.now();
  const broken = await firstBroken(app, MOST_WORLDS);
  const seconds = ((performance.now() - begunAt) / 1000).toFixed(1);
  if (broken !== null) found++;
  console.log(
    `| ${name} | ${broken?.violations[0]?.check ?? "not found"} | ${broken?.seed ?? ""} | ${seconds} |`,
  );
}
const bugs = Object.keys(BUGS).length;
console.log(`\n${found} of ${bugs} bugs are found.\n`);
if (found < bugs) process.exitCode = 1;

for (const [name, app] of Object.entries(RIGHT)) {
  const broken = await firstBroken(app, Number(worlds));
  console.log(
    `Right program, ${name}: ${broken === null ? `${worlds} worlds, none broken` : broken.message}`,
  );
  if (broken !== null) process.exitCode = 1;
}

async function firstBroken(app: App, count: number): Promise<BrokenWorldError | null> {
  try {
    await explore(app, { count });
    return null;
  } catch (error) {
    if (error instanceof BrokenWorldError) return error;
    throw error;
  }
}
