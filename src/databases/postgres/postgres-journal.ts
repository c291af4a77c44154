import type { RequestChoice, TaskRequest } from "../../contract/requests.js";
import type { Model, TaskType } from "../../contract/service.js";
import { checkOption } from "../../errors/options.js";
import { bySince, listOpen, listReadable } from "../../journal/entries.js";
import type { Journal } from "../../journal/journal.js";
import { createSystemClock } from "../../time/clock.js";
import type { PostgresClient } from "./client.js";
import { clientRule, JournalTable } from "./journal-table.js";
import { type PostgresJournalOptions, tableOf } from "./table.js";

/** A planned order: see `PostgresJournal.plan`. */
export interface PlannedOrder {
  /** The `journalKey`. */
  key: string;
  /** The request: pass it to `run` with the key. */
  request: TaskRequest;
  /** When the order was planned: ISO 8601, by the clock of its process. */
  since: string;
}

/** A journal in PostgreSQL, which can also record an order in a transaction of yours. */
export interface PostgresJournal extends Required<Journal> {
  /**
   * Records an order in your transaction: it is committed or rolled back together with your own rows. Nothing is sent.
   * After COMMIT, call `run` with the same journal key and request. If the process ends in between, `planned` lists the order.
   *
   * It waits for another transaction that has planned the same key, without a time limit: to set one, execute
   * `SET LOCAL lock_timeout = '5s'` after BEGIN.
   *
   * @param connection - the connection of your transaction: a `PoolClient` or `Client` after BEGIN
   * @param journalKey - the key of the order, for `run`
   * @param request - the request of the order, for `run`
   * @returns `false` if the journal already has the order
   * @throws `InvalidRequestError` the service would refuse the request; `InvalidOptionError` the connection is in no
   * transaction, as a `Pool` always is, or the request contains the API key of `ASYNC_MUSIC_API_KEY`; `JournalConflictError` the key belongs to another request; `JournalError` the table is
   * missing; the error of `pg` if another statement fails
   *
   * @example
   * ```ts sketch
   * import { postgresJournal } from "async-music/postgres";
   *
   * const journal = postgresJournal(pool);
   * await connection.query("BEGIN");
   * await connection.query("INSERT INTO orders (name) VALUES ($1)", ["order-1"]);
   * await journal.plan(connection, "order-1", request);
   * await connection.query("COMMIT");
   * const song = await client.tasks.run(request, { journal, journalKey: "order-1" });
   * ```
   */
  plan<Type extends TaskType, Chosen extends Model = Model>(
    connection: PostgresClient,
    journalKey: string,
    request: TaskRequest & RequestChoice<Type, Chosen>,
  ): Promise<boolean>;
  /**
   * Lists the planned orders that no run has taken, oldest first: run each with its key. An order is planned again if its
   * outcome is settled as not created, or if the service refuses its request, for example for missing credits.
   *
   * @throws `JournalError` the table is missing; `JournalDamagedError` an entry is damaged: its `orders` are the other planned
   * orders. `get` returns the request of each
   */
  planned(): Promise<PlannedOrder[]>;
}

/**
 * A journal in PostgreSQL 13 or later, which processes and machines can share. `get`, `put` and `delete` change an entry in
 * one statement. `postgresJournalSql` returns the SQL that creates the table.
 *
 * An entry survives a crash of the server once it is written, even with `synchronous_commit = off`. A standby that becomes
 * the primary may lack the last entries, unless replication is synchronous.
 *
 * Each call except `plan` ends within 10 s, even if the server, the network or the pool does not respond. After that a run rejects
 * with `JournalError` and sends nothing. A write that was given up has no effect later, unless the server stops during its commit, or
 * the commit waits for a synchronous standby. The next run of the same process replaces such a late entry.
 *
 * On a connection that is in a transaction, a run rejects with `JournalError` and sends nothing: a rollback would remove the
 * record of a POST that was sent. To record an order in a transaction, call `plan` in it, and `run` after COMMIT.
 *
 * @param pool - a `Pool` of `pg`, or a connection that is in no transaction; you close it
 * @throws `InvalidOptionError` an option is out of range
 *
 * @example
 * ```ts sketch
 * import { postgresJournal } from "async-music/postgres";
 * import { Pool } from "pg";
 *
 * const journal = postgresJournal(new Pool());
 * const song = await client.tasks.run(request, { journal, journalKey: "order-1" });
 * ```
 */
export function postgresJournal(pool: PostgresClient, options: PostgresJournalOptions = {}): PostgresJournal {
  checkOption("pool", clientRule, pool);
  const table = tableOf(options);
  const ofPool = journals.get(pool) ?? new Map<string, PostgresJournal>();
  journals.set(pool, ofPool);
  const journal =
    ofPool.get(table) ?? createPostgresJournal(new JournalTable(pool, table, createSystemClock()));
  ofPool.set(table, journal);
  return journal;
}

/** One journal per pool and table, so that the runs of one process on one key take turns. */
const journals = new WeakMap<PostgresClient, Map<string, PostgresJournal>>();

/** A journal is a plain object: applications spread it, and replace one of its methods. */
function createPostgresJournal(table: JournalTable): PostgresJournal {
  const journal: PostgresJournal = {
    get: (key) => table.get(key),
    put: (key, entry, previous) => table.put(key, entry, previous),
    delete: (key, revision) => table.delete(key, revision),
    async open() {
      const { entries, damaged } = await table.list("intent", "submitted");
      return listOpen(entries, damaged);
    },
    unacknowledged: (since) => table.listUnacknowledged(since),
    plan: (connection, journalKey, request) => table.plan(connection, journalKey, request),
    async planned() {
      const { entries, damaged } = await table.list("planned");
      if (damaged.length > 0) listReadable(entries, damaged, "planned");
      return entries.map(([key, entry]) => ({ key, request: entry.request, since: entry.at })).sort(bySince);
    },
  };
  journalTables.set(journal, table);
  return journal;
}

/** The table of each journal of `postgresJournal`. */
export const journalTables = new WeakMap<Journal, JournalTable>();
