import type { Clock } from "./clock.js";

/** How often the clock is looked at, in real milliseconds. */
const LOOK_EVERY_MS = 100;

/**
 * Calls back some real milliseconds after a time of the clock has come, however it came: somebody may move the clock
 * while nobody sleeps on it. Answers how to forget it.
 */
export function whenOverdue(clock: Clock, time: number, graceMs: number, callback: () => void): () => void {
  const look = () => {
    const hasCome = clock.now() >= time;
    timer = setTimeout(hasCome ? callback : look, hasCome ? graceMs : LOOK_EVERY_MS);
  };
  let timer = setTimeout(look, LOOK_EVERY_MS);
  return () => clearTimeout(timer);
}
