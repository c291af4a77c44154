/**
 * The SDK: the client, its errors, and the types of requests and responses.
 *
 * @module async-music
 */

export type { Account } from "./account.js";
export type { Audio } from "./audio/audio.js";
export type { AudioDownload, SizedAudioDownload } from "./audio/download.js";
export type { AudioExtension } from "./audio/format.js";
export type { DownloadOptions } from "./audio/options.js";
export type { Budget, BudgetCallOptions, BudgetOptions, BudgetUsage } from "./budget/budget.js";
export { AsyncMusic, type RateLimit } from "./client.js";
export { extraField, type ResponseObject } from "./contract/extra-field.js";
export type { Fetch } from "./contract/fetch.js";
export type { MessageParts, MessageText } from "./contract/message.js";
export { PRICES } from "./contract/prices.js";
export type * from "./contract/requests.js";
export type { Balance, Usage } from "./contract/responses.js";
export type { JsonValue } from "./contract/service.js";
export {
  ERROR_STATUSES,
  type ErrorCode,
  FINAL_STATUSES,
  type FinalStatus,
  isFinalStatus,
  LIMITS,
  MODELS,
  type Model,
  TASK_ERROR_CODES,
  TASK_STATUSES,
  TASK_TYPES,
  type TaskErrorCode,
  type TaskStatus,
  type TaskType,
  USD_PER_CREDIT,
} from "./contract/service.js";
export * from "./contract/task.js";
export * from "./errors/api-errors.js";
export {
  AsyncMusicError,
  BudgetError,
  type CreditCeilingDetails,
  CreditCeilingError,
  type ErrorDetails,
  InvalidOptionError,
  InvalidRequestError,
} from "./errors/base.js";
export * from "./errors/connection-errors.js";
export * from "./errors/task-errors.js";
export type { ApiKey } from "./http/api-key.js";
export type { ApiPromise, WithResponse } from "./http/api-promise.js";
export type { ByobReader, ByteStream, ByteStreamMethods } from "./http/byte-stream.js";
export type {
  AdmissionEvent,
  AttemptEvent,
  ClientEvents,
  CompletionEvent,
  Listener,
  PauseEvent,
  RequestFailure,
  ResponseEvent,
  RetryEvent,
  SubmissionEvent,
  TaskEvent,
  WaitEvent,
} from "./http/events.js";
export type { Logger, LogLevel } from "./http/logging.js";
export type { RequestOptions } from "./http/request-options.js";
export type { Span, SpanAttributes, Tracer } from "./http/tracing.js";
export { JournalDamagedError } from "./journal/entries.js";
export type * from "./journal/journal.js";
export { memoryJournal } from "./journal/memory-journal.js";
export type { JournalOptions } from "./journal/options.js";
export { memoryBudget } from "./memory-budget.js";
export type { ClientOptions } from "./options.js";
export type * from "./rate-limit/pacer.js";
export type * from "./relay.js";
export { type SettleNotCreatedOptions, settleNotCreated } from "./settle-not-created.js";
export { settleOutcome } from "./settle-outcome.js";
export { creditsFor } from "./tasks/credits-for.js";
export type { FollowedFailure, FollowedOrder, FollowedSuccess, FollowOptions } from "./tasks/follow.js";
export type {
  CreateOptions,
  JournaledCreateOptions,
  PollInterval,
  RunAllOptions,
  RunOptions,
  WaitOptions,
} from "./tasks/options.js";
export type { RunAllProgress } from "./tasks/progress.js";
export type { RunFailure, RunResult, RunSuccess } from "./tasks/run-all.js";
export { expiresAt, progressOf, taskEvents } from "./tasks/task-events.js";
export type { Tasks } from "./tasks/tasks.js";
export type { TenantOptions } from "./tasks/tenant.js";
export type { Clock } from "./time/clock.js";
export type { Random } from "./time/random.js";
