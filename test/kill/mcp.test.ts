import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { settleOutcome } from "async-music";
import { createEmulator, type Emulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { fileJournal } from "async-music/node";
import { expect, test } from "vitest";
import { connectMcp } from "../cli/support/mcp.js";
import { bundle, paidTasks } from "./support.js";

const ROUNDS = 12;
const SERVERS_PER_ROUND = 2;
const ORDERS_PER_SERVER = 3;
/** Fewer than half of the orders fit. */
const ORDERS = 24;
const MAX_CREDITS = 110;

const { folder, script } = await bundle("test/kill/run-server.ts");

test("24 agent servers that end at any time create one task for each order, lose none, and stay within the budget", async () => {
  await using emulator = createEmulator({ clock: "real", credits: 10_000, limits: { requests: 100_000 } });
  emulator.faults.add({ method: "POST", probability: 0.7, fault: { kind: "latency", ms: 60 } });
  const { url, close } = await serve(emulator);
  const journalPath = join(folder, "journal");
  const journal = fileJournal(journalPath);

  const ends: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const servers = Array.from({ length: SERVERS_PER_ROUND }, (_, place) => {
      const index = round * SERVERS_PER_ROUND + place;
      const orders = Array.from({ length: ORDERS_PER_SERVER }, (__, step) => (index + step * 5) % ORDERS);
      // From the first step to after the last one, in an order that mixes both signals with all moments.
      const afterMs = (index * 37) % 190;
      const signal = index % 2 === 0 ? "SIGKILL" : "SIGTERM";
      return liveAndDie(
        [url, emulator.apiKey, journalPath, folder, String(MAX_CREDITS)],
        orders,
        afterMs,
        signal,
      );
    });
    ends.push(...(await Promise.all(servers)));
    expect(spentBy(emulator)).toBeLessThanOrEqual(MAX_CREDITS);
  }
  expect(ends.filter((end) => end === "SIGKILL")).toHaveLength(12);
  expect(ends.filter((end) => end === "ended by itself")).toHaveLength(12);

  // Each task belongs to the order that created it, or that order's outcome is unknown.
  emulator.faults.clear();
  const tasks = await tasksOf(emulator);
  expect(new Set(tasks.map(({ order }) => order)).size).toBe(tasks.length);
  for (const { order, taskId } of tasks) {
    const entry = await journal.get(order);
    if (entry?.state === "intent") expect(await settleOutcome(journal, order, taskId)).toBe(true);
    else expect([order, entry]).toEqual([order, expect.objectContaining({ task_id: taskId })]);
  }
  // An intent without a task: the process was killed before its POST arrived.
  for (const { key, state } of await journal.open())
    if (state === "intent") expect(await settleOutcome(journal, key, null)).toBe(true);

  const { call } = await connectMcp(
    { emulator: skipping(emulator), folder, journal: journalPath },
    { maxCredits: MAX_CREDITS },
  );
  const before = spentBy(emulator);
  for (const { order, taskId } of tasks)
    expect((await call("check_order", { order })).data).toMatchObject({ status: "success", task_id: taskId });
  expect(spentBy(emulator)).toBe(before);
  expect((await call("balance")).data.max_credits_left).toBe(MAX_CREDITS - before);
  for (let index = 0; index < ORDERS; index++) await call("make_song", songOf(index));
  expect(spentBy(emulator)).toBe(MAX_CREDITS);
  const orders = (await tasksOf(emulator)).map(({ order }) => order);
  expect(new Set(orders).size).toBe(orders.length);
  await close();
});

const songOf = (index: number) => ({ order: `song ${index}`, description: `song ${index}` });

/** Starts a server, orders songs, and ends it this long after it has begun to read them. */
async function liveAndDie(
  parameters: string[],
  orders: readonly number[],
  afterMs: number,
  signal: "SIGKILL" | "SIGTERM",
): Promise<string> {
  const child = spawn(process.execPath, [script, ...parameters], { stdio: ["pipe", "pipe", "pipe"] });
  const written = { stdout: "", stderr: "" };
  child.stderr.on("data", (chunk) => {
    written.stderr += chunk;
  });
  child.stdin.on("error", () => {});
  const send = (id: number, method: string, params: object) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  send(0, "initialize", {
    ...{ protocolVersion: "2025-06-18", capabilities: {} },
    clientInfo: { name: "test", version: "1.0.0" },
  });
  await Promise.race([once(child.stdout, "data"), once(child, "exit")]);
  expect([child.exitCode, written.stderr]).toEqual([null, ""]);
  child.stdout.on("data", (chunk) => {
    written.stdout += chunk;
  });
  for (const index of orders) send(index + 1, "tools/call", { name: "make_song", arguments: songOf(index) });
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  child.kill(signal);
  const [status, killedBy] = await once(child, "close");
  for (const line of written.stdout.split("\n").filter((text) => text !== ""))
    if (signal === "SIGTERM") expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
  for (const line of written.stderr.split("\n").filter((text) => text !== ""))
    expect(line).toMatch(
      /^async-music: order "song \d+": (task [\da-f-]{36} |nothing was sent|it is unknown)/,
    );
  return killedBy ?? (status === 0 ? "ended by itself" : `status ${status}`);
}

function spentBy({ accounts, accountId }: Emulator): number {
  const { balance } = accounts.get(accountId);
  return 10_000 - balance.available;
}

const tasksOf = async (emulator: Emulator) =>
  (await paidTasks(emulator)).map(({ taskId, input }) => ({
    order: String(input.gpt_description_prompt),
    taskId,
  }));

/** The emulator with a client whose sleeps move the service's time. */
function skipping(emulator: Emulator): Emulator {
  const { clock, ...connection } = emulator.connection();
  const fast = { now: () => clock.now(), sleep: (ms: number) => emulator.clock.advance(ms) };
  return Object.create(emulator, { connection: { value: () => ({ ...connection, clock: fast }) } });
}
