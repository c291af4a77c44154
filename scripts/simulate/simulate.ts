/**
 * `npm run simulate -- --seed N --worlds M`: lives through the worlds N to N + M - 1, on all cores, and prints the
 * seed and the trace of each that breaks a property. With `--max-seconds` it stops when time is over, with `--first`
 * at the first broken world.
 */

import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import type { Share, WorldReport } from "./worker.js";

const {
  seed,
  worlds,
  "max-seconds": maxSeconds,
  first,
} = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    worlds: { type: "string", default: "2000" },
    "max-seconds": { type: "string", default: "86400" },
    first: { type: "boolean", default: false },
  },
}).values;

const begin = wholeNumber("seed", seed);
const end = begin + wholeNumber("worlds", worlds);
const startedAt = performance.now();
const secondsGone = () => (performance.now() - startedAt) / 1000;

let lived = 0;
let broken = 0;
const workers = Array.from({ length: Math.min(availableParallelism(), end - begin) }, (_, index) => {
  const share: Share = { begin: begin + index, end, step: Math.min(availableParallelism(), end - begin) };
  return new Worker(new URL("./worker.ts", import.meta.url), { workerData: share });
});
const stop = () => Promise.all(workers.map((worker) => worker.terminate()));

await Promise.all(workers.map(follow));
const done = `${lived} of ${end - begin} worlds in ${secondsGone().toFixed(1)} s, ${broken} broken`;
console.log(lived < end - begin && broken === 0 ? `${done}; time is over` : done);
if (broken > 0) process.exitCode = 1;

function follow(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.on("message", (report: WorldReport) => {
      lived++;
      if (report.violations.length > 0) show(report);
      if ((first && broken > 0) || secondsGone() > Number(maxSeconds)) void stop();
    });
    worker.on("error", reject);
    worker.on("exit", () => resolve());
  });
}

function show({ seed: brokenSeed, violations, trace }: WorldReport): void {
  broken++;
  console.log(`World ${brokenSeed} is broken: npm run simulate -- --seed ${brokenSeed} --worlds 1`);
  for (const violation of violations) console.log(`  ${violation}`);
  if (broken === 1) console.log(trace.map((line) => `    ${line}`).join("\n"));
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new RangeError(`Expected --${name} to be a whole number, got ${text}`);
}
