import type { AccountView, Fault } from "async-music/emulator";
import fc from "fast-check";
import { expect, test } from "vitest";
import { controlled, createService, serviceOf, TASK, VALID } from "./support/service.js";

const REFUSED = { ...VALID.song, input: {} };
const UNAUTHORIZED = { enabled: true, threshold_credits: 50, recharge_usd: 10, monthly_cap_usd: 20 };
const account = fc.nat({ max: 1 });
const outcome = fc.constantFrom("completed" as const, "refused" as const, "pending" as const);

function step<Name extends string, Fields>(
  name: Name,
  fields: { [Field in keyof Fields]: fc.Arbitrary<Fields[Field]> },
): fc.Arbitrary<{ do: Name } & Fields> {
  return fc.record<Fields>(fields).map((values) => ({ do: name, ...values }));
}

/** Everything that moves credits: tasks and their ends, purchases of every kind, time, and invalid calls. */
const steps = fc.oneof(
  step("create", {
    account,
    body: fc.constantFrom(VALID.song, VALID.providerB, VALID.lyrics, VALID.upload, REFUSED),
    outcome: fc.constantFrom(
      {},
      { polls: 1 },
      { process_seconds: 20 },
      { polls: 2, outcome: "failure" },
      { outcome: "hang" },
      { outcome: "reject" },
    ),
  }),
  step("read", { account, task: fc.nat({ max: 30 }) }),
  step("fault", {
    fault: fc.constantFrom<Fault[]>(
      { kind: "disconnect", when: "before" },
      { kind: "disconnect", when: "after" },
      { kind: "status", status: 500, when: "after" },
    ),
  }),
  step("look", { account }),
  step("topUp", {
    account,
    usd: fc.constantFrom(0.01, 0.5, 10, 19.99),
    method: fc.constantFrom("card" as const, "crypto" as const),
    outcome,
  }),
  step("decide", {
    account,
    payment: fc.nat({ max: 10 }),
    status: fc.constantFrom("completed" as const, "refused" as const),
  }),
  step("setAutoTopUp", {
    account,
    enabled: fc.boolean(),
    threshold_credits: fc.constantFrom(50, 200, 5_000),
    monthly_cap_usd: fc.constantFrom(10, 30, 9),
  }),
  step("update", {
    account,
    changes: fc.constantFrom(
      { saved_card: "refuses" as const },
      { saved_card: "accepts" as const },
      { suspended: true },
      { suspended: false },
    ),
  }),
  step("advance", { ms: fc.constantFrom(1, 1_800_000, 3_600_001, 20 * 24 * 3_600_000) }),
  step("invalid", {
    account,
    call: fc.constantFrom(
      ["POST", "/top-ups", { usd: -1, method: "card" }],
      ["POST", "/top-ups", { usd: 10, method: "cash" }],
      ["PATCH", "/top-ups/unknown", { status: "completed" }],
      ["PUT", "/auto-top-up", UNAUTHORIZED],
      ["PUT", "/billing", { name: " " }],
      ["GET", "/invoices", undefined],
      ["PATCH", "", { suspended: "no" }],
    ),
  }),
);

test("after any sequence of purchases, tasks and faults all sums match, and invalid calls change nothing", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(steps, { maxLength: 60 }),
      fc.constantFrom("calendar_utc" as const, "rolling_30_days" as const),
      fc.nat(),
      async (sequence, month, seed) => {
        const first = controlled(createService({ seed, credits: 40, policy: { auto_top_up_month: month } }));
        const { emulator } = first;
        const { accounts } = emulator;
        const second = accounts.create({ credits: 15 });
        const services = [first, controlled(serviceOf(emulator, { apiKey: second.api_key }))];
        const ids = [emulator.accountId, second.account_id];
        const given = [40, 15];
        const last = ids.map(() => ({ tasks_created: 0, credits_used: 0, credits_topped_up: 0 }));

        for (const each of sequence) {
          if (each.do === "advance") await emulator.clock.advance(each.ms);
          else if (each.do === "fault") emulator.faults.add({ fault: each.fault });
          else await take(each, services[each.account] ?? first, ids[each.account] ?? "");

          for (const [index, id] of ids.entries()) {
            const { balance, usage, ledger } = accounts.get(id);
            const sum = (kind: string) => total(ledger.filter((entry) => entry.kind === kind));
            expect(balance.available).toBeGreaterThanOrEqual(0);
            expect(balance.frozen).toBeGreaterThanOrEqual(0);
            expect(balance.total).toBe(balance.available + balance.frozen);
            expect(balance.frozen).toBe(sum("freeze") - sum("settle") - sum("refund"));
            expect(usage.credits_used).toBe(sum("freeze"));
            expect(usage.credits_topped_up).toBe(balance.available + balance.frozen + sum("settle"));
            const times = ledger.map(({ at }) => at);
            expect(times).toEqual([...times].sort());
            const completed = accounts.payments(id).filter(({ status }) => status === "completed");
            expect(usage.credits_topped_up).toBe((given[index] ?? 0) + total(completed));
            expect(new Set(completed.map(({ invoice_id }) => invoice_id)).size).toBe(completed.length);
            for (const name of ["tasks_created", "credits_used", "credits_topped_up"] as const) {
              expect(usage[name]).toBeGreaterThanOrEqual(last[index]?.[name] ?? 0);
            }
            last[index] = usage;
            expectEachHoldToEndOnce(ledger);
            const { charged_this_month_usd: charged, monthly_cap_usd: cap } = accounts.autoTopUp(id);
            expect(charged).toBeLessThanOrEqual(cap === null ? 0 : 30);
          }
        }
        expect(JSON.stringify(emulator.fork().snapshot())).toBe(first.frozenState());
      },
    ),
    { numRuns: 250 },
  );
});

type Step = Exclude<
  typeof steps extends fc.Arbitrary<infer Value> ? Value : never,
  { do: "advance" | "fault" }
>;

async function take(each: Step, service: ReturnType<typeof controlled>, id: string) {
  const { accounts } = service.emulator;
  switch (each.do) {
    case "create":
      await service.create(each.body, each.outcome).catch(() => {});
      break;
    case "look":
      await service.balance().catch(() => {});
      break;
    case "read": {
      const { tasks } = service.emulator.snapshot().state as { tasks: { id: string }[] };
      const path = `${TASK}/${tasks[each.task]?.id ?? "none"}`;
      await Promise.all([1, 2].map(() => service.get(path).catch(() => {})));
      break;
    }
    case "topUp":
      accounts.topUp(id, { usd: each.usd, method: each.method, outcome: each.outcome });
      break;
    case "decide": {
      const payment = accounts.payments(id)[each.payment];
      const decide = () => accounts.updateTopUp(id, payment?.payment_id ?? "none", { status: each.status });
      if (payment?.status === "pending") decide();
      else expectNothing(service, decide);
      break;
    }
    case "setAutoTopUp": {
      const { threshold_credits, monthly_cap_usd, enabled } = each;
      const authorization = accounts.authorize(id);
      const change = { enabled, threshold_credits, recharge_usd: 10, monthly_cap_usd, ...authorization };
      const set = () => accounts.setAutoTopUp(id, change);
      const isAllowed = monthly_cap_usd >= 10 && (!enabled || accounts.autoTopUp(id).saved_card !== null);
      if (isAllowed) set();
      else expectNothing(service, set);
      break;
    }
    case "update": {
      const update = () => accounts.update(id, each.changes);
      const hasCard = accounts.autoTopUp(id).saved_card !== null;
      if (hasCard || "suspended" in each.changes) update();
      else expectNothing(service, update);
      break;
    }
    case "invalid": {
      const before = service.frozenState();
      const [method, path, body] = each.call;
      const { status } = await service.control(String(method), `/accounts/${id}${path}`, body);
      expect([400, 404, 409]).toContain(status);
      expect(service.frozenState()).toBe(before);
      break;
    }
    default:
      each satisfies never;
  }
}

function expectNothing({ frozenState }: ReturnType<typeof controlled>, call: () => unknown) {
  const before = frozenState();
  expect(call).toThrow(RangeError);
  expect(frozenState()).toBe(before);
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
