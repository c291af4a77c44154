import { constants } from "node:os";
import * as sdk from "../src/index.js";
import { Interrupted, UsageError } from "./terminal.js";

export type ErrorType = abstract new (...args: never) => Error;

/** A value for errors of these classes. */
export type ErrorRow<Value> = readonly [value: Value, ...classes: ErrorType[]];

/** The exit status of each error class: the first row that matches decides. All others have 1. */
const EXIT_STATUSES: readonly ErrorRow<number>[] = [
  [2, UsageError, sdk.InvalidOptionError],
  [3, sdk.InvalidRequestError, sdk.BadRequestError, sdk.JournalConflictError],
  [4, sdk.AuthenticationError, sdk.AccountSuspendedError],
  [5, sdk.InsufficientCreditsError, sdk.CreditCeilingError],
  [6, sdk.TaskNotFoundError],
  [7, sdk.RateLimitedError],
  [8, sdk.RequestTimeoutError, sdk.ConnectionError, sdk.ServerError],
  [9, sdk.SubmissionOutcomeUnknownError],
  [11, sdk.TaskTimedOutError],
  [10, sdk.TaskFailedError],
  [12, sdk.WaitTimeoutError],
  [13, sdk.AudioExpiredError],
  [14, sdk.AudioDownloadError],
  [15, sdk.InvalidResponseError],
  [16, sdk.JournalError, sdk.JournalDamagedError, sdk.BudgetError],
];

/** The exit status of a batch of which some lines have no result. */
export const SOME_FAILED = 17;

/** The exit status for anything thrown. For a signal it is 128 and the signal's number, as in a shell. */
export function exitStatusOf(error: unknown): number {
  if (error instanceof Interrupted) return 128 + constants.signals[error.signal];
  return valueFor(error, EXIT_STATUSES) ?? 1;
}

/** The value of the first row with a class of this error. */
export function valueFor<Value>(error: unknown, rows: readonly ErrorRow<Value>[]): Value | undefined {
  return rows.find(([, ...classes]) => isOneOf(error, classes))?.[0];
}

export function isOneOf(error: unknown, classes: readonly ErrorType[]): boolean {
  return classes.some((each) => error instanceof each);
}
