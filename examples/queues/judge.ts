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
import { NotYetError, ParkedError } from "./order.ts";

/** Whether an engine retries the job, and the earliest time; with `null`, the engine chooses the time. */
export type Verdict = { again: false } | { again: true; notBefore: Date | null };

const NEVER: Verdict = { again: false };
const WHENEVER: Verdict = { again: true, notBefore: null };

/** The same job would fail in the same way until a person fixes the cause. A failed task keeps its key. */
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
 * Decides whether an engine retries a run with a journal. A retry is never charged twice. It helps after an outage, a
 * lost worker or a `maxWaitMs` that has passed: the journal continues with the task.
 */
export function judge(error: unknown): Verdict {
  // The journal has the task, and the next run of the key returns its result, unless the result itself is unusable. Without a task,
  // the usage could not be read for `probe`, and nothing was sent.
  if (error instanceof InvalidResponseError && !isAboutResult(error)) return WHENEVER;
  // The response of a gateway: the service did not say that the task does not exist.
  if (error instanceof TaskNotFoundError && error.errorCode !== "task_not_found") return WHENEVER;
  // MP3 may be available later. Without `audio_format`, the order succeeds at once.
  if (error instanceof BadRequestError && error.errorCode === "audio_format_unavailable") return WHENEVER;
  // Only reserved credits are in the way: a task that fails frees its reservation.
  if (error instanceof CreditCeilingError && error.spent + error.credits <= error.maxCredits) return WHENEVER;
  if (HOPELESS.some((kind) => error instanceof kind)) return NEVER;
  // The request may still be in flight.
  if (error instanceof SubmissionOutcomeUnknownError && error.checkAgainAt !== null)
    return { again: true, notBefore: error.checkAgainAt };
  // A task may exist. A person checks, and settles the key.
  if (error instanceof ParkedError) return NEVER;
  // With a task ID, the next run of the key continues with that task.
  if (error instanceof SubmissionOutcomeUnknownError && error.taskId === null) return NEVER;
  // The task exists, and only this error has its ID: a person records it.
  if (error instanceof JournalError && error.taskId !== null) return NEVER;
  if (error instanceof RateLimitedError) return { again: true, notBefore: error.retryAt };
  if (error instanceof NotYetError) return { again: true, notBefore: error.notBefore };
  return WHENEVER;
}

function isAboutResult({ issues }: InvalidResponseError): boolean {
  return issues.some(({ path }) => path.startsWith("data.output"));
}
