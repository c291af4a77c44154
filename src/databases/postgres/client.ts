import { AsyncMusicError } from "../../errors/base.js";
import type { Clock } from "../../time/clock.js";
import { Deadline } from "../../time/deadline.js";

/** A connection to PostgreSQL: a `Pool`, `Client` or `PoolClient` of `pg`, or anything with the same `query`. */
export interface PostgresClient {
  /** Runs one statement with its parameters `$1`, `$2` and so on. */
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>;
}

export type Row = Readonly<Record<string, unknown>>;

/** A call of the journal ends within this time, in real milliseconds. */
const LONGEST_CALL_MS = 10_000;

/** Between two tries, after 0.1, 0.2 and 0.4 s. */
const LONGEST_DELAY_MS = 500;

/**
 * SQLSTATE classes and codes of a try that changed nothing or whose connection broke, so that another try may succeed. 25006 is that
 * of a standby, which may be about to become the primary.
 */
const TEMPORARY = /^(08...|25006|57P0[1-5]|53300|40001|40P01)$/;

export type Execute = (text: string, values: unknown[]) => Promise<readonly Row[]>;

/**
 * Executes the statements of one call, each again while the server restarts or its connections break. Each statement of the
 * journal can be repeated: it names the revision that it replaces. When the time of the call is over, nothing more is sent,
 * and the call rejects, even if a statement still waits for a connection or for its response.
 *
 * @param work - receives the statements' `execute`, and `leftMs`, which returns how much time the call has left
 */
export async function withinLimit<Value>(
  client: PostgresClient,
  clock: Clock,
  work: (execute: Execute, leftMs: () => number) => Promise<Value>,
): Promise<Value> {
  const deadline = new Deadline(LONGEST_CALL_MS);
  const endsAt = clock.now() + LONGEST_CALL_MS;
  let failure: unknown;

  const execute: Execute = async (text, values) => {
    for (let tries = 1; ; tries++) {
      deadline.signal.throwIfAborted();
      try {
        return await query(client, text, values);
      } catch (error) {
        if (!isTemporary(error)) throw error;
        failure = error;
      }
      await clock.sleep(Math.min(LONGEST_DELAY_MS, 50 * 2 ** tries), deadline.signal);
    }
  };
  try {
    return await Promise.race([work(execute, () => endsAt - clock.now()), deadline.ended]);
  } catch (error) {
    throw deadline.timedOut ? (failure ?? timeout()) : error;
  } finally {
    deadline.clear();
  }
}

/** The server, a connection of the pool or the network took too long. */
export function timeout(): AsyncMusicError {
  return new AsyncMusicError({ what: `PostgreSQL did not respond within ${LONGEST_CALL_MS / 1000} s` });
}

export async function query(
  client: PostgresClient,
  text: string,
  values: unknown[],
): Promise<readonly Row[]> {
  const { rows } = await client.query(text, values);
  return rows.map((row): Row => Object(row));
}

/** An error without an SQLSTATE comes from the connection. */
function isTemporary(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === null || TEMPORARY.test(state);
}

/** The codes of Node's errors, such as EPIPE, begin with an E, and no SQLSTATE does. */
export function sqlStateOf(error: unknown): string | null {
  const code: unknown = Object(error).code;
  return typeof code === "string" && /^(?!E)[\dA-Z]{5}$/.test(code) ? code : null;
}
