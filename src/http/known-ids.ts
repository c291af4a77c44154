/**
 * How many ids a client remembers at least: the requests of half an hour at the default rate limit (120 a minute). A stale
 * response can only follow a request that has used the same connection, so older ids do not matter. Twice as many take
 * less than 1 MB.
 */
export const REMEMBERED_IDS = 4096;

/** The longest usable id, in characters. Request ids have at most 128, and the service's task ids are UUIDs of 36. */
export const LONGEST_ID = 256;

/** The ids by which one client recognizes a response that belongs to another of its requests. */
export interface KnownIds {
  /** The `X-Request-Id` of each request that the client sent. */
  readonly requests: RecentIds;
  /** The tasks that the client received as responses to its submissions. */
  readonly tasks: RecentIds;
}

export function createKnownIds(): KnownIds {
  return { requests: new RecentIds(), tasks: new RecentIds() };
}

/** The ids that were added last: at least `REMEMBERED_IDS`, at most twice as many. A server may change their case. */
export class RecentIds {
  #recent = new Set<string>();
  #older = new Set<string>();

  /** Adds an id; returns whether it is new. An unusable one is not kept. */
  add(id: string): boolean {
    if (id.length > LONGEST_ID) return true;
    const isNew = !this.has(id);
    if (this.#recent.size >= REMEMBERED_IDS) {
      this.#older = this.#recent;
      this.#recent = new Set();
    }
    this.#recent.add(id.toLowerCase());
    return isNew;
  }

  has(id: string): boolean {
    const key = id.toLowerCase();
    return this.#recent.has(key) || this.#older.has(key);
  }
}

/**
 * Whether an `X-Request-Id` is that of another request of this client. Ids that the client never sent, such as those of a
 * gateway, mean nothing.
 */
export function namesAnotherRequest(header: string | null, requestId: string, sent: RecentIds): boolean {
  if (header === null || header === requestId) return false;
  const named = header.split(",").map((id) => id.trim().toLowerCase());
  return !named.includes(requestId.toLowerCase()) && named.some((id) => sent.has(id));
}
