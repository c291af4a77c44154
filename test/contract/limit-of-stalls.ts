import { onTestFinished } from "vitest";
import type { Emulator } from "../../emulator/index.js";
import { createTimeLimit } from "../support/time-limit.js";

/** How long a request stalls, in real milliseconds, before it is given up: time would run away meanwhile, if nothing held it. */
const STALLED_FOR_MS = 10;

/** A `timeoutMs` that is over soon after a request has stalled: what is late on a slow machine is not given up. */
export function limitOfStalls(emulator: Emulator): number {
  const { timeoutMs, pass } = createTimeLimit();
  const leave = emulator.onRequest(({ status }) => {
    if (status === null) setTimeout(pass, STALLED_FOR_MS);
  });
  onTestFinished(leave);
  return timeoutMs;
}
