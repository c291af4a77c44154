import fc from "fast-check";
import { expect, test } from "vitest";
import { createLedger, freeze, refund, settle, topUp } from "../../emulator/core/ledger.js";
import { coreOf } from "../../emulator/http/service.js";
import { BALANCE, createService, serviceOf, TASK, USAGE, VALID } from "./support/service.js";

/** What can happen in a run: requests, time, trouble. */
const step = fc.oneof(
  fc.record({
    do: fc.constant("create" as const),
    account: fc.nat({ max: 1 }),
    body: fc.constantFrom(VALID.song, VALID.providerB, VALID.lyrics, VALID.upload, {
      ...VALID.song,
      input: {},
    }),
    outcome: fc.constantFrom(
      {},
      { process_seconds: 20 },
      { polls: 2 },
      { outcome: "failure", process_seconds: 10 },
      { outcome: "hang" },
      { outcome: "reject" },
    ),
  }),
  fc.record({ do: fc.constant("read" as const), account: fc.nat({ max: 1 }), task: fc.nat({ max: 50 }) }),
  fc.record({
    do: fc.constant("readTwiceAtOnce" as const),
    account: fc.nat({ max: 1 }),
    task: fc.nat({ max: 50 }),
  }),
  fc.record({
    do: fc.constant("advance" as const),
    ms: fc.constantFrom(1, 5_000, 30_000, 1_800_000, 3_600_001),
  }),
  fc.record({
    do: fc.constant("fault" as const),
    fault: fc.constantFrom(
      { kind: "disconnect", when: "before" } as const,
      { kind: "disconnect", when: "after" } as const,
      { kind: "status", status: 500, when: "after" } as const,
    ),
  }),
  fc.record({ do: fc.constant("look" as const), account: fc.nat({ max: 1 }) }),
);

test("whatever happens, the money adds up: every hold ends once at most, and nothing is lost", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.nat(), async (steps, seed) => {
      const first = createService({ seed, credits: 60 });
      const { emulator } = first;
      const { api_key: apiKey } = emulator.accounts.create({ credits: 35 });
      const services = [first, serviceOf(emulator, { apiKey })];
      const used = [0, 0];
      const ids = () => (emulator.snapshot().state as { tasks: { id: string }[] }).tasks.map(({ id }) => id);

      for (const each of steps) {
        if (each.do === "advance") await emulator.clock.advance(each.ms);
        else if (each.do === "fault") emulator.faults.add({ fault: each.fault });
        else {
          const service = services[each.account] ?? first;
          if (each.do === "create") {
            await service
              .post(each.body, { "X-Emulator-Outcome": JSON.stringify(each.outcome) })
              .catch(() => {});
          } else if (each.do === "look") await service.balance().catch(() => {});
          else {
            const path = `${TASK}/${ids()[each.task] ?? "none"}`;
            const times = each.do === "read" ? 1 : 2;
            await Promise.all(Array.from({ length: times }, () => service.get(path).catch(() => {})));
          }
        }

        for (const [index, account] of emulator.accounts.list().entries()) {
          const { balance, usage, ledger } = account;
          const sum = (kind: string) =>
            ledger.filter((entry) => entry.kind === kind).reduce((total, { credits }) => total + credits, 0);
          expect(balance.available).toBeGreaterThanOrEqual(0);
          expect(balance.total).toBe(balance.available + balance.frozen);
          expect(usage.credits_topped_up).toBe(balance.total + sum("settle"));
          expect(balance.frozen).toBe(sum("freeze") - sum("settle") - sum("refund"));
          expect(usage.credits_used).toBe(sum("freeze"));
          expect(usage.credits_used).toBeGreaterThanOrEqual(used[index] ?? 0);
          used[index] = usage.credits_used;

          const frozen = ledger.filter(({ kind }) => kind === "freeze").map(({ task_id }) => task_id);
          const ended = ledger
            .filter(({ kind }) => kind === "settle" || kind === "refund")
            .map(({ task_id }) => task_id);
          expect(new Set(frozen).size).toBe(frozen.length);
          expect(new Set(ended).size).toBe(ended.length);
          expect(ended.every((taskId) => frozen.includes(taskId))).toBe(true);
          const times = ledger.map(({ at }) => at);
          expect(times).toEqual([...times].sort());
        }
      }
    }),
    { numRuns: 150 },
  );
});

test("a request that is refused changes nothing but the log, the window and the position of chance", async () => {
  const { post, get, emulator } = createService({ credits: 10 });
  const parts = () => {
    const { counts, requests, accounts, ...rest } = emulator.snapshot().state as Record<string, unknown>;
    return { ...rest, accounts: JSON.stringify(accounts).replace(/"window":\{.*?\}/, "") };
  };
  await get(USAGE);
  const before = parts();
  await post("{");
  await post({ ...VALID.song, input: {} });
  await post({ ...VALID.song, audio_format: "wav" });
  await post(VALID.song, { "x-api-key": "emu_wrong" });
  await get("/nowhere");
  await get(`${TASK}/none`);
  expect(parts()).toEqual(before);
});

test("entries stand in the order of time, also where one is worked out later than it fell due", () => {
  const ledger = createLedger();
  topUp(ledger, 20, 1_000);
  const late = { id: "late", ordinal: 0, credits: 10 };
  const other = { id: "other", ordinal: 1, credits: 10 };
  freeze(ledger, late, 2_000);
  freeze(ledger, other, 3_000);
  settle(ledger, other, 9_000);
  refund(ledger, late, 5_000);
  expect(ledger.entries.map(({ at }) => Date.parse(at))).toEqual([1_000, 2_000, 3_000, 9_000, 9_000]);
});

test("a ledger that does not add up is seen at the next request, and is a fault of ours", async () => {
  const { get, emulator } = createService({ credits: 100 });
  const account = coreOf(emulator).state.accounts[0];
  if (account !== undefined) account.ledger.available += 1;
  await expect(get(BALANCE)).rejects.toThrow("all credits are available, frozen or settled");
});
