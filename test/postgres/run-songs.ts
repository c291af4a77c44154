/** A process that orders and creates songs until its input closes. It prints the name and the task of each, and may be killed. */

import { Pool } from "pg";
import { postgresJournal } from "../../src/databases/postgres/index.js";
import { AsyncMusicError, JournalError } from "../../src/index.js";
import { createFastClient, requestOf } from "./fast-client.js";

const [baseUrl = "", apiKey = "", host = "", member = ""] = process.argv.slice(2);
const pool = new Pool({ host, user: "postgres", database: "postgres", max: 4 });
pool.on("error", () => {});
pool.on("connect", (connection) => connection.on("error", () => {}));
const journal = postgresJournal(pool);
const client = createFastClient(baseUrl, apiKey);

process.stdin.resume();

await Promise.all([orderSongs("a"), orderSongs("b"), orderSongs("c")]);
await pool.end();

async function orderSongs(line: string): Promise<void> {
  for (let number = 0; !process.stdin.readableEnded; number++) {
    const name = `${member}${line}${number}`;
    const request = requestOf(name);
    try {
      // Each fifth order is rolled back.
      const isCommitted = await transaction(number % 5 === 4 ? "ROLLBACK" : "COMMIT", async (connection) => {
        await connection.query("INSERT INTO orders (name) VALUES ($1)", [name]);
        await journal.plan(connection, name, request);
      });
      if (!isCommitted) continue;
      const song = await client.tasks.run(request, { journal, journalKey: name });
      process.stdout.write(`${name} ${song.task_id}\n`);
    } catch (error) {
      if (error instanceof AsyncMusicError && !(error instanceof JournalError)) throw error;
      // The server was killed. The test finishes what was planned.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

async function transaction(
  end: "COMMIT" | "ROLLBACK",
  work: (connection: Pick<Pool, "query">) => Promise<void>,
): Promise<boolean> {
  const connection = await pool.connect();
  let isBroken = true;
  try {
    await connection.query("BEGIN");
    await work(connection);
    await connection.query(end);
    isBroken = false;
    return end === "COMMIT";
  } finally {
    connection.release(isBroken);
  }
}
