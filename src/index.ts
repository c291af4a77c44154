/**
 * The SDK: the client, its errors, and the types of everything that travels.
 *
 * @module async-music
 */

export type { Account } from "./account.js";
export type { Audio } from "./audio/audio.js";
export type { AudioDownload } from "./audio/audio-download.js";
export type { AudioExtension } from "./audio/audio-format.js";
export { expiresAt } from "./audio/expires-at.js";
export { AsyncMusic, type RateLimit } from "./client.js";
export type { Balance, Usage } from "./contract/account.js";
export {
  ERROR_STATUSES,
  type ErrorCode,
  TASK_ERROR_CODES,
  type TaskErrorCode,
} from "./contract/error-code.js";
export type { JsonValue } from "./contract/json.js";
export { LIMITS } from "./contract/limits.js";
export { MODELS, type Model, TASK_TYPES, type TaskType } from "./contract/model.js";
export { PRICES, USD_PER_CREDIT } from "./contract/price.js";
export {
  FINAL_STATUSES,
  type FinalStatus,
  isFinalStatus,
  TASK_STATUSES,
  type TaskStatus,
} from "./contract/status.js";
export {
  type AnyTaskType,
  type Clip,
  type ClipMetadata,
  type FailedTask,
  type FailedTaskOf,
  isLyrics,
  isMusic,
  type Known,
  type Lyrics,
  type SucceededOutput,
  type SucceededTask,
  type SucceededTaskOf,
  type Task,
  type TaskFields,
  type TaskOutput,
  type TaskResults,
  type TaskSubmission,
  type UnfinishedTask,
  type UnfinishedTaskOf,
  type Unlisted,
} from "./contract/task.js";
export type * from "./contract/task-request.js";
export { AccountSuspendedError } from "./errors/account-suspended-error.js";
export { ApiError, type ApiErrorDetails } from "./errors/api-error.js";
export { AsyncMusicError, type ErrorDetails } from "./errors/async-music-error.js";
export { AudioDownloadError } from "./errors/audio-download-error.js";
export { AudioExpiredError } from "./errors/audio-expired-error.js";
export { AuthenticationError } from "./errors/authentication-error.js";
export { BadRequestError } from "./errors/bad-request-error.js";
export { ConnectionError } from "./errors/connection-error.js";
export { CreditCeilingError } from "./errors/credit-ceiling-error.js";
export { InsufficientCreditsError } from "./errors/insufficient-credits-error.js";
export { InvalidOptionError } from "./errors/invalid-option-error.js";
export { InvalidRequestError } from "./errors/invalid-request-error.js";
export { InvalidResponseError } from "./errors/invalid-response-error.js";
export { JournalConflictError } from "./errors/journal-conflict-error.js";
export { JournalError } from "./errors/journal-error.js";
export { RateLimitedError } from "./errors/rate-limited-error.js";
export { RequestTimeoutError } from "./errors/request-timeout-error.js";
export { ServerError } from "./errors/server-error.js";
export { type Evidence, SubmissionOutcomeUnknownError } from "./errors/submission-outcome-unknown-error.js";
export { TaskFailedError } from "./errors/task-failed-error.js";
export { TaskNotFoundError } from "./errors/task-not-found-error.js";
export { TaskTimedOutError } from "./errors/task-timed-out-error.js";
export { WaitTimeoutError } from "./errors/wait-timeout-error.js";
export type { ApiPromise, WithResponse } from "./http/api-promise.js";
export type { RequestOptions } from "./http/call.js";
export type { Listener } from "./http/emitter.js";
export type * from "./http/events.js";
export type { Logger, LogLevel } from "./http/logger.js";
export type { Span, SpanAttributes, Tracer } from "./http/tracer.js";
export type {
  Journal,
  JournalEntry,
  JournalFields,
  JournalIntent,
  JournalRecord,
  OpenOrder,
} from "./journal/journal.js";
export { memoryJournal } from "./journal/memory-journal.js";
export type { JournalOptions } from "./journal/options.js";
export { settleOutcome } from "./journal/settle-outcome.js";
export type { ClientOptions } from "./options.js";
export type {
  PacedRequest,
  Pacer,
  PacerFactory,
  RateLimitReport,
  RateLimitState,
  RequestKind,
  WaitingTask,
} from "./rate-limit/pacer.js";
export { creditsFor } from "./tasks/credits-for.js";
export type { RunOptions, WaitOptions } from "./tasks/options.js";
export type { PollInterval } from "./tasks/poll-schedule.js";
export type { RunAllProgress } from "./tasks/progress.js";
export { progressOf } from "./tasks/progress-of.js";
export type { RunFailure, RunResult, RunSuccess } from "./tasks/run-all.js";
export type { RunAllOptions } from "./tasks/run-all-options.js";
export { taskEvents } from "./tasks/task-events.js";
export type { Tasks } from "./tasks/tasks.js";
export type { Clock } from "./time/clock.js";
export type { Random } from "./time/random.js";
