import { isSafeRequestId } from "../contract/service.js";
import { numberRule, type OptionRules, wholeNumberRule } from "../errors/options.js";

/** Options of every request. */
export interface RequestOptions {
  /**
   * Aborts the call. A read, and a POST that was not sent yet, reject with `signal.reason`. If the database of a journal or a budget
   * does not respond before the POST, that takes 1 second: the journal key and the reservation are freed later. A POST in flight
   * rejects at once with `SubmissionOutcomeUnknownError`. The POST of a run still completes, and its journal and `onSubmitted` receive
   * the task.
   */
  signal?: AbortSignal | undefined;
  /**
   * The time limit of one HTTP attempt, in real milliseconds: above 0, at most 2 147 483 647. A process that was suspended past this limit waits up to 1
   * more second for the response that arrived meanwhile.
   *
   * @defaultValue the client's, 30 000
   */
  timeoutMs?: number | undefined;
  /** How often a read, or a create that got 429, is sent again: 0 or more. @defaultValue the client's, 2 */
  maxRetries?: number | undefined;
  /** The `X-Request-Id`: 1 to 128 of `A-Z a-z 0-9 . _ : -`. `audio.download` ignores it. @defaultValue a new UUID */
  requestId?: string | undefined;
  /** Additional headers. `x-api-key`, `X-Request-Id`, `Accept` and the `Content-Type` of a POST can't be replaced here. */
  headers?: Readonly<Record<string, string>> | undefined;
}

/** No timer can be longer. */
export const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

export const REQUEST_OPTIONS: OptionRules<RequestOptions> = {
  signal: ["be an AbortSignal", (value) => value instanceof AbortSignal],
  timeoutMs: numberRule(
    `be a number of milliseconds above 0, at most ${LONGEST_TIMEOUT_MS}`,
    (value) => value > 0 && value <= LONGEST_TIMEOUT_MS,
  ),
  maxRetries: wholeNumberRule(0),
  requestId: [
    "have 1 to 128 characters, each one of A-Z a-z 0-9 . _ : -",
    (value) => typeof value === "string" && isSafeRequestId(value),
  ],
  headers: ["be an object of valid header names and values", canBeHeaders],
};

function canBeHeaders(value: unknown): boolean {
  try {
    Reflect.construct(Headers, [value]);
    return true;
  } catch {
    return false;
  }
}
