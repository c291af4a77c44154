/**
 * `npm run simulate -- --seed N --worlds M`: runs the worlds N to N + M - 1, on all cores, and prints the seed and the
 * trace of each that breaks a property or does not end. `--seed random` begins at a random world, whose seed is
 * printed. `--max-seconds` limits the time, and `--first` stops at the first broken world.
 */

import { randomInt } from "node:crypto";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import type { Share, WorldReport } from "./worker.js";

/** A world takes some hundredths of a second. One that takes this long does not end. */
const LONGEST_WORLD_MS = 60_000;
const PROGRESS_WORLDS = 10_000;
/** Worlds per worker. A new worker then continues, since killed processes are never garbage-collected. */
const WORLDS_OF_A_WORKER = 2000;

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

const begin = seed === "random" ? randomInt(2 ** 32) : wholeNumber("seed", seed);
if (seed === "random") console.log(`Random seed: ${begin}`);
const end = begin + wholeNumber("worlds", worlds);
const step = Math.min(availableParallelism(), end - begin);
const startedAt = performance.now();
const secondsGone = () => (performance.now() - startedAt) / 1000;

let lived = 0;
let broken = 0;
let isOver = false;
const workers = new Set<Worker>();
const isExpired = setTimeout(stop, Number(maxSeconds) * 1000);
await Promise.all(Array.from({ length: step }, (_, index) => liveThrough(begin + index)));
clearTimeout(isExpired);
const done = `${summary()} from seed ${begin}, ${broken} broken`;
console.log(lived < end - begin && broken === 0 ? `${done}; the time limit is reached` : done);
if (broken > 0) process.exitCode = 1;

/** Runs every `step`-th world from the first one on, one worker's share at a time. */
async function liveThrough(from: number): Promise<void> {
  const span = WORLDS_OF_A_WORKER * step;
  for (let begins = from; begins < end && !isOver; begins += span)
    await follow({ begin: begins, end: Math.min(end, begins + span), step });
}

/** Starts a worker for a share, and receives its reports until it has finished or is stopped. */
async function follow(share: Share): Promise<void> {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { workerData: share });
  workers.add(worker);
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
  try {
    await new Promise<void>((resolve, reject) => {
      worker.on("error", reject);
      worker.on("exit", () => resolve());
    });
  } finally {
    clearTimeout(endless);
    workers.delete(worker);
  }
}

function stop(): void {
  isOver = true;
  for (const worker of workers) void worker.terminate();
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
