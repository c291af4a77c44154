import { type Budget, type BudgetOptions, checkBudgetOptions } from "../../budget/budget.js";
import { periodOf } from "../../budget/period.js";
import type { BudgetStore, NewReservation, OpenReservation } from "../../budget/store.js";
import { budgetOf } from "../../budget/tenant-budget.js";
import { checkOption } from "../../errors/options.js";
import { type Clock, createSystemClock } from "../../time/clock.js";
import {
  budgetStatementsOf,
  budgetTableRule,
  DEFAULT_BUDGET_TABLE,
  type PostgresBudgetTable,
} from "./budget-sql.js";
import { type Execute, type PostgresClient, type Row, sqlStateOf, timeout, withinLimit } from "./client.js";
import { clientRule } from "./journal-table.js";
import { journalTables } from "./postgres-journal.js";
import { keyOfRow, storedKey } from "./rows.js";
import { checkCommitted, writeUntil } from "./write.js";

const UNIQUE_VIOLATION = "23505";

/** Options of `postgresBudget`. They must be the same in all processes. */
export interface PostgresBudgetOptions extends BudgetOptions, PostgresBudgetTable {}

/**
 * The most that each customer may spend, kept in PostgreSQL 13 or later: all processes and machines with the same options share
 * it. `postgresBudgetSql` returns the SQL that creates its tables. Each change is one statement. Of a `postgresJournal` on the
 * same pool, an intent and its reservation are written by one statement.
 *
 * Each call of the database ends within 10 s. While PostgreSQL is unavailable, a call of the SDK rejects with `BudgetError` or
 * `JournalError`, and sends nothing.
 *
 * @param pool - a `Pool` of `pg`, or a connection that is in no transaction; you close it
 * @throws `InvalidOptionError` an option is missing or out of range
 *
 * @example
 * ```ts sketch
 * import { postgresBudget, postgresJournal } from "async-music/postgres";
 * import { Pool } from "pg";
 *
 * const pool = new Pool();
 * const journal = postgresJournal(pool);
 * const budget = postgresBudget(pool, { maxCredits: 500, per: "day", timeZone: "Europe/Lisbon", journal });
 * const song = await client.tasks.run(request, { tenant: "acme", budget, journal, journalKey: "order-1" });
 * ```
 */
export function postgresBudget(pool: PostgresClient, options: PostgresBudgetOptions): Budget {
  checkOption("pool", clientRule, pool);
  const checked = checkBudgetOptions(options, { table: budgetTableRule });
  const { table = DEFAULT_BUDGET_TABLE, ...rest } = checked;
  return budgetOf(postgresStore(pool, table, createSystemClock()), rest);
}

function postgresStore(pool: PostgresClient, table: string, clock: Clock): BudgetStore {
  const statements = budgetStatementsOf(table);
  const call = <Value>(work: Parameters<typeof withinLimit<Value>>[2]) => withinLimit(pool, clock, work);
  const change = (text: string, values: unknown[]) =>
    call(async (execute) => {
      const [row] = await execute(text, values);
      await checkCommitted(execute, row?.["transaction"] ?? null, "budget");
    });

  return {
    reserve: (reserve) =>
      call(async (execute, leftMs) => {
        const until = await writeUntil(execute, leftMs);
        const reserveOnce = () => execute(statements.reserve, [...valuesOf(reserve), until]);
        // A try whose connection broke may have been executed meanwhile.
        const [row] = await reserveOnce().catch((error: unknown) => {
          if (sqlStateOf(error) !== UNIQUE_VIOLATION) throw error;
          return reserveOnce();
        });
        const result = await resultOf(execute, row);
        // A statement that waited for another one of the same reservation counts it twice: it does not see it in its snapshot.
        return result.isReserved ? result : resultOf(execute, (await reserveOnce())[0]);
      }),
    settle: (reservation, credits) =>
      change(statements.settle, [
        reservation.id,
        storedKey(reservation.tenant),
        periodOf(reservation),
        credits,
      ]),
    free: ({ id }) => change(statements.free, [id]),
    name: ({ id }, taskId) => call(async (execute) => void (await execute(statements.name, [id, taskId]))),
    async read(tenant, period) {
      const rows = await call((execute) => execute(statements.read, [storedKey(tenant), period]));
      const total = rows.find(({ id }) => id === null);
      return {
        spent: Number(total?.["spent"] ?? 0),
        open: rows.filter(({ id }) => id !== null).map((row) => openOf(row, tenant)),
      };
    },
    withJournal(journal) {
      const journalTable = journalTables.get(journal);
      if (journalTable === undefined || journalTable.pool !== pool) return null;
      return ({ key, entry, previous }, reserve) =>
        journalTable.putReserving(key, entry, previous, {
          lockedRow: `the row of tenant ${JSON.stringify(reserve.reservation.tenant)} in ${table}`,
          statement: statements.reserving,
          values: valuesOf(reserve),
          resultOf,
        });
    },
  };
}

function valuesOf({ reservation, key, maxCredits }: NewReservation): unknown[] {
  const { id, tenant, credits } = reservation;
  const journalKey = key === null ? null : storedKey(key);
  return [id, storedKey(tenant), periodOf(reservation), credits, maxCredits, journalKey];
}

async function resultOf(execute: Execute, row: Row | undefined) {
  if (row?.["in_time"] !== true) throw timeout();
  const heldBy = row["held_by"] ?? null;
  await checkCommitted(execute, heldBy, "budget");
  const isReserved = heldBy !== null || row["was_held"] === true;
  return { isReserved, spent: Number(row["spent"]), reserved: Number(row["reserved"]) };
}

function openOf(row: Row, tenant: string): OpenReservation {
  const taskId = row["task_id"] ?? null;
  return {
    id: String(row["id"]),
    tenant,
    credits: Number(row["reserved"]),
    key: row["journal_key"] === null ? null : keyOfRow({ key: row["journal_key"] }),
    taskId: taskId === null ? null : String(taskId),
  };
}
