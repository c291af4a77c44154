import type { PacedRequest } from "./pacer.js";
import type { Reader } from "./read-price.js";

/** A request in the queue, with its times on the pacer's own clock. */
export interface Waiting {
  request: PacedRequest;
  /** When its caller, and its task's last read, allow it. */
  notBefore: number;
  notAfter: number;
  /** When it wants to leave. */
  dueAt: number;
  /** Its place in the order of arrival. */
  number: number;
  /** Of a poll whose task is known: how it is scheduled. */
  reader: Reader | null;
  isSettled: boolean;
  /** It may leave, or is given up. */
  settle(isAdmitted: boolean): void;
  fail(reason: unknown): void;
}

export function isDueBefore(one: Waiting, other: Waiting): boolean {
  return one.dueAt < other.dueAt || (one.dueAt === other.dueAt && one.number < other.number);
}

export function expiresBefore(one: Waiting, other: Waiting): boolean {
  return one.notAfter < other.notAfter;
}
