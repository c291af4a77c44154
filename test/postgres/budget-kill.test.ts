import { postgresBudgetSql } from "async-music/postgres";
import { test } from "vitest";
import { openPostgres } from "../support/budget-orders.js";
import { killOrders } from "../support/kill-orders.js";
import { createForgetfulCluster } from "./connections.js";

/** `BUDGET_KILLS=300` runs the whole test, in a few minutes. */
const KILLS = Number(process.env["BUDGET_KILLS"] ?? 24);

test(
  "processes and servers that are killed spend no credit too many, and leave no reservation",
  async () => {
    const { cluster, pool } = await createForgetfulCluster();
    await pool.query(postgresBudgetSql());
    await pool.query("CHECKPOINT");
    const restart = () => cluster.kill().then(() => cluster.start());
    const server = { kind: "postgres", address: cluster.folder, restart } as const;
    await killOrders(KILLS, server, openPostgres(pool));
  },
  120_000 + 5000 * KILLS,
);
