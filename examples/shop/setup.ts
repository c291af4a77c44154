/** Creates the tables of the shop. Run it once before the two processes start; in production, this is one of your migrations. */

import { postgresBudgetSql, postgresJournalSql } from "async-music/postgres";
import { pool } from "./settings.ts";

await pool.query(postgresJournalSql());
await pool.query(postgresBudgetSql());
await pool.query(`CREATE TABLE IF NOT EXISTS shop_orders (
  id text PRIMARY KEY,
  tenant text NOT NULL,
  description text NOT NULL,
  ordered_at timestamptz NOT NULL DEFAULT now(),
  state text NOT NULL DEFAULT 'new',
  task_id text,
  progress real NOT NULL DEFAULT 0,
  note text,
  audio text[] NOT NULL DEFAULT '{}'
)`);
await pool.end();
