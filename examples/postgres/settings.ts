/** Settings and the pool that all processes of a fleet share. */

import { Pool } from "pg";

export const QUEUE = "songs";

export const databaseUrl = process.env["DATABASE_URL"] ?? "postgres://postgres@127.0.0.1/postgres";

/** The interval between two polls of a song. */
export const pollMs = Number(process.env["POLL_MS"] ?? 5_000);

/** Settles an order that only a person can decide. */
export const SETTLE_COMMAND = "npx node examples/postgres/settle.ts";

/** After this time, the request of a worker that ended is no longer in flight. */
export const settleAfterMs = Number(process.env["SETTLE_MS"] ?? 120_000);

/** Longer than a song takes. */
export const LONGEST_SONG_SECONDS = 2 * 3600;

/** A pool whose connections may break without ending the process. */
export function createPool(): Pool {
  const pool = new Pool({ connectionString: databaseUrl });
  pool.on("error", () => {});
  pool.on("connect", (connection) => connection.on("error", () => {}));
  return pool;
}
