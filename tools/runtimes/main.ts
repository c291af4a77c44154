import { fileURLToPath } from "node:url";
import type { TestResult } from "../../test/runtimes/test-runner.ts";
import { RUNTIMES } from "./runtimes.ts";

// Runs the contract tests of the built package in every runtime, or in the named ones.

const folder = fileURLToPath(new URL("../../.reports/runtimes", import.meta.url));
const wanted = process.argv.slice(2).map((name) => name.toLowerCase());

for (const { name, run } of RUNTIMES) {
  if (wanted.length > 0 && !wanted.includes(name.toLowerCase())) continue;
  try {
    report(name, await run(folder));
  } catch (error) {
    console.log(`${name.padEnd(10)}did not run: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  }
}

function report(runtime: string, results: readonly TestResult[]): void {
  const having = (outcome: TestResult["outcome"]) => results.filter((each) => each.outcome === outcome);
  const [passed, failed, leftOut] = [having("passed"), having("failed"), having("left out")];
  console.log(`${runtime.padEnd(10)}${passed.length} passed, ${failed.length} failed`);
  for (const { name, reason } of failed) console.log(`  ${name}\n    ${reason}`);
  for (const reason of new Set(leftOut.map(({ reason }) => reason))) {
    console.log(`  ${leftOut.filter((each) => each.reason === reason).length} left out: ${reason}`);
  }
  if (failed.length > 0 || passed.length === 0) process.exitCode = 1;
}
