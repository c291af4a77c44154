import type { Call, Context, NoTask } from "./context.js";

export type JsonFields = Readonly<Record<string, unknown>>;

/** A response whose body was read to its end. It is parsed once, and passed on as it is. */
export interface ApiResponse {
  status: number;
  headers: Headers;
  text: string;
  /** The fields of the body; none if it is no JSON object. */
  json: JsonFields;
  /** Whether the body is an HTML page: something other than the service sent it. */
  isHtml: boolean;
  /** The unchecked `task_id` of its data. */
  taskId: unknown;
  /** The `X-Request-Id` of the response, or else of the request. */
  requestId: string;
  /** `X-RateLimit-Remaining`; `null` without a readable value, and of a response that is not the service's. */
  remaining: number | null;
  /** The wait that an error response or a redirect states, in milliseconds; `null` if it states none. */
  statedWaitMs: number | null;
  receivedAt: number;
}

/** The data of a response, with the response. */
export interface Result<Data> {
  data: Data;
  response: ApiResponse;
}

export type AttemptOutcome = Received | Unusable | NoResponse;

export interface Received {
  kind: "received";
  response: ApiResponse;
}

/** The response is too large to be read, or belongs to another request. */
export interface Unusable {
  kind: "too_large" | "foreign";
  /** `null` for a response that belongs to another request. */
  status: number | null;
  /** The first `MAX_RESPONSE_BYTES` of the body; empty for a response that belongs to another request. */
  text: string;
  /** `X-RateLimit-Remaining` of a response that is too large; otherwise `null`. */
  remaining: number | null;
  issue: { path: string; message: string };
}

export interface NoResponse {
  kind: "aborted_before_sending" | "aborted" | "timed_out" | "never_sent" | "connection_lost";
  url: string;
  timeoutMs: number;
  /** The status, and `X-RateLimit-Remaining`, if the response broke off after its headers. */
  status: number | null;
  remaining: number | null;
  text: string;
  cause: unknown;
}

export interface Failure {
  context: Pick<Context, "redactor" | "ids">;
  call: Call;
  requestId: string;
  outcome: AttemptOutcome;
}

export interface Verdict {
  error: unknown;
  /** Whether another attempt may succeed, and can't create a second task. */
  mayResend: boolean;
  /** Of a POST: present if it certainly created no task. */
  noTask?: NoTask;
}

/** Decides what a failed attempt means: the error for the caller, and whether to send the call again. */
export type Judge = (failure: Failure) => Verdict;

export type Tried<Value> = { result: Value } | FailedAttempt;

export interface FailedAttempt extends Verdict {
  /** The wait that the response stated, in milliseconds, if it stated one. */
  statedWaitMs?: number | null;
  /** Of a read: whether its key was refused, and is not the current one any more. */
  hasNewKey?: boolean;
}
