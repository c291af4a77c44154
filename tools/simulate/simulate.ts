/**
 * `npm run simulate -- --seed N --worlds M`: runs the worlds N to N + M - 1, on all cores, and prints the seed and the
 * story of each that breaks a property or does not end. `--seed random` begins at a random world, whose seed is
 * printed. `--max-seconds` limits the time, `--workers` the cores, and `--first` stops at the first broken world.
 */

import { randomInt } from "node:crypto";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import type { Share, ShareReport } from "./worker.js";

/** A share takes seconds. One that takes this long has a world that does not end. */
const LONGEST_SHARE_MS = 180_000;
const PROGRESS_WORLDS = 10_000;
/** Worlds of a share. */
const WORLDS_OF_A_SHARE = 250;

const {
  seed,
  worlds,
  "max-seconds": maxSeconds,
  workers: cores,
  first,
} = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    worlds: { type: "string", default: "2000" },
    "max-seconds": { type: "string", default: "86400" },
    workers: { type: "string", default: String(availableParallelism()) },
    first: { type: "boolean", default: false },
  },
}).values;

const begin = seed === "random" ? randomInt(2 ** 32) : wholeNumber("seed", seed);
if (seed === "random") console.log(`Random seed: ${begin}`);
const end = begin + wholeNumber("worlds", worlds);
const startedAt = performance.now();
const secondsGone = () => (performance.now() - startedAt) / 1000;

let lived = 0;
let broken = 0;
let isOver = false;
const workers = new Set<Worker>();
const isExpired = setTimeout(stop, Number(maxSeconds) * 1000);
let next = begin;
await Promise.all(Array.from({ length: Math.max(1, wholeNumber("workers", cores)) }, liveThrough));
clearTimeout(isExpired);
const done = `${summary()} from seed ${begin}, ${broken} broken`;
console.log(lived < end - begin && broken === 0 ? `${done}; the time limit is reached` : done);
if (broken > 0) process.exitCode = 1;

/** Runs one share after the other. */
async function liveThrough(): Promise<void> {
  while (next < end && !isOver) {
    const share = { begin: next, end: Math.min(end, next + WORLDS_OF_A_SHARE) };
    next = share.end;
    await follow(share);
  }
}

/** Starts a worker for a share, and receives its reports until it has finished or is stopped. */
async function follow(share: Share): Promise<void> {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { workerData: share });
  workers.add(worker);
  const endless = setTimeout(() => {
    show({
      seed: share.begin,
      story: `A world from here on does not end within ${LONGEST_SHARE_MS / 1000} s.`,
    });
    void worker.terminate();
  }, LONGEST_SHARE_MS);
  worker.on("message", (report: ShareReport) => {
    const before = lived;
    lived += report.worlds;
    if (report.broken !== null) show(report.broken);
    if (first && broken > 0) stop();
    if (Math.floor(lived / PROGRESS_WORLDS) > Math.floor(before / PROGRESS_WORLDS)) console.log(summary());
  });
  try {
    await new Promise<void>((resolve) => {
      worker.on("error", (error) => {
        show({ seed: share.begin, story: `A world from here on threw:\n  ${error.stack}` });
        if (first) stop();
      });
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

function show({ seed: brokenSeed, story }: NonNullable<ShareReport["broken"]>): void {
  broken++;
  console.log(`World ${brokenSeed} is broken: npm run simulate -- --seed ${brokenSeed} --worlds 1`);
  console.log(story);
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new RangeError(`Expected --${name} to be a whole number, got ${text}`);
}
