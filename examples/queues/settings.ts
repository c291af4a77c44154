/** Settings that all processes of the fleet share. */

export const QUEUE = "songs";

export const redisUrl = process.env["REDIS_URL"] ?? "redis://127.0.0.1:6379";

/** After this time, the jobs of a worker that ended go to another one. */
export const lockMs = Number(process.env["LOCK_MS"] ?? 30_000);

/** The interval between two polls of a song. */
export const pollMs = Number(process.env["POLL_MS"] ?? 5_000);
