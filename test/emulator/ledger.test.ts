import { expect, test } from "vitest";
import {
  canFreeze,
  canTopUp,
  createLedger,
  freeze,
  isBalanced,
  type Ledger,
  MOST_CREDITS,
  refund,
  settle,
  sumsMatchEntries,
  topUp,
} from "../../emulator/core/ledger.js";
import { coreOf } from "../../emulator/http/service.js";
import { BALANCE, createService, TASK, USAGE, VALID } from "./support/service.js";

const NOW = Date.UTC(2026, 0, 1);
const AT = "2026-01-01T00:00:00.000Z";

const SETTLED = { id: "settled", ordinal: 0, credits: 10 };
const REFUNDED = { id: "refunded", ordinal: 1, credits: 10 };
const FROZEN = { id: "frozen", ordinal: 2, credits: 10 };
const ANOTHER = { id: "another", ordinal: 3, credits: 10 };

/** 30 credits were topped up; of three songs one was settled, one refunded, and one is unfinished. */
function ledgerOfThree(): Ledger {
  const ledger = createLedger();
  topUp(ledger, 30, NOW);
  for (const task of [SETTLED, REFUNDED, FROZEN]) freeze(ledger, task, NOW);
  settle(ledger, SETTLED, NOW);
  refund(ledger, REFUNDED, NOW);
  return ledger;
}

/** Every one of these moves throws, and changes nothing. */
function expectRefused(...moves: ((ledger: Ledger) => void)[]): void {
  for (const move of moves) {
    const ledger = ledgerOfThree();
    expect(() => move(ledger)).toThrow("Broken invariant");
    expect(ledger).toEqual(ledgerOfThree());
  }
}

test("a refused request changes only the log, the rate limit's window and the position of the random numbers", async () => {
  const { post, get, emulator } = createService({ credits: 10 });
  const parts = () => {
    const { counts, requests, accounts, ...rest } = emulator.snapshot().state as Record<string, unknown>;
    return { ...rest, accounts: JSON.stringify(accounts).replace(/"window":\{.*?\}/, "") };
  };
  await get(USAGE);
  const before = parts();
  for (const body of ["{", { ...VALID.song, input: {} }, { ...VALID.song, audio_format: "wav" }])
    await post(body);
  await post(VALID.song, { "x-api-key": "emu_wrong" });
  for (const path of ["/nowhere", `${TASK}/none`]) await get(path);
  expect(parts()).toEqual(before);
});

test("a request throws when the ledger is not balanced", async () => {
  const { get, emulator } = createService({ credits: 100 });
  const account = coreOf(emulator).state.accounts[0];
  if (account !== undefined) account.ledger.available += 1;
  await expect(get(BALANCE)).rejects.toThrow("all credits are available, frozen or settled");
});

test("entries are in the order of time, also when an earlier one is added later", () => {
  const ledger = createLedger();
  topUp(ledger, 20, 1_000);
  freeze(ledger, SETTLED, 2_000);
  freeze(ledger, REFUNDED, 3_000);
  settle(ledger, SETTLED, 9_000);
  refund(ledger, REFUNDED, 5_000);
  expect(ledger.entries.map(({ at }) => Date.parse(at))).toEqual([1_000, 2_000, 3_000, 9_000, 9_000]);
});

test.each([0, 1.5, -1, Number.NaN, Number.POSITIVE_INFINITY])("a top-up of %d credits throws", (credits) => {
  expectRefused((ledger) => topUp(ledger, credits, NOW));
});

test("an account never gets more credits than can be counted, settled ones included", () => {
  const ledger = ledgerOfThree();
  expect([canTopUp(ledger, MOST_CREDITS - 30), canTopUp(ledger, MOST_CREDITS - 29)]).toEqual([true, false]);
  expectRefused((each) => topUp(each, MOST_CREDITS - 29, NOW));
  topUp(ledger, MOST_CREDITS - 30, NOW);
  expect(sumsMatchEntries(ledger)).toBe(true);
});

test("all available credits can be frozen, and not one more", () => {
  const ledger = ledgerOfThree();
  expect([canFreeze(ledger, 10), canFreeze(ledger, 11)]).toEqual([true, false]);
  expectRefused((each) => freeze(each, { ...ANOTHER, credits: 11 }, NOW));
  freeze(ledger, ANOTHER, NOW);
  expect(ledger.available).toBe(0);
});

test("a task's credits are frozen once, and a task without frozen credits is neither settled nor refunded", () => {
  expectRefused((ledger) => freeze(ledger, { ...FROZEN, credits: 5 }, NOW));
  for (const task of [SETTLED, REFUNDED, ANOTHER])
    expectRefused(
      (ledger) => settle(ledger, task, NOW),
      (ledger) => refund(ledger, task, NOW),
    );
});

test.each<[string, Partial<Ledger>]>([
  ["more was topped up", { toppedUp: 31 }],
  ["more was settled", { settled: 11 }],
  ["more is available", { available: 11 }],
  ["more is frozen", { frozen: 11 }],
  ["more is frozen, and as much is held", { frozen: 11, holds: { 2: 11 } }],
  ["less is held", { holds: { 2: 9 } }],
  ["more is held", { holds: { 1: 10, 2: 10 } }],
  ["nothing is held", { holds: {} }],
  ["more was topped up and is available", { toppedUp: 31, available: 11 }],
  ["settled credits are still available", { settled: 0, available: 20 }],
])("the sums do not match the entries where %s", (_, wrong) => {
  expect(sumsMatchEntries(ledgerOfThree())).toBe(true);
  expect(sumsMatchEntries({ ...ledgerOfThree(), ...wrong })).toBe(false);
});

test("entries that spend more than was topped up never match the sums", () => {
  const ledger = createLedger();
  topUp(ledger, 5, NOW);
  const entries = [...ledger.entries, { at: AT, kind: "freeze" as const, credits: 10, task_id: "unpaid" }];
  expect(sumsMatchEntries({ ...ledger, entries, available: -5, frozen: 10, holds: { 0: 10 } })).toBe(false);
});

test.each<[string, Partial<Ledger>]>([
  ["a credit is lost", { available: 9 }],
  ["a credit is added", { available: 11 }],
  ["a frozen credit is lost", { frozen: 9 }],
  ["a settled credit is added", { settled: 11 }],
  ["more is frozen than was available", { available: -1, frozen: 21 }],
  ["more is refunded than was frozen", { available: 21, frozen: -1 }],
])("an account is not balanced where %s", (_, wrong) => {
  expect(isBalanced(ledgerOfThree())).toBe(true);
  expect(isBalanced({ ...ledgerOfThree(), ...wrong })).toBe(false);
});

test("an account without credits is balanced, and its sums match", () => {
  expect([isBalanced(createLedger()), sumsMatchEntries(createLedger())]).toEqual([true, true]);
});
