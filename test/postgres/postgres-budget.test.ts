import { postgresBudget, postgresBudgetSql, postgresJournal } from "async-music/postgres";
import { describe } from "vitest";
import { describeBudget } from "../support/describe-budget.js";
import { connectPool, createTable } from "./connections.js";

let tables = 0;

describe.each(["one pool", "a pool for each"])("with %s", (which) => {
  describeBudget(async () => {
    const table = `budget_${process.pid}_${tables++}`;
    const pool = connectPool();
    await pool.query(postgresBudgetSql({ table }));
    const journalTable = await createTable();
    const other = which === "one pool" ? pool : connectPool();
    return {
      budget: (options) => postgresBudget(pool, { ...options, table }),
      journal: () => postgresJournal(other, { table: journalTable }),
    };
  });
});
