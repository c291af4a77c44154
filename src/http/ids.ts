import { type Random, systemRandom, systemUuid } from "../time/random.js";

/** Returns a new UUID (version 4): from the system's secure source, or from the given source of randomness. */
export function createRequestId(random: Random): string {
  if (random === systemRandom) return systemUuid();
  let hex = "";
  while (hex.length < 32)
    hex += Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, "0");
  const variant = "89ab"[Math.floor(random() * 4)];
  return hex.replace(/(.{8})(.{4}).(.{3}).(.{3})/, `$1-$2-4$3-${variant}$4-`);
}

/** The longest usable ID, in characters. Request IDs have at most 128, and the service's task IDs are UUIDs of 36. */
export const LONGEST_ID = 256;

/**
 * How many IDs a client stores at least: the requests of half an hour at the default rate limit (120 a minute). A stale
 * response can only follow a request that has used the same connection, so older IDs do not matter. Twice as many take
 * less than 1 MB.
 */
export const REMEMBERED_IDS = 4096;

/** Remembers the IDs that were added last: at least `REMEMBERED_IDS`, at most twice as many. A server may change their case. */
export class RecentIds {
  #recent = new Set<string>();
  #older = new Set<string>();

  /** Adds an ID; returns whether it is new. An unusable ID is not kept, and counts as new. */
  add(id: string): boolean {
    if (id.length > LONGEST_ID) return true;
    const key = id.toLowerCase();
    const isNew = !this.#recent.has(key) && !this.#older.has(key);
    if (this.#recent.size >= REMEMBERED_IDS) {
      this.#older = this.#recent;
      this.#recent = new Set();
    }
    this.#recent.add(key);
    return isNew;
  }

  has(id: string): boolean {
    const key = id.toLowerCase();
    return this.#recent.has(key) || this.#older.has(key);
  }
}
