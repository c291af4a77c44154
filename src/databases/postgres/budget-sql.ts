import { checkOptions } from "../../errors/options.js";
import { DURABLY, inTime, quoted, TRANSACTION, tableRule } from "./table.js";

/** The name of the tables of a budget. */
export interface PostgresBudgetTable {
  /**
   * The name of the table of the totals, also with a schema: `"music.budget"`. The table of the reservations and the
   * charges has this name and `_charges`. Each of the two names has up to 50 lower-case letters, digits and underscores, and
   * begins with no digit.
   *
   * @defaultValue "async_music_budget"
   */
  table?: string | undefined;
}

export const DEFAULT_BUDGET_TABLE = "async_music_budget";

export const budgetTableRule = tableRule(50);

/**
 * Returns the SQL that creates the two tables of a budget: run it once, with your migrations.
 *
 * @throws `InvalidOptionError` an option is out of range
 *
 * @example
 * ```ts sketch
 * import { postgresBudgetSql } from "async-music/postgres";
 *
 * await pool.query(postgresBudgetSql());
 * ```
 */
export function postgresBudgetSql(options: PostgresBudgetTable = {}): string {
  const { table = DEFAULT_BUDGET_TABLE } = checkOptions(options, { table: budgetTableRule });
  const { totals, charges } = namesOf(table);
  const index = quoted(`${table.split(".").at(-1)}_open`);
  return `CREATE TABLE IF NOT EXISTS ${totals} (
  tenant text NOT NULL,
  period text NOT NULL,
  spent numeric NOT NULL DEFAULT 0,
  reserved numeric NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant, period)
);
CREATE TABLE IF NOT EXISTS ${charges} (
  id text PRIMARY KEY,
  tenant text NOT NULL,
  period text NOT NULL,
  reserved numeric NOT NULL,
  spent numeric,
  journal_key text,
  task_id text,
  changed_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS ${index} ON ${charges} (tenant) WHERE spent IS NULL;`;
}

function namesOf(table: string) {
  return { totals: quoted(table), charges: quoted(`${table}_charges`) };
}

/**
 * The statements of a budget. The row of a tenant and period in the table of totals orders all reservations: each waits for the
 * row's lock, then adds to the newest numbers.
 */
export function budgetStatementsOf(table: string) {
  const { totals, charges } = namesOf(table);

  /**
   * Reserves as a part of a statement with `settings`, by six parameters from this number on: ID, tenant, period, credits,
   * maximum and journal key. `held` has a row if the reservation stands.
   */
  const reserving = (first: number) => {
    const [id, tenant, period, credits, most, key] = Array.from({ length: 6 }, (_, at) => `$${first + at}`);
    return {
      parts: `known AS (SELECT reserved, spent IS NOT NULL AS is_settled FROM ${charges} WHERE id = ${id}),
used AS (
  SELECT coalesce(sum(spent), 0) AS spent,
    coalesce(sum(reserved), 0) - coalesce((SELECT reserved FROM known WHERE NOT is_settled), 0) AS reserved
  FROM ${totals} WHERE tenant = ${tenant} AND period = ${period}),
total AS (
  INSERT INTO ${totals} AS own (tenant, period, reserved)
  SELECT ${tenant}::text, ${period}::text, ${credits}::numeric FROM settings
  WHERE in_time AND NOT EXISTS (SELECT FROM known) AND ${credits}::numeric <= ${most}::numeric
  ON CONFLICT (tenant, period) DO UPDATE SET reserved = own.reserved + excluded.reserved
  WHERE own.spent + own.reserved + excluded.reserved <= ${most}::numeric
  RETURNING 1),
held AS (
  INSERT INTO ${charges} (id, tenant, period, reserved, journal_key)
  SELECT ${id}, ${tenant}, ${period}, ${credits}::numeric, ${key} FROM total ${TRANSACTION})`,
      result: `in_time, (SELECT transaction FROM held) AS held_by,
  EXISTS (SELECT FROM known, used
    WHERE is_settled OR used.spent + used.reserved + ${credits}::numeric <= ${most}::numeric) AS was_held,
  (SELECT spent FROM used)::float8 AS spent, (SELECT reserved FROM used)::float8 AS reserved`,
    };
  };

  const alone = reserving(1);
  const durably = `settings AS MATERIALIZED (SELECT ${DURABLY})`;
  return {
    /** For a statement that reserves as well: see `statementsOf` of the journal. */
    reserving,
    reserve: `WITH settings AS MATERIALIZED (SELECT ${DURABLY}, ${inTime("$7")}), ${alone.parts}
SELECT ${alone.result} FROM settings`,
    settle: `WITH ${durably},
settled AS (
  INSERT INTO ${charges} AS own (id, tenant, period, reserved, spent)
  SELECT $1::text, $2::text, $3::text, 0, $4::numeric FROM settings
  ON CONFLICT (id) DO UPDATE SET spent = excluded.spent, changed_at = now() WHERE own.spent IS NULL
  RETURNING reserved, spent)
INSERT INTO ${totals} AS own (tenant, period, spent) SELECT $2, $3, spent FROM settled
ON CONFLICT (tenant, period) DO UPDATE SET spent = own.spent + excluded.spent,
  reserved = own.reserved - (SELECT reserved FROM settled)
${TRANSACTION}`,
    free: `WITH ${durably},
freed AS (
  DELETE FROM ${charges} USING settings WHERE id = $1 AND spent IS NULL
  RETURNING tenant, period, reserved)
UPDATE ${totals} AS own SET reserved = own.reserved - freed.reserved
FROM freed WHERE own.tenant = freed.tenant AND own.period = freed.period ${TRANSACTION}`,
    name: `UPDATE ${charges} SET task_id = $2 WHERE id = $1 AND spent IS NULL`,
    read: `SELECT spent::float8 AS spent, NULL AS id, NULL AS reserved, NULL AS journal_key, NULL AS task_id
FROM ${totals} WHERE tenant = $1 AND period = $2 UNION ALL
SELECT NULL, id, reserved::float8, journal_key, task_id FROM ${charges} WHERE tenant = $1 AND spent IS NULL`,
  };
}
