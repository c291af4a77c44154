import type { Redis } from "ioredis";
import type { Pool } from "pg";
import { postgresBudget, postgresJournal } from "../../src/databases/postgres/index.js";
import { redisBudget, redisJournal } from "../../src/databases/redis/index.js";
import {
  type AsyncMusic,
  type Budget,
  CreditCeilingError,
  type Journal,
  settleOutcome,
  TaskFailedError,
} from "../../src/index.js";

/** The budget of each tenant, in credits: twenty orders. */
export const MOST_CREDITS = 100;
export const TENANTS = ["acme", "bolt"] as const;

export interface OrderStore {
  journal: Required<Journal>;
  budget: Budget;
}

export function openPostgres(pool: Pool): OrderStore {
  const journal = postgresJournal(pool);
  return { journal, budget: postgresBudget(pool, { maxCredits: MOST_CREDITS, per: "total", journal }) };
}

export function openRedis(redis: Redis): OrderStore {
  const journal = redisJournal(redis);
  return { journal, budget: redisBudget(redis, { maxCredits: MOST_CREDITS, per: "total", journal }) };
}

/** A number of an order, by its name. Each process of a name begins its numbers anew, and few get beyond the first one. */
function numberOf(order: string): number {
  const [generation = 0, number = 0] = (/-(\d+)[a-c](\d+)$/.exec(order) ?? []).slice(1).map(Number);
  return generation + number;
}

/** The tenant of an order, by its name. */
export function tenantOf(order: string) {
  return TENANTS[numberOf(order) % TENANTS.length] ?? TENANTS[0];
}

/** The orders of each tenant that succeed, by their numbers modulo 20. */
const SUCCESSES = [0, 7];

/** The request and the options of an order. Most tasks fail, so that their credits are free again. */
export function orderOptions({ journal, budget }: OrderStore, order: string) {
  const request = { model: "provider_b", task_type: "music", input: { prompt: order } } as const;
  const outcome = SUCCESSES.includes(numberOf(order) % 20) ? "success" : "failure";
  const headers = {
    "X-Emulator-Outcome": JSON.stringify({ outcome, queue_seconds: 0, process_seconds: 0 }),
  };
  return [request, { tenant: tenantOf(order), journal, budget, journalKey: order, headers }] as const;
}

/** Decides and finishes the open orders whose names begin like this, as an operator does. No process may still run them. */
export async function recoverOrders(
  client: AsyncMusic,
  store: OrderStore,
  baseUrl: string,
  start: string,
): Promise<void> {
  const open = (await store.journal.open()).filter(({ key }) => key.startsWith(start));
  if (open.length === 0) return;
  const state: { tasks: { task_id: string; input: { prompt: string } }[] } = await (
    await fetch(`${baseUrl}/_emulator/state`)
  ).json();
  for (const { key, state: entryState } of open) {
    const task = state.tasks.find(({ input }) => input.prompt === key);
    if (entryState === "intent") await settleOutcome(store.journal, key, task?.task_id ?? null);
    if (task !== undefined) await finish(key);
  }

  async function finish(key: string): Promise<void> {
    try {
      await client.tasks.run(...orderOptions(store, key));
    } catch (error) {
      if (!(error instanceof TaskFailedError || error instanceof CreditCeilingError)) throw error;
    }
  }
}
