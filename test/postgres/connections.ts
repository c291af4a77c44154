import { type PostgresJournal, postgresJournalSql } from "async-music/postgres";
import { Client, Pool } from "pg";
import { inject, onTestFinished } from "vitest";
import { Cluster } from "./cluster.js";

const NOT_INSTALLED = "These tests need PostgreSQL: install Debian's package postgresql";

/** How `pg` connects to the server for the tests. */
export function connection() {
  const host = inject("postgresFolder");
  if (host === null) throw new Error(NOT_INSTALLED);
  return { host, user: "postgres", database: "postgres" };
}

export function connectPool(options: ConstructorParameters<typeof Pool>[0] = {}): Pool {
  const pool = new Pool({ ...connection(), ...options });
  onTestFinished(() => pool.end());
  return pool;
}

/** A pool whose connections the test breaks. */
export function connectBreakingPool(options: ConstructorParameters<typeof Pool>[0]): Pool {
  const pool = new Pool(options);
  pool.on("error", () => {});
  pool.on("connect", (connection) => connection.on("error", () => {}));
  onTestFinished(() => pool.end());
  return pool;
}

export async function connectClient(): Promise<Client> {
  const client = new Client(connection());
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** A server of its own, which the caller removes. */
export async function createCluster(...settings: readonly string[]): Promise<Cluster> {
  const cluster = await Cluster.create(...settings);
  if (cluster === null) throw new Error(NOT_INSTALLED);
  return cluster;
}

/** A server of its own, and a pool: an ordinary commit is lost if the server is killed within seconds. It has the table of a journal. */
export async function createForgetfulCluster() {
  const cluster = await createCluster("synchronous_commit=off", "wal_writer_delay=10s");
  onTestFinished(() => cluster.remove());
  const pool = connectBreakingPool(cluster.connection);
  await pool.query(postgresJournalSql());
  return { cluster, pool };
}

let tables = 0;

/** The name of an empty table for a journal. */
export async function createTable(): Promise<string> {
  const table = `journal_${process.pid}_${tables++}`;
  await connectPool().query(postgresJournalSql({ table }));
  return table;
}

/** Plans an order in a transaction of its own. */
export async function planAlone(
  pool: Pool,
  journal: PostgresJournal,
  ...[key, request]: Parameters<PostgresJournal["plan"]> extends [unknown, ...infer Order] ? Order : never
): Promise<boolean> {
  const connection = await pool.connect();
  try {
    await connection.query("BEGIN");
    const isNew = await journal.plan(connection, key, request);
    await connection.query("COMMIT");
    return isNew;
  } catch (error) {
    await connection.query("ROLLBACK");
    throw error;
  } finally {
    connection.release();
  }
}
