import { postgresBudgetSql, postgresJournalSql } from "async-music/postgres";
import { Pool } from "pg";
import { onTestFinished, test } from "vitest";
import { openPostgres } from "../support/budget-orders.js";
import { killOrders } from "../support/kill-orders.js";
import { Cluster } from "./cluster.js";
import { NOT_INSTALLED } from "./connections.js";

/** `BUDGET_KILLS=300` runs the whole test, in a few minutes. */
const KILLS = Number(process.env["BUDGET_KILLS"] ?? 24);

test(
  "processes and servers that are killed spend no credit too many, and leave no reservation",
  async () => {
    // With these settings, an ordinary commit is lost if the server is killed within seconds.
    const settings = ["synchronous_commit=off", "wal_writer_delay=10s"];
    const cluster = await Cluster.create(...settings);
    if (cluster === null) throw new Error(NOT_INSTALLED);
    onTestFinished(() => cluster.remove());
    const pool = new Pool(cluster.connection);
    pool.on("error", () => {});
    onTestFinished(() => pool.end());
    await pool.query(postgresJournalSql());
    await pool.query(postgresBudgetSql());
    await pool.query("CHECKPOINT");
    const server = {
      kind: "postgres",
      address: cluster.folder,
      async restart() {
        await cluster.kill();
        await cluster.start(...settings);
      },
    } as const;
    await killOrders(KILLS, server, openPostgres(pool));
  },
  120_000 + 5000 * KILLS,
);
