import * as sdk from "async-music";
import { NotYetError } from "../../../examples/queues/order.js";

export const ANSWER = "a song";

const TASK_ID = "7c9e6679-7425-40de-944b-e07fc1f90ae7";

export const FAILED: sdk.FailedTask = {
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

const never = (error: Error, about = "with any reason"): Judged => ({ error, about, again: false });
const again = (error: Error, about: string, notBefore?: Date): Judged => ({
  error,
  about,
  again: true,
  ...(notBefore && { notBefore }),
});

const invalid = (path: string) =>
  new sdk.InvalidResponseError("", { ...of, taskId: TASK_ID, issues: [{ path, message: "is missing" }] });

/** Every kind of error, and whether a job that failed with it should run again. */
export const errors: Judged[] = [
  never(new sdk.InvalidOptionError("prompt", "be shorter")),
  never(new sdk.InvalidRequestError("invalid_task_input", [])),
  never(new sdk.BadRequestError("", api)),
  again(
    new sdk.BadRequestError("", { ...api, errorCode: "audio_format_unavailable" }),
    "while MP3 is unavailable",
  ),
  never(new sdk.AuthenticationError("", api)),
  never(new sdk.InsufficientCreditsError("", api)),
  never(new sdk.AccountSuspendedError("", api)),
  never(new sdk.TaskNotFoundError("", { ...api, errorCode: "task_not_found" }), "of the service"),
  again(new sdk.TaskNotFoundError("", api), "of a gateway"),
  never(new sdk.JournalConflictError("", journal)),
  never(new sdk.JournalDamagedError("", { orders: [], damagedKeys: [] })),
  again(new sdk.InvalidResponseError("", of), "of a probe, before anything was sent"),
  never(invalid("data.output.result"), "about the result of a task"),
  never(new sdk.AudioExpiredError(audio.url)),
  again(new sdk.BudgetError("", { tenant: "acme" }), "of a database that may work again"),
  never(
    new sdk.CreditCeilingError({ credits: 5, spentCredits: 5, maxCredits: 5 }),
    "after the credits are spent",
  ),
  again(
    new sdk.CreditCeilingError({ credits: 5, spentCredits: 5, reserved: 5, maxCredits: 5 }),
    "while credits are only reserved",
  ),
  never(new sdk.SubmissionOutcomeUnknownError("", outcome), "without a task ID"),
  again(
    new sdk.SubmissionOutcomeUnknownError("", { ...outcome, checkAgainAt: retryAt }),
    "of a request that may be in flight",
    retryAt,
  ),
  never(new sdk.JournalError("", { ...journal, taskId: TASK_ID }), "after a task was created"),
  never(new sdk.TaskFailedError(FAILED), "whose key is used"),
  never(new sdk.TaskTimedOutError({ ...FAILED, status: "timeout" }), "whose key is used"),

  again(new sdk.SubmissionOutcomeUnknownError("", { ...outcome, taskId: TASK_ID }), "with a task ID"),
  again(invalid("data.created_at"), "with a task ID"),
  again(new sdk.JournalError("", journal), "before anything was sent"),
  again(new sdk.RateLimitedError("", { ...api, retryAfterSeconds: 30, retryAt }), "with a wait", retryAt),
  again(new sdk.RateLimitedError("", { ...api, retryAfterSeconds: null, retryAt: null }), "without a wait"),
  again(new NotYetError(retryAt, new sdk.TaskFailedError(FAILED)), "of an order with attempts left", retryAt),
  again(new sdk.WaitTimeoutError("", { taskId: TASK_ID, task: null }), "of a task that is still running"),
  again(new sdk.ConnectionError("", of), "of a read, or before anything was sent"),
  again(new sdk.RequestTimeoutError("", of), "of a read"),
  again(new sdk.ServerError("", { ...api, status: 500 }), "of a read"),
  again(new sdk.ApiError("", { ...api, status: 418 }), "with an unknown status"),
  again(new sdk.AudioDownloadError("", audio), "of a download"),
  again(new Error("disk full"), "of other code"),
];
