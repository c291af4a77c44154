/**
 * A journal and the budgets of customers in PostgreSQL, which processes and machines share.
 *
 * @module async-music/postgres
 */

export { type PostgresBudgetTable, postgresBudgetSql } from "./budget-sql.js";
export type { PostgresClient } from "./client.js";
export { type PostgresBudgetOptions, postgresBudget } from "./postgres-budget.js";
export { type PlannedOrder, type PostgresJournal, postgresJournal } from "./postgres-journal.js";
export { type PostgresJournalOptions, postgresJournalSql } from "./table.js";
