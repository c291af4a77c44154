import { constants } from "node:os";
import * as sdk from "../index.js";
import { EXIT_STATUS } from "./exit-status.js";
import { Interrupted } from "./tasks/interruption.js";
import { UsageError } from "./usage-error.js";

type Kind = abstract new (...args: never) => Error;

/** What each exit status is for: a class of error has the first row that it belongs to, narrower ones before. */
export const EXIT_TABLE: readonly { status: number; kinds: readonly Kind[] }[] = [
  { status: EXIT_STATUS.misused, kinds: [UsageError, sdk.InvalidOptionError] },
  {
    status: EXIT_STATUS.refused,
    kinds: [sdk.InvalidRequestError, sdk.BadRequestError, sdk.JournalConflictError],
  },
  { status: EXIT_STATUS.keyRefused, kinds: [sdk.AuthenticationError, sdk.AccountSuspendedError] },
  { status: EXIT_STATUS.noCredits, kinds: [sdk.InsufficientCreditsError, sdk.CreditCeilingError] },
  { status: EXIT_STATUS.notFound, kinds: [sdk.TaskNotFoundError] },
  { status: EXIT_STATUS.limited, kinds: [sdk.RateLimitedError] },
  {
    status: EXIT_STATUS.notReached,
    kinds: [sdk.RequestTimeoutError, sdk.ConnectionError, sdk.ServerError],
  },
  { status: EXIT_STATUS.outcomeUnknown, kinds: [sdk.SubmissionOutcomeUnknownError] },
  { status: EXIT_STATUS.taskTimedOut, kinds: [sdk.TaskTimedOutError] },
  { status: EXIT_STATUS.taskFailed, kinds: [sdk.TaskFailedError] },
  { status: EXIT_STATUS.waitedTooLong, kinds: [sdk.WaitTimeoutError] },
  { status: EXIT_STATUS.audioExpired, kinds: [sdk.AudioExpiredError] },
  { status: EXIT_STATUS.audioNotDownloaded, kinds: [sdk.AudioDownloadError] },
  { status: EXIT_STATUS.invalidResponse, kinds: [sdk.InvalidResponseError] },
  { status: EXIT_STATUS.journalFailed, kinds: [sdk.JournalError] },
  { status: EXIT_STATUS.failed, kinds: [sdk.ApiError, sdk.AsyncMusicError, Error] },
];

/** The exit status for what was thrown; of a signal it is a shell's, 128 and the signal's number. */
export function exitStatusOf(error: unknown): number {
  if (error instanceof Interrupted) return 128 + constants.signals[error.signal];
  const row = EXIT_TABLE.find(({ kinds }) => kinds.some((kind) => error instanceof kind));
  return row?.status ?? EXIT_STATUS.failed;
}
