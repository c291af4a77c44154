import { invariant } from "../invariant.js";
import { MOST_CREDITS } from "../options/credits.js";

/** How credits move. */
export const LEDGER_KINDS = ["top_up", "freeze", "settle", "refund"] as const;

/** One movement of an account's credits. `credits` is always positive; the kind says which way they went. */
export interface LedgerEntry {
  /** Milliseconds since the epoch. */
  at: number;
  kind: (typeof LEDGER_KINDS)[number];
  credits: number;
  /** `null` for top-ups. */
  taskId: string | null;
}

/** An account's credits: all movements, and what they add up to. */
export interface Ledger {
  entries: LedgerEntry[];
  available: number;
  frozen: number;
  settled: number;
  toppedUp: number;
  /** What is frozen for whom, by the task's ordinal. */
  holds: Record<number, number>;
}

/** A task as the ledger knows it. */
export interface ChargedTask {
  readonly id: string;
  readonly ordinal: number;
  /** What it costs. */
  readonly credits: number;
}

export function createLedger(): Ledger {
  return { entries: [], available: 0, frozen: 0, settled: 0, toppedUp: 0, holds: {} };
}

/** Whether an account can be given so many more: all sums of its credits stay exact. */
export function canTopUp({ toppedUp }: Ledger, credits: number): boolean {
  return toppedUp + credits <= MOST_CREDITS;
}

/** Adds credits that were bought or given. */
export function topUp(ledger: Ledger, credits: number, at: number): void {
  invariant(Number.isSafeInteger(credits) && credits > 0, "a top-up is a positive whole number of credits");
  invariant(canTopUp(ledger, credits), "no account is given more credits than can be counted");
  ledger.available += credits;
  ledger.toppedUp += credits;
  record(ledger, at, "top_up", credits, null);
}

export function canFreeze(ledger: Ledger, credits: number): boolean {
  return ledger.available >= credits;
}

/** Holds credits for a task. */
export function freeze(ledger: Ledger, { id, ordinal, credits }: ChargedTask, at: number): void {
  invariant(canFreeze(ledger, credits), "no more is frozen than is available");
  invariant(ledger.holds[ordinal] === undefined, "a task's credits are frozen once");
  ledger.available -= credits;
  ledger.frozen += credits;
  ledger.holds[ordinal] = credits;
  record(ledger, at, "freeze", credits, id);
}

/** Spends what is held for a task. */
export function settle(ledger: Ledger, task: ChargedTask, at: number): void {
  const credits = endHold(ledger, task);
  ledger.settled += credits;
  record(ledger, at, "settle", credits, task.id);
}

/** Gives back what is held for a task. */
export function refund(ledger: Ledger, task: ChargedTask, at: number): void {
  const credits = endHold(ledger, task);
  ledger.available += credits;
  record(ledger, at, "refund", credits, task.id);
}

/** Whether nothing was lost and nothing made: quickly told, whatever the number of entries. */
export function isBalanced({ available, frozen, settled, toppedUp }: Ledger): boolean {
  return available >= 0 && frozen >= 0 && toppedUp === available + frozen + settled;
}

/** Entries stand in the order of time, also where one is worked out later than it fell due. */
function record(
  ledger: Ledger,
  at: number,
  kind: LedgerEntry["kind"],
  credits: number,
  taskId: string | null,
): void {
  const latest = ledger.entries.at(-1)?.at ?? at;
  ledger.entries.push({ at: Math.max(at, latest), kind, credits, taskId });
}

function endHold(ledger: Ledger, { ordinal }: ChargedTask): number {
  const credits = ledger.holds[ordinal];
  invariant(credits !== undefined, "a hold ends once, in a settlement or a refund");
  delete ledger.holds[ordinal];
  ledger.frozen -= credits;
  return credits;
}
