import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { createEmulator, type Emulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { expect, onTestFinished } from "vitest";
import { createFastClient, PATIENT } from "../postgres/fast-client.js";
import { MOST_CREDITS, type OrderStore, recoverOrders, TENANTS, tenantOf } from "./budget-orders.js";

const PROCESSES = 4;
/** A process is killed after at most so many orders, which does not depend on the speed of the machine. */
const MOST_ORDERS = 4;
/** The server of the database is killed, and started again, after so many kills of processes. */
const KILLS_PER_RESTART = 6;

/** The server of a database. */
export interface KilledServer {
  kind: "postgres" | "redis";
  address: string;
  restart(): Promise<void>;
}

/**
 * Kills processes that run orders, and now and then the server of their journal and budget. Then all orders are finished, and the
 * budget is compared with the ledger of the service.
 */
export async function killOrders(kills: number, server: KilledServer, store: OrderStore): Promise<void> {
  const emulator = createEmulator({ clock: "real", credits: 1_000_000, limits: { requests: 10_000_000 } });
  emulator.faults.add({ method: "POST", probability: 0.3, fault: { kind: "latency", ms: 10 } });
  emulator.faults.add({ method: "POST", probability: 0.05, fault: { kind: "disconnect", when: "after" } });
  emulator.faults.add({ method: "POST", probability: 0.05, fault: { kind: "disconnect", when: "before" } });
  const { url, close } = await serve(emulator);
  onTestFinished(close);

  const start = async (name: number, generation: number) => {
    const given = [server.kind, server.address, url, emulator.apiKey, `p${name}`, `${generation}`];
    const script = ["--import", "./tools/loader/run-sources.ts", "test/kill/run-orders.ts", ...given];
    const child = spawn(process.execPath, script, { stdio: ["pipe", "pipe", "inherit"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child.stdout, "data");
    return child;
  };

  /** One order in ten succeeds. */
  const hasEnough = () =>
    [...readLedger(emulator).values()].every(
      ({ settled, tasks }) => tasks > kills / 4 && (settled > 0 || kills < 100),
    );
  let killed = 0;
  const restarts: Promise<void>[] = [];
  const live = async (name: number): Promise<ChildProcess> => {
    for (let generation = 0; ; generation++) {
      const child = await start(name, generation);
      if (killed >= kills && hasEnough()) return child;
      await untilRun(child, killed % (MOST_ORDERS + 1));
      await setTimeout((37 * killed) % 20);
      child.kill("SIGKILL");
      await once(child, "exit");
      if (++killed % KILLS_PER_RESTART === 0) restarts.push(server.restart());
    }
  };
  const fleet = await Promise.all(Array.from({ length: PROCESSES }, (_, name) => live(name)));
  await Promise.all(restarts);
  for (const child of fleet) {
    child.stdin?.end();
    const [status] = await once(child, "exit");
    expect(status).toBe(0);
  }
  expect(killed).toBeGreaterThanOrEqual(kills);

  emulator.faults.clear();
  await recoverOrders(createFastClient(url, emulator.apiKey, PATIENT), store, url, "p");
  expect(await store.journal.open()).toEqual([]);
  const ledger = readLedger(emulator);
  for (const tenant of TENANTS) {
    const { spent, reserved } = await store.budget.usage(tenant);
    const { most, settled } = ledger.get(tenant) ?? { most: 0, settled: 0 };
    expect({ tenant, spent, reserved }).toEqual({ tenant, spent: settled, reserved: 0 });
    expect(most).toBeLessThanOrEqual(MOST_CREDITS);
  }
  const prompts = emulator.state().tasks.map(({ input }) => String(input?.["prompt"]));
  expect(prompts.length).toBe(new Set(prompts).size);
  console.info(
    `${killed} kills, ${restarts.length} restarts, ${prompts.length} tasks`,
    Object.fromEntries(ledger),
  );
}

/** Resolves when a process has run so many orders more, successful or not. */
async function untilRun({ stdout }: ChildProcess, orders: number): Promise<void> {
  for (let run = 0; stdout !== null && run < orders; ) {
    const [lines] = await once(stdout, "data");
    run += String(lines).split("\n").length - 1;
  }
}

/** By tenant: the most credits that were frozen or settled at one time, and those that are settled. */
function readLedger(emulator: Emulator) {
  const tenants = new Map(
    emulator.state().tasks.map(({ task_id, input }) => [task_id, tenantOf(String(input?.["prompt"]))]),
  );
  const sums = new Map(TENANTS.map((tenant) => [String(tenant), { used: 0, most: 0, settled: 0, tasks: 0 }]));
  for (const { kind, credits, task_id } of emulator.accounts.get(emulator.accountId).ledger) {
    const sum = sums.get(tenants.get(String(task_id)) ?? "");
    if (sum === undefined) continue;
    if (kind === "freeze") {
      sum.used += Math.abs(credits);
      sum.tasks++;
    }
    if (kind === "refund") sum.used -= Math.abs(credits);
    if (kind === "settle") sum.settled += Math.abs(credits);
    sum.most = Math.max(sum.most, sum.used);
  }
  return sums;
}
