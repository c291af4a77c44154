import { findRequestViolation } from "../../contract/request-rules.js";
import type { RequestChoice, TaskRequest } from "../../contract/requests.js";
import type { Model, TaskType } from "../../contract/service.js";
import { canonicalJson } from "../../contract/text.js";
import { AsyncMusicError, InvalidRequestError, shown, wrongValue } from "../../errors/base.js";
import { environmentVariable } from "../../errors/environment.js";
import { checkOption, methodsRule, type OptionRule } from "../../errors/options.js";
import { createRedactor } from "../../errors/redactor.js";
import { JournalConflictError, JournalError } from "../../errors/task-errors.js";
import { type DamagedEntry, isFreed, isJournalEntry, listOpen, listReadable } from "../../journal/entries.js";
import type { Journal, JournalEntry, JournalIntent } from "../../journal/journal.js";
import { createSystemClock } from "../../time/clock.js";
import { dateAt } from "../../time/date.js";
import { systemUuid } from "../../time/random.js";
import { hashOf } from "../hash.js";
import {
  type Execute,
  type PostgresClient,
  query,
  type Row,
  sqlStateOf,
  timeout,
  withinLimit,
} from "./client.js";
import {
  DEFAULT_TABLE,
  NOW,
  type PostgresJournalOptions,
  STATUS,
  statementsOf,
  TRANSACTION_ID,
  tableOf,
} from "./table.js";

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
   * After COMMIT, call `run` with the same key and request. If the process ends in between, `planned` lists the order.
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

/** To a run, a planned order is a freed key: it replaces the entry, and restores it after a refusal. */
type PlannedIntent = JournalIntent & { planned?: true };

/**
 * A journal in PostgreSQL 13 or later, which processes and machines can share. `get`, `put` and `delete` change an entry in
 * one statement. `postgresJournalSql` returns the SQL that creates the table.
 *
 * An entry survives a crash of the server once it is written, even with `synchronous_commit = off`. A standby that becomes
 * the primary may lack the last entries, unless replication is synchronous.
 *
 * Each call ends within 10 s, even if the server, the network or the pool does not respond. After that a run rejects with
 * `JournalError` and sends nothing. A write that was given up has no effect later, unless the server stops during its commit.
 * The next run of the same process replaces such a late entry.
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
  const journal = ofPool.get(table) ?? createPostgresJournal(pool, table);
  ofPool.set(table, journal);
  return journal;
}

const [, hasQuery] = methodsRule("query");
const clientRule: OptionRule = ["be a pool or a connection of pg, or have its method `query`", hasQuery];

/** Only a pool counts its connections. It is refused before any query: all of its connections may be taken. */
const connectionRule: OptionRule = [
  "be the connection of your transaction, between BEGIN and COMMIT; a pool is in none",
  (value) => hasQuery(value) && typeof Object(value).totalCount !== "number",
];

/** One journal per pool and table, so that the runs of one process on one key take turns. */
const journals = new WeakMap<PostgresClient, Map<string, PostgresJournal>>();

function createPostgresJournal(pool: PostgresClient, table: string): PostgresJournal {
  const statements = statementsOf(table);

  /** States how to create a missing table. */
  const explained = async <Value>(work: () => Promise<Value>, journalKey = "") => {
    try {
      return await work();
    } catch (cause) {
      if (sqlStateOf(cause) !== UNDEFINED_TABLE) throw cause;
      const options = table === DEFAULT_TABLE ? "" : `{ table: "${table}" }`;
      const parts = {
        what: `There is no table ${table} in this database`,
        advice: [
          "If there was one, restore it: a new table has no record of the orders that were charged.",
          `Otherwise create it with the SQL that postgresJournalSql(${options}) returns: see docs/postgres.md.`,
        ],
      };
      throw new JournalError(parts, { journalKey, cause });
    }
  };

  /** One call of a method. */
  const call = <Value>(work: Parameters<typeof withinLimit<Value>>[1]) =>
    explained(() => withinLimit(pool, work));

  /** Resolves with whether the entry was changed. */
  const write = async (execute: Execute, text: string, values: unknown[]) => {
    const [row] = await execute(text, values).catch((cause: unknown) => {
      if (sqlStateOf(cause) !== LOCK_NOT_AVAILABLE) throw cause;
      const what = "The transaction that planned this key is not over";
      throw new AsyncMusicError({ what, codeAdvice: ["Call `run` after its COMMIT."] }, { cause });
    });
    if (row?.["in_time"] === false) throw timeout();
    const transaction = row?.["transaction"] ?? null;
    if (transaction === null) return false;
    const [found] = await execute(STATUS, [transaction]);
    if (found?.["status"] !== "committed")
      throw new AsyncMusicError({
        what: "The journal's connection is in a transaction, which may be rolled back",
        codeAdvice: ["In a transaction, call `plan` of the journal, and `run` after COMMIT."],
      });
    return true;
  };

  const read = async (execute: Execute, key: string) => {
    const [row] = await execute(statements.get, [await keyHashOf(key)]);
    return row === undefined ? null : entryOf(row, table);
  };

  const list = async (...states: readonly State[]) => {
    const entries: [key: string, entry: JournalEntry][] = [];
    const damaged: DamagedEntry[] = [];
    for (const row of await call((execute) => execute(statements.list, [states]))) {
      const key = keyOf(row);
      try {
        entries.push([key ?? "", entryOf(row, table)]);
      } catch (cause) {
        damaged.push({ key, cause });
      }
    }
    return { entries, damaged };
  };

  const valuesOf = async (key: string, entry: JournalEntry) => [
    await keyHashOf(key),
    entry.revision,
    JSON.stringify(entry),
    stateOf(entry),
  ];

  /** The intent of a planned order remembers the plan, so that the order is planned again if no task was created. */
  const withPlan = async (
    execute: Execute,
    key: string,
    intent: JournalIntent,
    previous: string,
  ): Promise<PlannedIntent> => {
    const found: (JournalEntry & { planned?: true }) | null = await read(execute, key);
    if (found?.revision !== previous || found.planned !== true) return intent;
    if (!isFreed(intent) && !isSameRequest(found, intent)) throw conflict(key, "sent");
    return { ...intent, planned: true };
  };

  return {
    get: (key) => call((execute) => read(execute, key)),
    put: (key, entry, previous) =>
      call(async (execute, leftMs) => {
        const [server] = await execute(NOW, []);
        const until = Number(server?.["now"]) + leftMs() - COMMIT_MS;
        if (previous === null)
          return write(execute, statements.insert, [...(await valuesOf(key, entry)), textOf(key), until]);
        const kept = entry.state === "intent" ? await withPlan(execute, key, entry, previous) : entry;
        return write(execute, statements.update, [...(await valuesOf(key, kept)), previous, until]);
      }),
    delete: (key, revision) =>
      call(async (execute) => write(execute, statements.delete, [await keyHashOf(key), revision])),
    async open() {
      const { entries, damaged } = await list("intent", "submitted");
      return listOpen(entries, damaged);
    },
    async plan(connection, journalKey, request) {
      checkOption("connection", connectionRule, connection);
      if (typeof journalKey !== "string" || journalKey === "")
        throw wrongValue("journalKey", "be a string that is not empty", shown(journalKey));
      const planned = plannedIntent(request);
      refuseSecret(journalKey, planned);
      const values = await valuesOf(journalKey, planned);
      // Not again after an error: the transaction has failed.
      const run: Execute = (text, each) => explained(() => query(connection, text, each), journalKey);
      const [begun] = await run(TRANSACTION_ID, []);
      const transaction = begun?.["transaction"];
      for (;;) {
        const inserted = await run(statements.plan.insert, [...values, textOf(journalKey), transaction]);
        if (inserted.length > 0) return true;
        const [current] = await run(TRANSACTION_ID, []);
        if (current?.["transaction"] !== transaction) throw wrongValue("connection", connectionRule[0]);
        const found = await read(run, journalKey);
        // The key was freed meanwhile.
        if (found === null) continue;
        const isReplaceable = isFreed(found) && stateOf(found) === "closed";
        if (!isReplaceable) {
          if (isSameRequest(found, planned)) return false;
          throw conflict(journalKey, "planned");
        }
        if ((await run(statements.plan.update, [...values, found.revision, transaction])).length > 0)
          return true;
      }
    },
    async planned() {
      const { entries, damaged } = await list("planned");
      if (damaged.length > 0) listReadable(entries, damaged, "planned");
      return entries
        .map(([key, entry]) => ({ key, request: entry.request, since: entry.at }))
        .sort((one, other) => one.since.localeCompare(other.since) || one.key.localeCompare(other.key));
    },
  };
}

/** A statement begins this long before the end of its call, so that its commit does not end later. */
const COMMIT_MS = 1000;

const UNDEFINED_TABLE = "42P01";
const LOCK_NOT_AVAILABLE = "55P03";

/** What the column `state` shows. A closed entry needs neither a run nor a decision. */
type State = "planned" | "intent" | "submitted" | "closed";

function stateOf(entry: JournalEntry & { planned?: true }): State {
  if (isFreed(entry)) return entry.planned === true ? "planned" : "closed";
  return entry.state === "submitted" && entry.status !== undefined ? "closed" : entry.state;
}

/** @throws InvalidRequestError */
function plannedIntent(request: TaskRequest): PlannedIntent {
  const sent = JSON.parse(JSON.stringify(request ?? null));
  const violation = findRequestViolation(sent);
  if (violation !== null) throw new InvalidRequestError(violation.errorCode, violation.issues);
  return {
    state: "intent",
    settled: true,
    planned: true,
    revision: systemUuid(),
    request: sent,
    request_id: "",
    at: dateAt(createSystemClock().now()).toISOString(),
    tasks_created: null,
  };
}

/** Only the key of the environment is available here. A run refuses any other key. */
function refuseSecret(journalKey: string, { request }: PlannedIntent): void {
  const redactor = createRedactor(environmentVariable("ASYNC_MUSIC_API_KEY")?.trim() ?? "");
  if (redactor.containsKey(journalKey)) throw wrongValue("journalKey", "not contain the API key");
  if (canonicalJson(redactor.data(request)) !== canonicalJson(request))
    throw wrongValue("request", "not contain the API key");
}

function isSameRequest(one: JournalEntry, other: JournalEntry): boolean {
  return canonicalJson(one.request) === canonicalJson(other.request);
}

function conflict(journalKey: string, done: "planned" | "sent"): JournalConflictError {
  const name = JSON.stringify(journalKey);
  const parts = {
    what: `Journal key ${name} belongs to another request`,
    facts: [`Nothing was ${done}.`],
    advice: ["Pass the original request, or choose a new key."],
  };
  return new JournalConflictError(parts, { journalKey });
}

/** Any string can be a key. JSON keeps lone surrogates apart, which UTF-8 does not. */
function keyHashOf(key: string): Promise<string> {
  return hashOf(JSON.stringify(key));
}

/** The key in the column `key`, for people. PostgreSQL stores neither lone surrogates nor U+0000: such a key is written as JSON. */
function textOf(key: string): string {
  return /\p{Surrogate}|\0|^"/u.test(key) ? JSON.stringify(key) : key;
}

/** The inverse of `textOf`; `null` if the column was changed by hand. */
function keyOf({ key }: Row): string | null {
  const text = String(key);
  return text.startsWith('"') ? parse(text) : text;
}

function entryOf({ key, revision, entry: text }: Row, table: string): JournalEntry {
  const entry = parse(String(text));
  if (isJournalEntry(entry) && entry.revision === revision) return entry;
  throw new AsyncMusicError({
    what: `The entry of ${JSON.stringify(key)} in ${table} is damaged`,
    advice: ["Restore it, or delete it once you know whether its task exists."],
  });
}

function parse(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
