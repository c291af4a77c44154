/** What the processes of the fleet have in common. */

export const QUEUE = "songs";

export const redisUrl = process.env["REDIS_URL"] ?? "redis://127.0.0.1:6379";

/** How long the jobs of a worker that is gone stay its own. */
export const lockMs = Number(process.env["LOCK_MS"] ?? 30_000);

/** The gap between two looks at a song. */
export const pollMs = Number(process.env["POLL_MS"] ?? 5_000);
