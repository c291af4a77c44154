import { parentPort, workerData } from "node:worker_threads";
import { BrokenWorldError, explore } from "../../emulator/worlds/index.js";
import { shop } from "./program.js";

/** A share of the worlds: the seeds from `begin` on, below `end`. */
export interface Share {
  begin: number;
  end: number;
}

/** What a worker reports again and again: how many worlds ran, and the story of the last if it is broken. */
export interface ShareReport {
  worlds: number;
  broken: { seed: number; story: string } | null;
}

/** Worlds between two reports. */
const WORLDS_OF_A_REPORT = 10;

const { end, ...share }: Share = workerData;
let { begin } = share;
while (begin < end) {
  const count = Math.min(WORLDS_OF_A_REPORT, end - begin);
  const broken = await firstBroken(begin, count);
  const next = broken === null ? begin + count : broken.seed + 1;
  const report: ShareReport = { worlds: next - begin, broken };
  parentPort?.postMessage(report);
  begin = next;
}

async function firstBroken(seed: number, count: number): Promise<ShareReport["broken"]> {
  try {
    await explore(shop, { seed, count, processes: 3, orders: 4 });
    return null;
  } catch (error) {
    if (!(error instanceof BrokenWorldError)) throw error;
    return { seed: error.seed, story: error.message };
  }
}
