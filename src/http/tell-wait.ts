import type { Emitter } from "./emitter.js";
import type { WaitEvent } from "./events.js";

/** What is shorter is no wait for the rate limit, but the time that a timer and a queue take of their own. */
const LEAST_MS = 50;

/** Tells that a request had to wait for its turn. */
export function tellWait(emitter: Emitter, event: WaitEvent): void {
  if (event.waitedMs >= LEAST_MS) emitter.emit("wait", () => event);
}
