import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { SubmissionOutcomeUnknownError } from "async-music";
import { createEmulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { postgresJournal } from "async-music/postgres";
import { expect, onTestFinished, test } from "vitest";
import { createForgetfulCluster } from "./connections.js";
import { createFastClient, PATIENT, requestOf } from "./fast-client.js";

const RESTARTS = 100;
const PROCESSES = 3;
/** After so many restarts, a process is killed as well, and a new one started. */
const RESTARTS_PER_PROCESS = 8;

test("while the server is killed a hundred times, processes create no duplicate and lose no order", async () => {
  const { cluster, pool } = await createForgetfulCluster();
  await pool.query("CREATE TABLE orders (name text PRIMARY KEY)");
  await pool.query("CHECKPOINT");

  const emulator = createEmulator({ clock: "real", credits: 1_000_000, limits: { requests: 1_000_000 } });
  emulator.providers.provider_b.always({ outcome: "success", queue_seconds: 0, process_seconds: 0 });
  emulator.faults.add({ method: "POST", probability: 0.5, fault: { kind: "latency", ms: 20 } });
  const { url, close } = await serve(emulator);
  onTestFinished(close);

  const finished = new Map<string, string>();
  const killed: string[] = [];
  let members = 0;
  const startMember = () => {
    const name = `member-${members++}-`;
    const parameters = [url, emulator.apiKey, cluster.folder, name];
    const script = ["--import", "./tools/loader/run-sources.ts", "test/postgres/run-songs.ts", ...parameters];
    const child = spawn(process.execPath, script, { stdio: ["pipe", "pipe", "inherit"] });
    createInterface({ input: child.stdout }).on("line", (line) => {
      const [order = "", task = ""] = line.split(" ");
      finished.set(order, task);
    });
    return { name, child, ended: once(child, "exit") };
  };

  const fleet = Array.from({ length: PROCESSES }, startMember);
  for (let restart = 0; restart < RESTARTS; restart++) {
    await setTimeout(50 + ((restart * 37) % 200));
    await cluster.kill();
    if (restart % RESTARTS_PER_PROCESS === 0) {
      const [member] = fleet.splice(0, 1, startMember());
      member?.child.kill("SIGKILL");
      await member?.ended;
      killed.push(member?.name ?? "");
    }
    await cluster.start();
  }
  for (const { child } of fleet) child.stdin.end();
  for (const { ended } of fleet) expect((await ended)[0]).toBe(0);

  const journal = postgresJournal(pool);
  const column = async (query: string) =>
    (await pool.query(query)).rows.flatMap((row) => Object.values(row)).map(String);
  const orders = await column("SELECT name FROM orders ORDER BY name");
  const keys = await column("SELECT key FROM async_music_journal ORDER BY key");
  expect(keys).toEqual(orders);
  expect([orders.length > 2 * RESTARTS, finished.size > RESTARTS / 2]).toEqual([true, true]);

  // Every paid task is recorded, unless its process was killed: then its outcome is unknown.
  const entries = new Map(
    await Promise.all(orders.map(async (name) => [name, await journal.get(name)] as const)),
  );
  const unknown = (await journal.open()).filter(({ state }) => state === "intent").map(({ key }) => key);
  expect(unknown.filter((key) => !killed.some((member) => key.startsWith(member)))).toEqual([]);
  for (const { task_id, input } of emulator.state().tasks) {
    const entry = entries.get(String(input?.["prompt"]));
    expect(entry).toMatchObject(entry?.state === "intent" ? { state: "intent" } : { task_id });
  }
  for (const [name, task_id] of finished) expect(entries.get(name)).toMatchObject({ task_id });

  const client = createFastClient(url, emulator.apiKey, PATIENT);
  const run = (journalKey: string) => client.tasks.run(requestOf(journalKey), { journal, journalKey });
  await Promise.all((await journal.planned()).map(({ key }) => run(key)));
  const submitted = (await journal.open()).filter(({ state }) => state === "submitted");
  await Promise.all(submitted.map(({ key }) => run(key)));
  expect((await journal.open()).map(({ key }) => key)).toEqual(unknown);
  for (const key of unknown) await expect(run(key)).rejects.toThrow(SubmissionOutcomeUnknownError);

  const paid = emulator.state().tasks.map(({ input }) => String(input?.["prompt"]));
  expect(paid.length).toBe(new Set(paid).size);
  expect(orders.filter((name) => !paid.includes(name) && !unknown.includes(name))).toEqual([]);
  expect(paid.filter((name) => !orders.includes(name))).toEqual([]);
});
