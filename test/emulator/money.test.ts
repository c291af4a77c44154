import type { AccountView } from "async-music/emulator";
import fc from "fast-check";
import { expect, test } from "vitest";
import { failWith } from "../support/faults.js";
import { steps as historySteps, sumsOf, take } from "./support/histories.js";
import {
  type ControlledService,
  controlled,
  createService,
  serviceOf,
  TASK,
  VALID,
} from "./support/service.js";

const UNAUTHORIZED = { enabled: true, threshold_credits: 50, recharge_usd: 10, monthly_cap_usd: 20 };
const INVALID_CALLS: readonly [method: string, path: string, body?: object][] = [
  ["POST", "/top-ups", { usd: -1, method: "card" }],
  ["POST", "/top-ups", { usd: 10, method: "cash" }],
  ["PATCH", "/top-ups/unknown", { status: "completed" }],
  ["PATCH", "/top-ups/{decided}", { status: "completed" }],
  ["PUT", "/auto-top-up", UNAUTHORIZED],
  ["PUT", "/billing", { name: " " }],
  ["GET", "/invoices"],
  ["PATCH", "", { suspended: "no" }],
];

/** What moves the credits of two accounts: histories, requests with faults, concurrent reads, and invalid calls. */
const steps = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("history" as const), step: historySteps }) },
  fc.record({
    do: fc.constant("create" as const),
    body: fc.constantFrom<object[]>(VALID.song, { ...VALID.song, input: {} }),
    outcome: fc.constantFrom(
      {},
      { process_seconds: 20 },
      { polls: 2, outcome: "failure" },
      { outcome: "reject" },
    ),
  }),
  fc.record({ do: fc.constant("read" as const), task: fc.nat({ max: 30 }) }),
  fc.record({
    do: fc.constant("fault" as const),
    fault: fc.constantFrom(
      { kind: "disconnect", when: "before" } as const,
      { kind: "disconnect", when: "after" } as const,
      failWith(500, "after"),
    ),
  }),
  fc.record({ do: fc.constant("suspend" as const), suspended: fc.boolean() }),
  fc.record({ do: fc.constant("invalid" as const), call: fc.constantFrom(...INVALID_CALLS) }),
);
type Step = typeof steps extends fc.Arbitrary<infer Value> ? Value : never;

const sequences = fc.array(fc.record({ account: fc.nat({ max: 1 }), each: steps }), { maxLength: 60 });
const months = fc.constantFrom("calendar_utc" as const, "rolling_30_days" as const);

test("after any sequence of purchases, tasks and faults all sums match, and invalid calls change nothing", async () => {
  await fc.assert(
    fc.asyncProperty(sequences, months, fc.nat(), async (sequence, month, seed) => {
      const first = controlled(createService({ seed, credits: 40, policy: { auto_top_up_month: month } }));
      const { emulator } = first;
      const { accounts } = emulator;
      const second = accounts.create({ credits: 15 });
      const players = [
        { service: first, id: emulator.accountId, given: 40 },
        {
          service: controlled(serviceOf(emulator, { apiKey: second.api_key })),
          id: second.account_id,
          given: 15,
        },
      ].map((player) => ({ ...player, last: accounts.get(player.id).usage }));

      for (const { account, each } of sequence) {
        const { service, id } = players[account] ?? { service: first, id: emulator.accountId };
        await act(each, service, id);

        for (const player of players) {
          const { balance, usage, ledger } = accounts.get(player.id);
          const { available, frozen, settled, toppedUp } = sumsOf(ledger);
          expect(Math.min(available, frozen)).toBeGreaterThanOrEqual(0);
          expect(balance).toEqual({ available, frozen, total: available + frozen });
          expect(usage.credits_used).toBe(total(ledger.filter(({ kind }) => kind === "freeze")));
          expect(usage.credits_topped_up).toBe(available + frozen + settled);
          expect(usage.credits_topped_up).toBe(toppedUp);
          const times = ledger.map(({ at }) => at);
          expect(times).toEqual([...times].sort());
          const completed = accounts.payments(player.id).filter(({ status }) => status === "completed");
          expect(usage.credits_topped_up).toBe(player.given + total(completed));
          expect(new Set(completed.map(({ invoice_id }) => invoice_id)).size).toBe(completed.length);
          for (const name of ["tasks_created", "credits_used", "credits_topped_up"] as const)
            expect(usage[name]).toBeGreaterThanOrEqual(player.last[name]);
          player.last = usage;
          expectEachHoldToEndOnce(ledger);
        }
      }
      expect(JSON.stringify(emulator.fork().snapshot())).toBe(first.frozenState());
    }),
    { numRuns: 250 },
  );
});

async function act(each: Step, service: ControlledService, id: string) {
  const { emulator, apiKey, get, create, control, frozenState } = service;
  const { accounts } = emulator;
  switch (each.do) {
    case "history":
      await take(each.step, { emulator, id, apiKey }).catch((error) => {
        // A fault may have cut the connection.
        if (!(error instanceof TypeError)) throw error;
      });
      break;
    case "create":
      await create(each.body, each.outcome).catch(() => {});
      break;
    case "read": {
      const { tasks } = emulator.snapshot().state as { tasks: { id: string }[] };
      const path = `${TASK}/${tasks[each.task]?.id ?? "none"}`;
      await Promise.all([1, 2].map(() => get(path).catch(() => {})));
      break;
    }
    case "fault":
      emulator.faults.add({ fault: each.fault });
      break;
    case "suspend":
      accounts.update(id, { suspended: each.suspended });
      break;
    case "invalid": {
      const before = frozenState();
      const decided = accounts.payments(id).find(({ status }) => status !== "pending");
      const [method, path, body] = each.call;
      const filled = path.replace("{decided}", decided?.payment_id ?? "none");
      expect([400, 404, 409]).toContain((await control(method, `/accounts/${id}${filled}`, body)).status);
      expect(frozenState()).toBe(before);
      break;
    }
    default:
      each satisfies never;
  }
}

function expectEachHoldToEndOnce(ledger: AccountView["ledger"]) {
  const holds = new Map<string, string[]>();
  for (const { task_id: taskId, kind } of ledger) {
    if (taskId !== null) holds.set(taskId, [...(holds.get(taskId) ?? []), kind]);
  }
  for (const kinds of holds.values()) {
    expect(["freeze", "freeze,settle", "freeze,refund"]).toContain(kinds.join());
  }
}

function total(entries: readonly { credits: number }[]): number {
  return entries.reduce((sum, { credits }) => sum + credits, 0);
}
