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
export { MODELS, type Model, PRICES, TASK_TYPES, type TaskType, USD_PER_CREDIT } from "./contract/models.js";
export type * from "./contract/requests.js";
export {
  type AnyTaskType,
  type Clip,
  type ClipMetadata,
  type FailedTask,
  type FailedTaskOf,
  FINAL_STATUSES,
  type FinalStatus,
  isFinalStatus,
  isLyrics,
  isMusic,
  type Known,
  type Lyrics,
  type SucceededOutput,
  type SucceededTask,
  type SucceededTaskOf,
  TASK_STATUSES,
  type Task,
  type TaskFields,
  type TaskOutput,
  type TaskResults,
  type TaskStatus,
  type TaskSubmission,
  type UnfinishedTask,
  type UnfinishedTaskOf,
  type Unlisted,
} from "./contract/task.js";
export type { JsonValue } from "./contract/wire.js";
export {
  ERROR_STATUSES,
  type ErrorCode,
  LIMITS,
  TASK_ERROR_CODES,
  type TaskErrorCode,
} from "./contract/wire.js";
export {
  AccountSuspendedError,
  ApiError,
  type ApiErrorDetails,
  AuthenticationError,
  BadRequestError,
  InsufficientCreditsError,
  RateLimitedError,
  ServerError,
  TaskNotFoundError,
} from "./errors/api-errors.js";
export { AudioDownloadError, AudioExpiredError } from "./errors/audio-errors.js";
export {
  AsyncMusicError,
  CreditCeilingError,
  type ErrorDetails,
  InvalidOptionError,
  InvalidRequestError,
} from "./errors/base.js";
export {
  ConnectionError,
  type Evidence,
  InvalidResponseError,
  RequestTimeoutError,
  SubmissionOutcomeUnknownError,
} from "./errors/connection-errors.js";
export { JournalConflictError, JournalError } from "./errors/journal-errors.js";
export { TaskFailedError, TaskTimedOutError, WaitTimeoutError } from "./errors/task-errors.js";
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
