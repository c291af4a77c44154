import type { RequestKind } from "../rate-limit/pacer.js";

/** One logical request, however many attempts it takes. */
export interface Call {
  method: "GET" | "POST";
  /** Below the service address. */
  path: string;
  kind: RequestKind;
  /** The JSON text of a POST. */
  body?: string;
  /** What the call is for, as it stands behind "Failed to " in messages. */
  purpose: string;
  /** Awaited when the call has been admitted, before the first byte of an attempt leaves; stops it by throwing. */
  beforeSending?: (() => Promise<void>) | undefined;
  /** Of a call that outlives an abort: an attempt that has left is waited for; what comes before and between isn't. */
  flight?: Flight | undefined;
  /** The task that the call reads. */
  taskId?: string;
  /** What the caller can do after a failure, as it stands at the end of messages. */
  advice?: string;
  /** The same where the service knows nothing by that id: there is nothing to go on with. */
  adviceIfNotFound?(): string;
}

/** What becomes of a call, for whoever may leave it. */
export interface Flight {
  /** The call, while an attempt has left and nothing has come of it yet. */
  underWay: Call | null;
  /** Called when the rate limit delays an attempt, with its expected end in milliseconds since the epoch; with `null` at its end. */
  onDelayed?: ((until: number | null) => void) | undefined;
}

/** Options of every request. */
export interface RequestOptions {
  /**
   * Ends the call: before a POST began, and for every read, it then rejects with the signal's reason. Once a POST has left
   * it rejects at once with a `SubmissionOutcomeUnknownError`; the POST of a run then goes on without its caller, so
   * that its journal and `onSubmitted` hear of the task.
   */
  signal?: AbortSignal | undefined;
  /** The time limit of one HTTP attempt, in real milliseconds. @defaultValue the client's, 30 000 */
  timeoutMs?: number | undefined;
  /** How often a read, or a create that got 429, is sent again. @defaultValue the client's, 2 */
  maxRetries?: number | undefined;
  /** The `X-Request-Id`: 1 to 128 of `A-Z a-z 0-9 . _ : -`. @defaultValue a new UUID */
  requestId?: string | undefined;
  /** Headers to send besides. The API key, content type and request id can't be replaced here. */
  headers?: Readonly<Record<string, string>> | undefined;
}

/** What came back, its body read whole. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The body as JSON; `undefined` if it is none. */
  json: unknown;
  requestId: string;
}
