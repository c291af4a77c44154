import { fileURLToPath } from "node:url";
import { RUNTIMES } from "./runtimes.js";

// Holds the built package to its contract in every runtime, or in those whose names are given.

const folder = fileURLToPath(new URL("../../.reports/runtimes", import.meta.url));
const wanted = process.argv.slice(2).map((name) => name.toLowerCase());

for (const { name, run } of RUNTIMES) {
  if (wanted.length > 0 && !wanted.includes(name.toLowerCase())) continue;
  try {
    const results = await run(folder);
    const failures = results.filter(({ failure }) => failure !== null);
    console.log(`${name.padEnd(10)}${results.length - failures.length} passed, ${failures.length} failed`);
    for (const { name, failure } of failures) console.log(`  ${name}\n    ${failure}`);
    if (failures.length > 0 || results.length === 0) process.exitCode = 1;
  } catch (error) {
    console.log(`${name.padEnd(10)}did not run: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  }
}
