import { checkOptions, type OptionRule } from "../../errors/options.js";

/** Options of `postgresJournal` and `postgresJournalSql`. */
export interface PostgresJournalOptions {
  /**
   * The name of the table, also with a schema: `"music.journal"`. Each of the two names has up to 58 lower-case letters, digits
   * and underscores, and begins with no digit.
   *
   * @defaultValue "async_music_journal"
   */
  table?: string | undefined;
}

/** A name of up to this many characters, with its schema before it: PostgreSQL cuts names off after 63. */
export function tableRule(longest: number): OptionRule {
  const name = `[a-z_][a-z\\d_]{0,${longest - 1}}`;
  const pattern = new RegExp(`^${name}(\\.${name})?$`);
  return [
    `be the name of a table, such as "journal" or "music.journal": lower case, up to ${longest} characters`,
    (value) => typeof value === "string" && pattern.test(value),
  ];
}

export const DEFAULT_TABLE = "async_music_journal";

export function tableOf(options: PostgresJournalOptions): string {
  return checkOptions(options, { table: tableRule(58) }).table ?? DEFAULT_TABLE;
}

/**
 * Returns the SQL that creates the table of a journal: run it once, with your migrations.
 *
 * @throws `InvalidOptionError` an option is out of range
 *
 * @example
 * ```ts sketch
 * import { postgresJournalSql } from "async-music/postgres";
 *
 * await pool.query(postgresJournalSql());
 * ```
 */
export function postgresJournalSql(options: PostgresJournalOptions = {}): string {
  const table = tableOf(options);
  const name = quoted(table);
  const nameOfIndex = (suffix: string) => quoted(`${table.split(".").at(-1)}_${suffix}`);
  return `CREATE TABLE IF NOT EXISTS ${name} (
  key_hash text PRIMARY KEY,
  key text NOT NULL,
  state text NOT NULL,
  revision text NOT NULL,
  entry json NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS ${nameOfIndex("open")} ON ${name} (state) WHERE state <> 'closed';
CREATE INDEX IF NOT EXISTS ${nameOfIndex("ends")} ON ${name} (changed_at)
  WHERE ${UNACKNOWLEDGED};`;
}

/**
 * The rows of recorded ends that no follower has acknowledged, for the index and for the query that uses it. The column is
 * searched as text, because PostgreSQL's functions for JSON reject U+0000. A request with such a field matches as well: the
 * reader of the rows checks each entry.
 */
const UNACKNOWLEDGED = `state = 'closed' AND position('"acknowledged":false' in entry::text) > 0`;

/** Makes the transaction of a statement survive a crash of the server, even if the server's setting does not. */
export const DURABLY = `set_config('synchronous_commit',
  replace(current_setting('synchronous_commit'), 'off', 'on'), true)`;

/** Refuses to wait long for a transaction that has planned the key: it may be the caller's own, which waits for the run. */
const PROMPTLY = "set_config('lock_timeout', '5s', true)";

/** The server's time, in milliseconds since the epoch. */
const MS = "extract(epoch FROM clock_timestamp())::float8 * 1000";

/** Reads the server's time. */
export const NOW = `SELECT ${MS} AS now`;

/** The same wait for a lock, but not beyond this parameter, a time of the server; and whether that time has not come yet. */
export const inTime = (until: string) =>
  `set_config('lock_timeout', greatest(1, least(5000, ${until}::float8 - ${MS}))::int::text, true),
  ${MS} < ${until} AS in_time`;

export const TRANSACTION = "RETURNING pg_current_xact_id()::text AS transaction";

/** Names the transaction of the connection. Outside one, each statement has another. */
export const TRANSACTION_ID = "SELECT pg_current_xact_id()::text AS transaction";

/** Whether a transaction was committed: every connection sees the same. */
export const STATUS = "SELECT pg_xact_status($1::xid8) AS status";

/** How a statement reserves in a budget: see `budgetStatementsOf`. */
export interface ReservingSql {
  /** Common table expressions; `held` has a row if the reservation stands. */
  parts: string;
  /** Columns of the result. */
  result: string;
}

/**
 * The statements of a journal. Each that writes returns one row with the transaction if it changed the entry. Otherwise it
 * returns none, or, of those with a time limit, a row without a transaction.
 */
export function statementsOf(table: string) {
  const name = quoted(table);
  const withSettings = (settings: string) => `WITH settings AS MATERIALIZED (SELECT ${settings})`;
  const insert = `INSERT INTO ${name} (key_hash, revision, entry, state, key)
SELECT $1::text, $2::text, $3::json, $4::text, $5::text FROM settings`;
  const update = `UPDATE ${name} SET revision = $2, entry = $3, state = $4, changed_at = now()
FROM settings WHERE key_hash = $1 AND revision = $5`;
  const end = `ON CONFLICT DO NOTHING ${TRANSACTION}`;
  /** A statement that waited too long in a queue or in the network must have no effect: its call is over. */
  const timed = withSettings(`${DURABLY}, ${inTime("$6")}`);
  const alone = (statement: string) => `${timed}, changed AS (${statement})
SELECT in_time, (SELECT transaction FROM changed) AS transaction FROM settings`;
  /** Changes the entry and reserves in a budget, or neither: a division by zero undoes a reservation without an entry. */
  const together = (statement: string, { parts, result }: ReservingSql) => `${timed}, ${parts},
changed AS (${statement})
SELECT ${result}, (SELECT transaction FROM changed) AS transaction,
  1 / (CASE WHEN EXISTS (SELECT FROM held) AND NOT EXISTS (SELECT FROM changed) THEN 0 ELSE 1 END) AS whole
FROM settings`;
  const whileHeld = "AND EXISTS (SELECT FROM held)";
  /** Changes nothing outside the transaction of the caller, whose other statements may wait as long as they like. */
  const planning = withSettings(`${DURABLY} WHERE pg_current_xact_id_if_assigned()::text = $6`);
  return {
    get: `SELECT key, revision, entry::text AS entry FROM ${name} WHERE key_hash = $1`,
    list: `SELECT key, revision, entry::text AS entry FROM ${name} WHERE state = ANY ($1)`,
    /** A day more than $1, in milliseconds since the epoch: the entries are dated by the clocks of their clients. */
    unacknowledged: `SELECT key, revision, entry::text AS entry FROM ${name} WHERE state = 'submitted' UNION ALL
SELECT key, revision, entry::text AS entry FROM ${name} WHERE ${UNACKNOWLEDGED}
AND changed_at > to_timestamp($1::float8 / 1000) - interval '1 day'`,
    insert: alone(`${insert} WHERE in_time ${end}`),
    update: alone(`${update} AND in_time ${TRANSACTION}`),
    insertReserving: (sql: ReservingSql) => together(`${insert} WHERE in_time ${whileHeld} ${end}`, sql),
    updateReserving: (sql: ReservingSql) =>
      together(`${update} AND in_time ${whileHeld} ${TRANSACTION}`, sql),
    /** Without a time limit: a key that is freed late is better than one that is never freed. */
    delete: `${withSettings(`${DURABLY}, ${PROMPTLY}`)} DELETE FROM ${name} USING settings
WHERE key_hash = $1 AND revision = $2 ${TRANSACTION}`,
    plan: {
      insert: `${planning} ${insert} ${end}`,
      update: `${planning} ${update} ${TRANSACTION}`,
    },
  };
}

/** Also a reserved word can be a name. */
export function quoted(table: string): string {
  return table.replaceAll(/[^.]+/g, '"$&"');
}
