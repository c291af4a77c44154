import { canonicalJson } from "../../contract/canonical-json.js";
import { findRequestViolation } from "../../contract/request-rules.js";
import type { TaskRequest } from "../../contract/requests.js";
import { messageOfThrown } from "../../contract/thrown.js";
import { AsyncMusicError, InvalidRequestError, shown, wrongValue } from "../../errors/base.js";
import { environmentVariable } from "../../errors/environment.js";
import { checkOption, methodsRule, type OptionRule } from "../../errors/options.js";
import { createRedactor } from "../../errors/redactor.js";
import { JournalConflictError, JournalError } from "../../errors/task-errors.js";
import { type DamagedEntry, isFreed } from "../../journal/entries.js";
import type { JournalEntry, JournalIntent } from "../../journal/journal.js";
import { listed } from "../../journal/listed.js";
import { listUnacknowledged } from "../../journal/unacknowledged.js";
import { type Clock, wallTime } from "../../time/clock.js";
import { dateAt } from "../../time/date.js";
import { systemUuid } from "../../time/random.js";
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
  type EntryState,
  entryOfRow,
  keyHashOf,
  keyOfRow,
  type PlannedIntent,
  stateOfEntry,
  storedKey,
} from "./rows.js";
import { DEFAULT_TABLE, type ReservingSql, statementsOf, TRANSACTION_ID } from "./table.js";
import { checkCommitted, writeUntil } from "./write.js";

const UNDEFINED_TABLE = "42P01";
const LOCK_NOT_AVAILABLE = "55P03";
/** How a statement ends that would have reserved without changing the entry, or that was already executed. */
const NOT_WHOLE = new Set(["22012", "23505"]);

const [, hasQuery] = methodsRule("query");

export const clientRule: OptionRule = [
  "be a pool or a connection of pg, or have its method `query`",
  hasQuery,
];

/** Only a pool counts its connections. It is refused before any query: all of its connections may be taken. */
const connectionRule: OptionRule = [
  "be the connection of your transaction, between BEGIN and COMMIT; a pool is in none",
  (value) => hasQuery(value) && typeof Object(value).totalCount !== "number",
];

interface Reserving<Result> {
  /** The row that the statement locks, for the error when another transaction has locked it. */
  lockedRow: string;
  /** By the number of its first parameter. */
  statement(first: number): ReservingSql;
  values: readonly unknown[];
  resultOf(execute: Execute, row: Row): Promise<Result>;
}

/** The entries in one table. Each call of a method ends within a time limit. */
export class JournalTable {
  readonly pool: PostgresClient;
  readonly #table: string;
  readonly #clock: Clock;
  readonly #statements: ReturnType<typeof statementsOf>;

  constructor(pool: PostgresClient, table: string, clock: Clock) {
    this.pool = pool;
    this.#table = table;
    this.#clock = clock;
    this.#statements = statementsOf(table);
  }

  get(key: string): Promise<JournalEntry | null> {
    return this.#call((execute) => this.#read(execute, key));
  }

  put(key: string, entry: JournalEntry, previous: string | null): Promise<boolean> {
    return this.#call(async (execute, leftMs) => {
      const { insert, update } = this.#statements;
      const values = await this.#valuesOf(execute, leftMs, key, entry, previous);
      return this.#write(execute, previous === null ? insert : update, values);
    });
  }

  /**
   * Sets an entry as `put` does, and reserves in a budget of the same database: both or neither. Resolves with what `resultOf`
   * makes of the result, with `null` if the key does not hold the previous revision.
   */
  putReserving<Result extends { isReserved: boolean }>(
    key: string,
    entry: JournalEntry,
    previous: string | null,
    { lockedRow, statement, values: reserve, resultOf }: Reserving<Result>,
  ): Promise<Result | null> {
    return this.#call(async (execute, leftMs) => {
      const { insertReserving, updateReserving } = this.#statements;
      const values = await this.#valuesOf(execute, leftMs, key, entry, previous);
      const sql = statement(values.length + 1);
      const text = previous === null ? insertReserving(sql) : updateReserving(sql);
      const putOnce = async () => {
        const [row] = await this.#execute(execute, text, [...values, ...reserve], lockedRow).catch(
          async (cause: unknown) => {
            if (NOT_WHOLE.has(sqlStateOf(cause) ?? "")) return [];
            if (sqlStateOf(cause) !== UNDEFINED_TABLE) throw cause;
            // If the journal's table is the one that is missing, this throws.
            await this.#read(execute, key);
            throw new Error(messageOfThrown(cause), { cause });
          },
        );
        return row && { isPut: row["transaction"] !== null, result: await resultOf(execute, row) };
      };
      const first = await putOnce();
      // A statement that waited for others does not see in its snapshot what they have reserved.
      const tried = first?.result.isReserved === false ? await putOnce() : first;
      if (tried === undefined) return null;
      const { isPut, result } = tried;
      if (isPut) return result;
      // It does not fit, or a try whose response was lost has reserved it with the entry, which may be gone by now.
      const found = await this.#read(execute, key);
      const expected = result.isReserved ? entry.revision : previous;
      return (found?.revision ?? null) === expected ? result : null;
    });
  }

  delete(key: string, revision: string): Promise<boolean> {
    return this.#call(async (execute) =>
      this.#write(execute, this.#statements.delete, [await keyHashOf(key), revision]),
    );
  }

  /** The entries with one of these states, and the damaged ones among them. */
  list(...states: readonly EntryState[]) {
    return this.#entriesOf(this.#statements.list, [states]);
  }

  /** The orders of which no follower has acknowledged the end. */
  async listUnacknowledged(since = dateAt(0)) {
    const { entries } = await this.#entriesOf(this.#statements.unacknowledged, [since.getTime()]);
    return listUnacknowledged(entries, since);
  }

  async #entriesOf(statement: string, values: unknown[]) {
    const entries: [key: string, entry: JournalEntry][] = [];
    const damaged: DamagedEntry[] = [];
    const read = () => this.#call((execute) => execute(statement, values));
    for (const row of await listed("in PostgreSQL", read)) {
      const key = keyOfRow(row);
      try {
        entries.push([key ?? "", entryOfRow(row, this.#table)]);
      } catch (cause) {
        damaged.push({ key, cause });
      }
    }
    return { entries, damaged };
  }

  /** See `PostgresJournal.plan`. */
  async plan(connection: PostgresClient, journalKey: string, request: TaskRequest): Promise<boolean> {
    checkOption("connection", connectionRule, connection);
    if (typeof journalKey !== "string" || journalKey === "")
      throw wrongValue("journalKey", "be a string that is not empty", shown(journalKey));
    const planned = plannedIntent(request, wallTime(this.#clock));
    refuseSecret(journalKey, planned);
    const { insert, update } = this.#statements.plan;
    const values = await valuesOf(journalKey, planned);
    // Not again after an error: the transaction has failed.
    const execute: Execute = (text, each) => this.#explained(() => query(connection, text, each), journalKey);
    const transaction = await currentTransaction(execute);
    for (;;) {
      const inserted = await execute(insert, [...values, storedKey(journalKey), transaction]);
      if (inserted.length > 0) return true;
      if ((await currentTransaction(execute)) !== transaction)
        throw wrongValue("connection", connectionRule[0]);
      const found = await this.#read(execute, journalKey);
      // The key was freed meanwhile.
      if (found === null) continue;
      const isReplaceable = isFreed(found) && stateOfEntry(found) === "closed";
      if (!isReplaceable) {
        if (isSameRequest(found, planned)) return false;
        throw conflict(journalKey, "planned");
      }
      if ((await execute(update, [...values, found.revision, transaction])).length > 0) return true;
    }
  }

  #call<Value>(work: Parameters<typeof withinLimit<Value>>[2]): Promise<Value> {
    return this.#explained(() => withinLimit(this.pool, this.#clock, work));
  }

  /** States how to create a missing table. */
  async #explained<Value>(work: () => Promise<Value>, journalKey = ""): Promise<Value> {
    try {
      return await work();
    } catch (cause) {
      if (sqlStateOf(cause) !== UNDEFINED_TABLE) throw cause;
      const table = this.#table;
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
  }

  async #read(execute: Execute, key: string): Promise<JournalEntry | null> {
    const [row] = await execute(this.#statements.get, [await keyHashOf(key)]);
    return row === undefined ? null : entryOfRow(row, this.#table);
  }

  /** The parameters of `insert` or `update`. */
  async #valuesOf(
    execute: Execute,
    leftMs: () => number,
    key: string,
    entry: JournalEntry,
    previous: string | null,
  ): Promise<unknown[]> {
    const until = await writeUntil(execute, leftMs);
    if (previous === null) return [...(await valuesOf(key, entry)), storedKey(key), until];
    const kept = entry.state === "intent" ? await this.#withPlan(execute, key, entry, previous) : entry;
    return [...(await valuesOf(key, kept)), previous, until];
  }

  /** Resolves with whether the entry was changed. */
  async #write(execute: Execute, text: string, values: unknown[]): Promise<boolean> {
    const [row] = await this.#execute(execute, text, values);
    if (row?.["in_time"] === false) throw timeout();
    const transaction = row?.["transaction"] ?? null;
    await checkCommitted(execute, transaction, "journal");
    return transaction !== null;
  }

  /** @param lockedRow - what the statement locks beside the entry */
  async #execute(
    execute: Execute,
    text: string,
    values: unknown[],
    lockedRow?: string,
  ): Promise<readonly Row[]> {
    return execute(text, values).catch((cause: unknown) => {
      if (sqlStateOf(cause) !== LOCK_NOT_AVAILABLE) throw cause;
      const locked = lockedRow === undefined ? "the entry" : `the entry or ${lockedRow}`;
      // Where the server waited, if it says so: it names the table.
      const where: unknown = Object(cause).where;
      const parts = {
        what: `Another transaction has locked ${locked}`,
        why: typeof where === "string" ? where : undefined,
        advice: ["Wait until that transaction is over, or end it."],
        codeAdvice: ["If it has planned this journal key, call `run` after its COMMIT."],
      };
      throw new AsyncMusicError(parts, { cause });
    });
  }

  /** The intent of a planned order remembers the plan, so that the order is planned again if no task was created. */
  async #withPlan(
    execute: Execute,
    key: string,
    intent: JournalIntent,
    previous: string,
  ): Promise<PlannedIntent> {
    const found: (JournalEntry & { planned?: true }) | null = await this.#read(execute, key);
    if (found?.revision !== previous || found.planned !== true) return intent;
    if (!isFreed(intent) && !isSameRequest(found, intent)) throw conflict(key, "sent");
    return { ...intent, planned: true };
  }
}

async function currentTransaction(execute: Execute): Promise<unknown> {
  const [row] = await execute(TRANSACTION_ID, []);
  return row?.["transaction"];
}

async function valuesOf(key: string, entry: JournalEntry): Promise<unknown[]> {
  return [await keyHashOf(key), entry.revision, JSON.stringify(entry), stateOfEntry(entry)];
}

/** @throws InvalidRequestError */
function plannedIntent(request: TaskRequest, now: number): PlannedIntent {
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
    at: dateAt(now).toISOString(),
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
    advice: ["Pass the original request, or choose a new journal key."],
  };
  return new JournalConflictError(parts, { journalKey });
}
