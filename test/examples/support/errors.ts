import {
  AccountSuspendedError,
  ApiError,
  AudioDownloadError,
  AudioExpiredError,
  AuthenticationError,
  BadRequestError,
  ConnectionError,
  CreditCeilingError,
  type FailedTask,
  InsufficientCreditsError,
  InvalidOptionError,
  InvalidRequestError,
  InvalidResponseError,
  JournalConflictError,
  JournalDamagedError,
  JournalError,
  RateLimitedError,
  RequestTimeoutError,
  ServerError,
  SubmissionOutcomeUnknownError,
  TaskFailedError,
  TaskNotFoundError,
  TaskTimedOutError,
  WaitTimeoutError,
} from "async-music";
import { NotYetError } from "../../../examples/queues/order.js";

export const ANSWER = "a song";

const TASK_ID = "7c9e6679-7425-40de-944b-e07fc1f90ae7";

export const FAILED: FailedTask = {
  task_id: TASK_ID,
  model: "provider_a",
  type: "music",
  status: "failure",
  credits_cost: 10,
  input: {},
  audio_format: null,
  output: null,
  error: "The provider failed",
  error_code: "upstream_provider_error",
  retryable: true,
  retry_after_seconds: 60,
  created_at: "2026-01-01T00:00:00.000Z",
  completed_at: "2026-01-01T00:01:00.000Z",
};

const of = { requestId: "1", issues: [] };
const api = { ...of, status: 400, errorCode: null, headers: new Headers() };
const journal = { journalKey: "order-1" };
const audio = { url: "https://audio.example/1", status: null };
const outcome = { ...of, request: {}, status: null };
const retryAt = new Date("2026-01-01T00:00:30.000Z");

interface Judged {
  error: Error;
  about: string;
  again: boolean;
  notBefore?: Date;
}

const never = (error: Error, about = "whatever it says"): Judged => ({ error, about, again: false });
const again = (error: Error, about: string, notBefore?: Date): Judged => ({
  error,
  about,
  again: true,
  ...(notBefore && { notBefore }),
});

/** Every kind of error, and whether a job that ended in it is to be run again. */
export const errors: Judged[] = [
  never(new InvalidOptionError("prompt", "be shorter")),
  never(new InvalidRequestError("invalid_task_input", [])),
  never(new BadRequestError("", api)),
  never(new AuthenticationError("", api)),
  never(new InsufficientCreditsError("", api)),
  never(new AccountSuspendedError("", api)),
  never(new TaskNotFoundError("", api)),
  never(new JournalConflictError("", journal)),
  never(new JournalDamagedError("", { orders: [], damagedKeys: [] })),
  never(new InvalidResponseError("", of)),
  never(new AudioExpiredError(audio.url)),
  never(new CreditCeilingError({ credits: 5, spentCredits: 5, maxCredits: 5 })),
  never(new SubmissionOutcomeUnknownError("", outcome), "of an unknown task"),
  never(new SubmissionOutcomeUnknownError("", { ...outcome, taskId: TASK_ID }), "of a task that was named"),
  never(new JournalError("", { ...journal, taskId: TASK_ID }), "that could not record a task"),
  never(new TaskFailedError(FAILED), "whose key is used up"),
  never(new TaskTimedOutError({ ...FAILED, status: "timeout" }), "whose key is used up"),

  again(new JournalError("", journal), "before anything was sent"),
  again(new RateLimitedError("", { ...api, retryAfterSeconds: 30, retryAt }), "with a wait", retryAt),
  again(new RateLimitedError("", { ...api, retryAfterSeconds: null, retryAt: null }), "without a wait"),
  again(new NotYetError(retryAt, new TaskFailedError(FAILED)), "of an order that has another try", retryAt),
  again(new WaitTimeoutError("", { taskId: TASK_ID, task: null }), "of a task that goes on"),
  again(new ConnectionError("", of), "of a read, or of what never left"),
  again(new RequestTimeoutError("", of), "of a read"),
  again(new ServerError("", { ...api, status: 500 }), "of a read"),
  again(new ApiError("", { ...api, status: 418 }), "of a kind that nobody knows"),
  again(new AudioDownloadError("", audio), "of a download"),
  again(new Error("disk full"), "of somebody else"),
];
