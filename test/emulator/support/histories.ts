import type { Emulator } from "async-music/emulator";
import fc from "fast-check";
import { serviceOf, TASK, VALID } from "./service.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export type Step = typeof steps extends fc.Arbitrary<infer Value> ? Value : never;

/** What moves the credits of one account: tasks, payments by hand, the automatic top-up, and time. */
export const steps = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("task" as const),
      body: fc.constantFrom(VALID.song, VALID.providerB, VALID.lyrics, VALID.upload),
      /** A task that hangs is refunded after an hour. */
      outcome: fc.constantFrom("success" as const, "failure" as const, "hang" as const),
      isRead: fc.boolean(),
    }),
  },
  fc.record({
    do: fc.constant("topUp" as const),
    usd: fc.constantFrom(0.07, 0.5, 12.34, 1_234.5),
    method: fc.constantFrom("card" as const, "crypto" as const),
    outcome: fc.constantFrom("completed" as const, "refused" as const, "pending" as const),
  }),
  /** Ends the oldest pending payment. */
  fc.record({
    do: fc.constant("decide" as const),
    status: fc.constantFrom("completed" as const, "refused" as const),
  }),
  /** Time, in three of four cases around the next border of a month. */
  fc.record({
    do: fc.constant("advance" as const),
    from: fc.constantFrom("now" as const, "month" as const, "month" as const, "month" as const),
    ms: fc.constantFrom(-5 * HOUR_MS, -1, 0, 3 * HOUR_MS, 30 * DAY_MS - 1, 30 * DAY_MS),
  }),
  fc.record({
    do: fc.constant("card" as const),
    saved_card: fc.constantFrom("accepts" as const, "refuses" as const),
  }),
  fc.record({
    do: fc.constant("autoTopUp" as const),
    enabled: fc.constantFrom(true, true, true, false),
    /** Every task, or few tasks, leave fewer credits than this. */
    threshold_credits: fc.constantFrom(60, 1_000_000),
    recharge_usd: fc.constantFrom(10, 15),
    monthly_cap_usd: fc.constantFrom(20, 35, 1000),
  }),
);

/** Begins with a saved card and an automatic top-up that charges it, so that most histories have such charges. */
export function histories(options: { maxSteps: number }): fc.Arbitrary<Step[]> {
  const begin: Step[] = [
    { do: "topUp", usd: 0.5, method: "card", outcome: "completed" },
    { do: "autoTopUp", enabled: true, threshold_credits: 1_000_000, recharge_usd: 10, monthly_cap_usd: 35 },
  ];
  const rest = fc.array(steps, { minLength: 3, maxLength: options.maxSteps, size: "max" });
  return rest.map((more) => [...begin, ...more]);
}

/** The account of a history. */
export interface Player {
  emulator: Emulator;
  id: string;
  apiKey: string;
}

/** Takes one step. A step that the account's state does not allow, as a task without credits, changes nothing. */
export async function take(step: Step, { emulator, id, apiKey }: Player): Promise<void> {
  const { accounts, clock } = emulator;
  const service = serviceOf(emulator, { apiKey });
  switch (step.do) {
    case "task": {
      const outcome = step.outcome === "hang" ? { outcome: "hang" } : { outcome: step.outcome, polls: 1 };
      const { status, body } = await service.post(step.body, {
        "X-Emulator-Outcome": JSON.stringify(outcome),
      });
      if (status === 202 && step.isRead) await service.get(`${TASK}/${body.data.task_id}`);
      break;
    }
    case "topUp":
      accounts.topUp(id, { usd: step.usd, method: step.method, outcome: step.outcome });
      break;
    case "decide": {
      const payment = accounts.payments(id).find(({ status }) => status === "pending");
      if (payment !== undefined) accounts.updateTopUp(id, payment.payment_id, { status: step.status });
      break;
    }
    case "advance": {
      const target = (step.from === "now" ? clock.now() : nextMonth(clock.now())) + step.ms;
      await clock.advance(Math.max(0, target - clock.now()));
      break;
    }
    case "card":
      if (accounts.autoTopUp(id).saved_card !== null) accounts.update(id, { saved_card: step.saved_card });
      break;
    case "autoTopUp": {
      const { do: _, ...settings } = step;
      if (accounts.autoTopUp(id).saved_card === null) break;
      accounts.setAutoTopUp(id, { ...settings, ...accounts.authorize(id) });
      break;
    }
    default:
      step satisfies never;
  }
}

/** What an account's ledger adds up to, by nothing but its entries. */
export function sumsOf(ledger: readonly { kind: string; credits: number }[]) {
  const sum = { top_up: 0, freeze: 0, settle: 0, refund: 0 };
  for (const { kind, credits } of ledger) sum[kind as keyof typeof sum] += credits;
  return {
    available: sum.top_up - sum.freeze + sum.refund,
    frozen: sum.freeze - sum.settle - sum.refund,
    settled: sum.settle,
    toppedUp: sum.top_up,
    tasks: ledger.filter(({ kind }) => kind === "freeze").length,
  };
}

export function startOfMonth(time: number): number {
  return monthFrom(time, 0);
}

function nextMonth(time: number): number {
  return monthFrom(time, 1);
}

function monthFrom(time: number, months: number): number {
  const date = new Date(time);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1);
}
