import {
  AccountSuspendedError,
  AudioExpiredError,
  AuthenticationError,
  BadRequestError,
  CreditCeilingError,
  InsufficientCreditsError,
  InvalidOptionError,
  InvalidRequestError,
  InvalidResponseError,
  JournalConflictError,
  JournalDamagedError,
  JournalError,
  RateLimitedError,
  SubmissionOutcomeUnknownError,
  TaskFailedError,
  TaskNotFoundError,
} from "async-music";
import { NotYetError } from "./order.ts";

/** Whether an engine is to run the same job again, and when at the earliest; `null` leaves that to the engine. */
export type Verdict = { again: false } | { again: true; notBefore: Date | null };

const NEVER: Verdict = { again: false };
const WHENEVER: Verdict = { again: true, notBefore: null };

/** The same job would fail in the same way, until a person has mended something. A failed task keeps its key. */
const HOPELESS = [
  InvalidOptionError,
  InvalidRequestError,
  BadRequestError,
  JournalConflictError,
  JournalDamagedError,
  TaskNotFoundError,
  AuthenticationError,
  AccountSuspendedError,
  InsufficientCreditsError,
  InvalidResponseError,
  TaskFailedError,
  AudioExpiredError,
  CreditCeilingError,
];

/**
 * What an engine is to do with the error of a run that has a journal. Running it again is never a second payment, so
 * this is about what helps: an outage, a lost worker and a wait that was cut short are over some day, and the journal
 * then goes on with the task.
 */
export function judge(error: unknown): Verdict {
  if (HOPELESS.some((kind) => error instanceof kind)) return NEVER;
  // It may have been charged. A person checks, and frees the key or records the task.
  if (error instanceof SubmissionOutcomeUnknownError) return NEVER;
  // The task exists, and only this error knows which it is: a person records it.
  if (error instanceof JournalError && error.taskId !== null) return NEVER;
  if (error instanceof RateLimitedError) return { again: true, notBefore: error.retryAt };
  if (error instanceof NotYetError) return { again: true, notBefore: error.notBefore };
  return WHENEVER;
}
