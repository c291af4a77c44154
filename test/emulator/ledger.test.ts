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

const NOW = Date.UTC(2026, 0, 1);
const AT = "2026-01-01T00:00:00.000Z";

const PAID = { id: "paid", ordinal: 0, credits: 10 };
const FAILED = { id: "failed", ordinal: 1, credits: 10 };
const WAITING = { id: "waiting", ordinal: 2, credits: 10 };
const ANOTHER = { id: "another", ordinal: 3, credits: 10 };

/** 30 were bought; of three songs one was paid for, one failed, and one is still being made. */
function ledgerOfThree(): Ledger {
  const ledger = createLedger();
  topUp(ledger, 30, NOW);
  for (const task of [PAID, FAILED, WAITING]) freeze(ledger, task, NOW);
  settle(ledger, PAID, NOW);
  refund(ledger, FAILED, NOW);
  return ledger;
}

/** What a fault of ours leaves behind: an error, and credits that are where they were. */
function expectRefused(ledger: Ledger, move: () => void): void {
  const before = structuredClone(ledger);
  expect(move).toThrow("Broken invariant");
  expect(ledger).toEqual(before);
}

test("credits are available, then frozen, and then spent or available again", () => {
  const ledger = createLedger();
  expect(ledger).toEqual({ entries: [], available: 0, frozen: 0, settled: 0, toppedUp: 0, holds: {} });
  const sums = () => {
    const { available, frozen, settled, toppedUp } = ledger;
    return { available, frozen, settled, toppedUp };
  };
  topUp(ledger, 30, NOW);
  expect(sums()).toEqual({ available: 30, frozen: 0, settled: 0, toppedUp: 30 });
  freeze(ledger, PAID, NOW);
  freeze(ledger, { ...FAILED, credits: 5 }, NOW);
  expect(sums()).toEqual({ available: 15, frozen: 15, settled: 0, toppedUp: 30 });
  settle(ledger, PAID, NOW);
  expect(sums()).toEqual({ available: 15, frozen: 5, settled: 10, toppedUp: 30 });
  refund(ledger, FAILED, NOW);
  expect(sums()).toEqual({ available: 20, frozen: 0, settled: 10, toppedUp: 30 });
  expect(ledger.holds).toEqual({});
  expect(ledger.entries).toEqual([
    { at: AT, kind: "top_up", credits: 30, task_id: null },
    { at: AT, kind: "freeze", credits: 10, task_id: "paid" },
    { at: AT, kind: "freeze", credits: 5, task_id: "failed" },
    { at: AT, kind: "settle", credits: 10, task_id: "paid" },
    { at: AT, kind: "refund", credits: 5, task_id: "failed" },
  ]);
});

test.each([0, 1.5, -1, Number.NaN, Number.POSITIVE_INFINITY])(
  "a top-up of %d credits is a fault",
  (credits) => {
    const ledger = ledgerOfThree();
    expectRefused(ledger, () => topUp(ledger, credits, NOW));
  },
);

test("an account has at most as many credits as can be counted, spent ones included", () => {
  const ledger = ledgerOfThree();
  expect(canTopUp(ledger, MOST_CREDITS - 30)).toBe(true);
  expect(canTopUp(ledger, MOST_CREDITS - 29)).toBe(false);
  expectRefused(ledger, () => topUp(ledger, MOST_CREDITS - 29, NOW));
  topUp(ledger, MOST_CREDITS - 30, NOW);
  expect(sumsMatchEntries(ledger)).toBe(true);
});

test("all that is available can be frozen, and not one credit more", () => {
  const ledger = ledgerOfThree();
  expect(canFreeze(ledger, 10)).toBe(true);
  expect(canFreeze(ledger, 11)).toBe(false);
  expectRefused(ledger, () => freeze(ledger, { ...ANOTHER, credits: 11 }, NOW));
  freeze(ledger, ANOTHER, NOW);
  expect(ledger.available).toBe(0);
});

test("a second freeze for one task is a fault", () => {
  const ledger = ledgerOfThree();
  expectRefused(ledger, () => freeze(ledger, { ...WAITING, credits: 5 }, NOW));
});

test.each([PAID, FAILED, ANOTHER])("what is not held ($id) is neither settled nor refunded", (task) => {
  const ledger = ledgerOfThree();
  expectRefused(ledger, () => settle(ledger, task, NOW));
  expectRefused(ledger, () => refund(ledger, task, NOW));
});

test.each<[string, Partial<Ledger>]>([
  ["more was bought", { toppedUp: 31 }],
  ["more was spent", { settled: 11 }],
  ["more is available", { available: 11 }],
  ["more is frozen", { frozen: 11 }],
  ["more is frozen, and as much is held", { frozen: 11, holds: { 2: 11 } }],
  ["less is held", { holds: { 2: 9 } }],
  ["more is held", { holds: { 1: 10, 2: 10 } }],
  ["nothing is held", { holds: {} }],
  ["more was bought and is available", { toppedUp: 31, available: 11 }],
  ["something was spent that is still available", { settled: 0, available: 20 }],
])("sums are not those of the entries where %s", (_, wrong) => {
  const ledger = ledgerOfThree();
  expect(sumsMatchEntries(ledger)).toBe(true);
  expect(sumsMatchEntries({ ...ledger, ...wrong })).toBe(false);
});

test("entries that spend what was never bought do not add up, however well the sums fit them", () => {
  const ledger = createLedger();
  topUp(ledger, 5, NOW);
  const entries = [...ledger.entries, { at: AT, kind: "freeze" as const, credits: 10, task_id: "unpaid" }];
  expect(sumsMatchEntries({ ...ledger, entries, available: -5, frozen: 10, holds: { 0: 10 } })).toBe(false);
});

test.each<[string, Partial<Ledger>]>([
  ["one credit is lost", { available: 9 }],
  ["one credit is made", { available: 11 }],
  ["one credit is lost from what is frozen", { frozen: 9 }],
  ["one credit is made from what is spent", { settled: 11 }],
  ["more is frozen than there was", { available: -1, frozen: 21 }],
  ["more is given back than was frozen", { available: 21, frozen: -1 }],
])("an account is not balanced where %s", (_, wrong) => {
  const ledger = ledgerOfThree();
  expect(isBalanced(ledger)).toBe(true);
  expect(isBalanced({ ...ledger, ...wrong })).toBe(false);
});

test("an account without credits is balanced, and adds up", () => {
  expect(isBalanced(createLedger())).toBe(true);
  expect(sumsMatchEntries(createLedger())).toBe(true);
});
