/**
 * A journal in PostgreSQL, which processes and machines share.
 *
 * @module async-music/postgres
 */

export type { PostgresClient } from "./client.js";
export { type PlannedOrder, type PostgresJournal, postgresJournal } from "./postgres-journal.js";
export { type PostgresJournalOptions, postgresJournalSql } from "./table.js";
