/**
 * `npm run simulate -- --seed N --worlds M`: lives through the worlds N to N + M - 1, on all cores, and prints the
 * seed and the trace of each that breaks a property or does not end. With `--max-seconds` it stops when time is over,
 * with `--first` at the first broken world.
 */

import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import type { Share, WorldReport } from "./worker.js";

/** A world takes some hundredths of a second; one that takes this long is caught in a circle. */
const LONGEST_WORLD_MS = 60_000;
const PROGRESS_WORLDS = 10_000;

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
const step = Math.min(availableParallelism(), end - begin);
const startedAt = performance.now();
const secondsGone = () => (performance.now() - startedAt) / 1000;

let lived = 0;
let broken = 0;
const shares = Array.from({ length: step }, (_, index): Share => ({ begin: begin + index, end, step }));
const timeIsOver = setTimeout(stop, Number(maxSeconds) * 1000);
const running = shares.map(follow);
await Promise.all(running.map(({ ended }) => ended));
clearTimeout(timeIsOver);
const done = `${summary()}, ${broken} broken`;
console.log(lived < end - begin && broken === 0 ? `${done}; time is over` : done);
if (broken > 0) process.exitCode = 1;

/** Starts a worker for a share and hears its reports, until it has lived through all of it or is stopped. */
function follow(share: Share): { worker: Worker; ended: Promise<void> } {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { workerData: share });
  let living = share.begin;
  const endless = setTimeout(() => {
    show({ seed: living, violations: [`it does not end within ${LONGEST_WORLD_MS / 1000} s`], trace: [] });
    void worker.terminate();
  }, LONGEST_WORLD_MS);
  worker.on("message", (report: WorldReport) => {
    endless.refresh();
    living = report.seed + share.step;
    lived++;
    if (report.violations.length > 0) show(report);
    if (first && broken > 0) stop();
    if (lived % PROGRESS_WORLDS === 0) console.log(summary());
  });
  const ended = new Promise<void>((resolve, reject) => {
    worker.on("error", reject);
    worker.on("exit", () => resolve());
  }).finally(() => clearTimeout(endless));
  return { worker, ended };
}

function stop(): void {
  for (const { worker } of running) void worker.terminate();
}

function summary(): string {
  return `${lived} of ${end - begin} worlds in ${secondsGone().toFixed(1)} s`;
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
