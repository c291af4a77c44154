import { createSystemClock } from "../../time/clock.js";

/** A connection to PostgreSQL: a `Pool`, `Client` or `PoolClient` of `pg`, or anything with the same `query`. */
export interface PostgresClient {
  /** Runs one statement with its parameters `$1`, `$2` and so on. */
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>;
}

export type Row = Readonly<Record<string, unknown>>;

/** The tries while the server is unavailable, after 0.1, 0.2, 0.4 and then 0.5 s each: 10 s in all. */
const MOST_TRIES = 23;
const LONGEST_DELAY_MS = 500;

/** SQLSTATE classes and codes of a try that changed nothing or whose connection broke, so that another try may succeed. */
const TEMPORARY = /^(08...|57P0[1-5]|53300|40001|40P01)$/;

/**
 * Runs a statement, again while the server restarts or its connections break. Each statement of the journal can be repeated:
 * it names the revision that it replaces.
 */
export async function queryAgain(
  client: PostgresClient,
  text: string,
  values: unknown[],
): Promise<readonly Row[]> {
  const clock = createSystemClock();
  for (let tries = 1; ; tries++) {
    try {
      return await query(client, text, values);
    } catch (error) {
      if (!isTemporary(error) || tries === MOST_TRIES) throw error;
    }
    await clock.sleep(Math.min(LONGEST_DELAY_MS, 50 * 2 ** tries));
  }
}

export async function query(
  client: PostgresClient,
  text: string,
  values: unknown[],
): Promise<readonly Row[]> {
  const { rows } = await client.query(text, values);
  return rows as Row[];
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
