import { setImmediate } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { simulate } from "./world.js";

/** A part of the worlds: every `step`-th from `begin` on, below `end`. */
export interface Share {
  begin: number;
  end: number;
  step: number;
}

/** What became of one world. */
export interface WorldReport {
  seed: number;
  violations: string[];
  /** Of a broken world: what happened in it. */
  trace: string[];
}

/** Every so many worlds one is lived through twice. */
const REPEATED = 10;

const { begin, end, step }: Share = workerData;
for (let seed = begin; seed < end; seed += step) {
  const { violations, trace } = await simulate(seed);
  if (Math.floor(seed / step) % REPEATED === 0) {
    const again = await simulate(seed);
    const place = trace.findIndex((line, index) => line !== again.trace[index]);
    if (place >= 0) violations.push(`it does not repeat: "${trace[place]}" was then "${again.trace[place]}"`);
  }
  const report: WorldReport = { seed, violations, trace: violations.length > 0 ? trace : [] };
  parentPort?.postMessage(report);
  // A world lives in microtasks alone: without a turn of the event loop nothing is told, and no weak reference freed.
  await setImmediate();
}
