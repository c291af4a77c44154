import type { Random } from "../time/random.js";

const FIRST_CEILING_MS = 500;
const HIGHEST_CEILING_MS = 8000;

/** How long to wait before retry number `retry` (from 0) when nobody states it: full-jitter exponential backoff. */
export function backoffMs(retry: number, random: Random): number {
  return random() * Math.min(HIGHEST_CEILING_MS, FIRST_CEILING_MS * 2 ** retry);
}
