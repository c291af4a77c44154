import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

/** Runs garbage collection several times, which also releases objects that only weak references hold. */
export async function collectGarbage(): Promise<void> {
  for (let round = 0; round < 4; round++) {
    await setImmediate();
    collect();
  }
}
