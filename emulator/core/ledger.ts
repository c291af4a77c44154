import * as z from "zod/mini";
import { isoTime } from "../time/clock.js";
import {
  invariant,
  isoTimeSchema,
  list,
  objectOf,
  oneOf,
  recordSchema,
  uuid,
  wholeNumber,
} from "./checks.js";
import { RANGES } from "./ranges.js";
import type { OpenTask } from "./task.js";

/** The most credits that one account can be given in all. */
export const [, MOST_CREDITS] = RANGES.credits;

export const creditsSchema = wholeNumber(...RANGES.credits);

export type LedgerEntry = z.output<typeof ledgerEntrySchema>;
export const ledgerEntrySchema = objectOf({
  at: isoTimeSchema,
  kind: oneOf("top_up", "freeze", "settle", "refund"),
  credits: creditsSchema,
  /** Null for top-ups. */
  task_id: z.nullable(uuid),
});

export type Ledger = z.output<typeof ledgerSchema>;
export const ledgerSchema = objectOf({
  entries: list(ledgerEntrySchema),
  available: creditsSchema,
  frozen: creditsSchema,
  settled: creditsSchema,
  toppedUp: creditsSchema,
  /** Frozen credits by the task's ordinal. */
  holds: recordSchema(creditsSchema),
});

type ChargedTask = Pick<OpenTask, "id" | "ordinal" | "credits">;

export function createLedger(): Ledger {
  return { entries: [], available: 0, frozen: 0, settled: 0, toppedUp: 0, holds: {} };
}

export function canTopUp({ toppedUp }: Ledger, credits: number): boolean {
  return toppedUp + credits <= MOST_CREDITS;
}

export function topUp(ledger: Ledger, credits: number, at: number): void {
  invariant(Number.isSafeInteger(credits) && credits > 0, "a top-up is a positive whole number of credits");
  invariant(canTopUp(ledger, credits), "no account is given more credits than can be counted");
  ledger.available += credits;
  ledger.toppedUp += credits;
  addEntry(ledger, at, { kind: "top_up", credits, task_id: null });
}

export function canFreeze(ledger: Ledger, credits: number): boolean {
  return ledger.available >= credits;
}

export function freeze(ledger: Ledger, { id, ordinal, credits }: ChargedTask, at: number): void {
  invariant(canFreeze(ledger, credits), "no more is frozen than is available");
  invariant(ledger.holds[ordinal] === undefined, "a task's credits are frozen once");
  ledger.available -= credits;
  ledger.frozen += credits;
  ledger.holds[ordinal] = credits;
  addEntry(ledger, at, { kind: "freeze", credits, task_id: id });
}

export function settle(ledger: Ledger, task: ChargedTask, at: number): void {
  const credits = endHold(ledger, task);
  ledger.settled += credits;
  addEntry(ledger, at, { kind: "settle", credits, task_id: task.id });
}

export function refund(ledger: Ledger, task: ChargedTask, at: number): void {
  const credits = endHold(ledger, task);
  ledger.available += credits;
  addEntry(ledger, at, { kind: "refund", credits, task_id: task.id });
}

/** Whether the sums agree with each other. Cheap enough for every request. */
export function isBalanced({ available, frozen, settled, toppedUp }: Ledger): boolean {
  return available >= 0 && frozen >= 0 && toppedUp === available + frozen + settled;
}

/** Whether every sum follows from the entries. */
export function sumsMatchEntries({ entries, available, frozen, settled, toppedUp, holds }: Ledger): boolean {
  const sums: Record<LedgerEntry["kind"], number> = { top_up: 0, freeze: 0, settle: 0, refund: 0 };
  for (const { kind, credits } of entries) sums[kind] += credits;
  const held = Object.values(holds).reduce((sum, credits) => sum + credits, 0);
  return (
    toppedUp === sums.top_up &&
    settled === sums.settle &&
    frozen === sums.freeze - sums.settle - sums.refund &&
    frozen === held &&
    available === sums.top_up - sums.freeze + sums.refund &&
    available >= 0
  );
}

/** Keeps the entries in the order of their times: one that is due before the latest entry gets that entry's time. */
function addEntry({ entries }: Ledger, dueAt: number, entry: Omit<LedgerEntry, "at">): void {
  const due = isoTime(dueAt);
  const latest = entries.at(-1)?.at ?? due;
  entries.push({ at: due < latest ? latest : due, ...entry });
}

function endHold(ledger: Ledger, { ordinal }: ChargedTask): number {
  const credits = ledger.holds[ordinal];
  invariant(credits !== undefined, "a hold ends once, in a settlement or a refund");
  delete ledger.holds[ordinal];
  ledger.frozen -= credits;
  return credits;
}
