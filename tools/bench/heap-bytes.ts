import { setImmediate as turn } from "node:timers/promises";

/** The bytes on the heap after garbage collection, repeated until finalizers have released theirs. */
export async function heapBytes(): Promise<number> {
  if (globalThis.gc === undefined) throw new Error("Start Node with --expose-gc.");
  for (let time = 0; time < 4; time++) {
    globalThis.gc();
    await turn();
  }
  return process.memoryUsage().heapUsed;
}
