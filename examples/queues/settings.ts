/** Settings that all processes of the fleet share. */

/** The name of the queue, and of its journal: each account needs its own. */
export const QUEUE = process.env["QUEUE"] ?? "songs";

/** Settles an order that only a person can decide. */
export const SETTLE_COMMAND = "npx node examples/queues/settle.ts";

/** After this time, the request of a worker that ended is no longer in flight. */
export const settleAfterMs = Number(process.env["SETTLE_MS"] ?? 120_000);

export const redisUrl = process.env["REDIS_URL"] ?? "redis://127.0.0.1:6379";

/** The jobs of a worker that ended go to another one after this time, and at the latest after twice this time. */
export const lockMs = Number(process.env["LOCK_MS"] ?? 30_000);

/** The interval between two polls of a song. */
export const pollMs = Number(process.env["POLL_MS"] ?? 5_000);
