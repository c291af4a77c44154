import type { Advice } from "../contract/message.js";
import type { Redactor } from "../errors/redactor.js";
import type { Pacer, RequestKind } from "../rate-limit/pacer.js";
import type { Clock } from "../time/clock.js";
import type { Random } from "../time/random.js";
import type { Emitter } from "./events.js";
import type { LogError, Warn } from "./logging.js";
import type { Trace } from "./tracing.js";

export interface Context {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** `undefined`: the global `fetch`, looked up at each request. */
  readonly fetch: typeof fetch | undefined;
  /** The defaults of a call that sets none of its own. */
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly retryBudgetMs: number;
  readonly validateRequests: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly pacer: Pacer;
  readonly redactor: Redactor;
  /** The ids by which a client recognizes a response that belongs to another of its requests. */
  readonly ids: {
    /** The `X-Request-Id` of each request that the client sent. */
    readonly requests: IdSet;
    /** The tasks that the client received as responses to its submissions. */
    readonly tasks: IdSet;
  };
  /** The service's clock, as responses show it. */
  readonly service: {
    /** How far it is ahead of the client's clock at least, in milliseconds; `null` before the first response with a `Date`. */
    aheadMs: number | null;
  };
  readonly emitter: Emitter;
  readonly trace: Trace;
  /** `undefined`: warnings are not logged. */
  readonly warn: Warn | undefined;
  readonly logError: LogError;
}

/** The ids that were added last, compared without regard to case. */
export interface IdSet {
  /** Adds an id; returns whether it is new. */
  add(id: string): boolean;
  has(id: string): boolean;
}

/** One logical request, however many attempts it takes. */
export interface Call {
  method: "GET" | "POST";
  path: string;
  kind: RequestKind;
  body?: string;
  /** The verb phrase after "Failed to " in messages. */
  purpose: string;
  /** Awaited after the admission, before an attempt is sent. Throwing cancels the attempt. */
  beforeSending?: (() => void | Promise<void>) | undefined;
  /** Taken before each attempt is sent, after `beforeSending`; released if the attempt certainly created no task. */
  claim?: Claim | undefined;
  /** Called when the rate limit delays an attempt, with the expected end in milliseconds since the epoch; with `null` at its end. */
  onDelayed?: ((until: number | null) => void) | undefined;
  /** Makes the call survive an abort: an attempt that was sent is completed; waits before and between attempts still abort. */
  inFlight?: InFlight | undefined;
  taskId?: string;
  /** What the caller can do after a failure. */
  advice?(): Advice;
  adviceIfNotFound?(): string;
}

/** What stands in a journal while an attempt may be in flight. */
export interface Claim {
  /** If it throws, the attempt is not sent. */
  take(): Promise<void>;
  /** Must not throw. */
  release(why: NoTask): Promise<void>;
}

/** Why an attempt certainly created no task. */
export type NoTask = "not_sent" | "refused";

/** Whether a call that survives an abort has an attempt in flight. */
export interface InFlight {
  /** The call, from the sending of an attempt to its outcome; otherwise `null`. */
  call: Call | null;
}

/** Options of every request. */
export interface RequestOptions {
  /**
   * Aborts the call. A read, and a POST that was not sent yet, reject with `signal.reason`. A POST in flight rejects at once
   * with `SubmissionOutcomeUnknownError`. The POST of a run still completes, and its journal and `onSubmitted` receive the
   * task.
   */
  signal?: AbortSignal | undefined;
  /**
   * The time limit of one HTTP attempt, in real milliseconds. A process that was suspended past this limit waits up to 1
   * more second for the response that arrived meanwhile.
   *
   * @defaultValue the client's, 30 000
   */
  timeoutMs?: number | undefined;
  /** How often a read, or a create that got 429, is sent again. @defaultValue the client's, 2 */
  maxRetries?: number | undefined;
  /** The `X-Request-Id`: 1 to 128 of `A-Z a-z 0-9 . _ : -`. `audio.download` ignores it. @defaultValue a new UUID */
  requestId?: string | undefined;
  /** Additional headers. The API key, content type and request id can't be replaced here. */
  headers?: Readonly<Record<string, string>> | undefined;
}

export type Fields = Readonly<Record<string, unknown>>;

/** A response whose body was read to its end. It is parsed once, and passed on as it is. */
export interface ApiResponse {
  status: number;
  headers: Headers;
  text: string;
  /** The fields of the body; none if it is no JSON object. */
  json: Fields;
  /** Whether the body is an HTML page: something other than the service sent it. */
  isHtml: boolean;
  /** The unchecked `task_id` of its data. */
  taskId: unknown;
  /** The `X-Request-Id` of the response, or else of the request. */
  requestId: string;
  /** `X-RateLimit-Remaining`; `null` without a readable value. */
  remaining: number | null;
  /** The wait that an error response states, in milliseconds; `null` if it states none. */
  statedWaitMs: number | null;
  receivedAt: number;
}

/** How one attempt ended. */
export type Outcome = Received | Unusable | NoResponse;

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
  outcome: Outcome;
}

export interface Verdict {
  error: unknown;
  /** Whether another attempt may succeed, and can't create a second task. */
  mayResend: boolean;
  /** Of a POST: present if it certainly created no task. */
  noTask?: NoTask;
}

export type Judge = (failure: Failure) => Verdict;

export type Tried<Result> = { result: Result } | FailedAttempt;

export interface FailedAttempt extends Verdict {
  /** The wait that the response stated, in milliseconds, if it stated one. */
  statedWaitMs?: number | null;
}
