import type { PacedRequest } from "./pacer.js";
import type { Reader } from "./read-price.js";
import type { Claimant } from "./window.js";

/** Who claims what a window holds, those who go ahead first. */
const CLAIMANTS = { create: 0, account: 0, read: 1, poll: 2 } as const;

/** The times of a request, on the pacer's own clock. */
export interface RequestTimes {
  /** When its caller, and its task's last read, allow it. */
  notBefore: number;
  notAfter: number;
  /** When its caller wants it to leave at the latest, as long as the budget is not scarce. */
  dueBy?: number;
  /** When it wants to leave. */
  dueAt: number;
  /** Of a poll whose task is known. */
  reader: Reader | null;
}

/** A request in the queue. There may be tens of thousands: it keeps of a request only what is needed until its turn. */
export class Waiting {
  readonly claimant: Claimant;
  readonly taskId: string | undefined;
  readonly maxHoldMs: number | undefined;
  /** Its place in the order of arrival. */
  readonly number: number;
  notBefore: number;
  readonly notAfter: number;
  readonly dueBy: number;
  dueAt: number;
  /** Of a poll whose task is known, as of every reader: how it is scheduled. */
  law: Reader["law"] | null;
  submittedAt: number | null;
  unfinishedAt: number | null;
  /** A poll of a task of which nothing is known but its id; the times of its task are guesses. */
  readonly isUnknown: boolean;
  /** It is sent early to learn how long tasks take. */
  isExploring = false;
  readonly onDelayed: PacedRequest["onDelayed"];
  isSettled = false;
  /** How whoever waits for its turn is told. */
  readonly resolve: (isAdmitted: boolean) => void;
  readonly reject: (reason: unknown) => void;
  /** What its abort calls. */
  abort: { leave(): void } | null = null;

  constructor(
    { kind, taskId, maxHoldMs, onDelayed }: PacedRequest,
    { notBefore, notAfter, dueBy = Number.POSITIVE_INFINITY, dueAt, reader }: RequestTimes,
    number: number,
    resolve: (isAdmitted: boolean) => void,
    reject: (reason: unknown) => void,
  ) {
    this.claimant = CLAIMANTS[kind];
    this.taskId = taskId;
    this.isUnknown = kind === "poll" && reader === null;
    this.maxHoldMs = maxHoldMs;
    this.onDelayed = onDelayed;
    this.number = number;
    this.notBefore = notBefore;
    this.notAfter = notAfter;
    this.dueBy = dueBy;
    this.dueAt = dueAt;
    this.law = reader?.law ?? null;
    this.submittedAt = reader?.submittedAt ?? null;
    this.unfinishedAt = reader?.unfinishedAt ?? null;
    this.resolve = resolve;
    this.reject = reject;
  }
}

/** Whether it is a poll whose task is known. */
export function isReader(waiting: Waiting): waiting is Waiting & Reader {
  return waiting.law !== null;
}

export function isDueBefore(one: Waiting, other: Waiting): boolean {
  return one.dueAt < other.dueAt || (one.dueAt === other.dueAt && one.number < other.number);
}

export function expiresBefore(one: Waiting, other: Waiting): boolean {
  return one.notAfter < other.notAfter;
}
