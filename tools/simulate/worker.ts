import { setImmediate } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { simulate } from "./world.js";

/** A share of the worlds: every `step`-th from `begin` on, below `end`. */
export interface Share {
  begin: number;
  end: number;
  step: number;
}

/** The result of one world. */
export interface WorldReport {
  seed: number;
  violations: string[];
  /** The trace of a broken world. */
  trace: string[];
}

/** One world in this many is run twice, to check that it repeats. */
const REPEATED = 10;

const { begin, end, step }: Share = workerData;
for (let seed = begin; seed < end; seed += step) {
  const { violations, trace } = await simulate(seed);
  if (Math.floor(seed / step) % REPEATED === 0) {
    const again = await simulate(seed);
    const position = trace.findIndex((line, index) => line !== again.trace[index]);
    if (position >= 0)
      violations.push(`it does not repeat: "${trace[position]}" was then "${again.trace[position]}"`);
  }
  const report: WorldReport = { seed, violations, trace: violations.length > 0 ? trace : [] };
  parentPort?.postMessage(report);
  // A world uses microtasks only. An iteration of the event loop sends reports and frees weak references.
  await setImmediate();
}
