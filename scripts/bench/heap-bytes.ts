import { setImmediate as turn } from "node:timers/promises";

/** What the heap holds once all is collected that nobody holds any more, and what that in turn lets go of. */
export async function heapBytes(): Promise<number> {
  if (globalThis.gc === undefined) throw new Error("Expected Node to be started with --expose-gc");
  for (let time = 0; time < 4; time++) {
    globalThis.gc();
    await turn();
  }
  return process.memoryUsage().heapUsed;
}
