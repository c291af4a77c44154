import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

/** Collects everything that nothing references, also what only a weak reference kept until now. */
export async function collectGarbage(): Promise<void> {
  for (let round = 0; round < 4; round++) {
    await setImmediate();
    collect();
  }
}
