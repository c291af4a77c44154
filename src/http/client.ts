import { isSafeRequestId } from "../contract/service.js";
import { AsyncMusicError, InvalidOptionError, shown } from "../errors/base.js";
import { nearestName, ownOptions } from "../shared/options.js";
import { isReasonOf } from "../time/abort.js";
import { type Clock, type Random, systemRandom, systemUuid } from "../time/clock.js";
import { attempt, fieldOf } from "./attempt.js";
import type { ApiResponse, Call, Context, RequestOptions } from "./context.js";
import { heldError, invalidResponse, type Judge } from "./failure.js";
import type { Redactor } from "./redactor.js";
import type { Emitter } from "./telemetry.js";

/** The ceiling of the first wait between two attempts, in milliseconds. It doubles with each retry, up to the highest. */
const FIRST_BACKOFF_MS = 500;
const HIGHEST_BACKOFF_MS = 8000;

/** A delay by the rate limit that is shorter is not emitted: it is only the time of a timer or a queue. */
const SHORTEST_WAIT_MS = 50;

/** Sends a call until it succeeds, as often as its rule, `maxRetries` and `retryBudgetMs` allow. */
export async function send(
  context: Context,
  call: Call,
  options: RequestOptions,
  judge: Judge,
): Promise<ApiResponse> {
  const { maxRetries = context.maxRetries } = checkRequestOptions(options);
  const { clock, pacer, random, emitter } = context;
  const { signal, requestId = createRequestId(random) } = options;

  return withRetries({ ...context, maxRetries, signal }, async (budgetMs) => {
    const queuedAt = clock.now();
    const onDelayed = call.inFlight?.onDelayed;
    const isAdmitted = await pacer.admit({ ...call, maxHoldMs: budgetMs, onDelayed }, signal);
    onDelayed?.(null);
    if (!isAdmitted) throw heldError(context, call, requestId);
    emitWait(emitter, call.purpose, call.taskId, clock.now() - queuedAt);
    try {
      await call.beforeSending?.();
    } catch (error) {
      // Release the slot even if nothing is sent.
      pacer.report({ taskId: call.taskId, sentAt: clock.now(), remaining: null, heldForMs: null });
      throw error;
    }
    return sendOnce(context, call, { ...options, requestId }, judge);
  });
}

/** Sends a call that the pacer has admitted, once. */
export async function sendOnce(
  context: Context,
  call: Call,
  options: RequestOptions,
  judge: Judge,
): Promise<Tried<ApiResponse>> {
  const sent = await attempt(context, call, options, options.requestId ?? createRequestId(context.random));
  const { outcome, requestId } = sent;
  const response = outcome.kind === "answered" ? outcome.response : null;
  if (response !== null && response.status >= 200 && response.status < 300) return { result: response };
  const { error, mayResend } = judge({ context, call, requestId, outcome });
  return { error, mayRetry: mayResend, statedMs: response?.statedWaitMs ?? null };
}

/** Reports that the rate limit delayed a request. */
export function emitWait(
  emitter: Emitter,
  purpose: string,
  taskId: string | undefined,
  waitedMs: number,
): void {
  if (waitedMs >= SHORTEST_WAIT_MS)
    emitter.emit("wait", () => ({ purpose, taskId: taskId ?? null, waitedMs }));
}

/** The result of one attempt, or its failure. */
export type Tried<Result> = { result: Result } | FailedAttempt;

/** An attempt that failed. */
export interface FailedAttempt {
  error: unknown;
  /** Whether another attempt may succeed, and does no harm. */
  mayRetry: boolean;
  /** The wait that the response stated, in milliseconds; `null` if it stated none. */
  statedMs: number | null;
}

/** What the attempts of one call use. */
export interface RetryLimits {
  clock: Clock;
  random: Random;
  maxRetries: number;
  /** The sum of all waits between attempts, in milliseconds. */
  retryBudgetMs: number;
  signal: AbortSignal | undefined;
  emitter: Emitter;
  redactor: Pick<Redactor, "cause">;
}

/**
 * Repeats an attempt until it succeeds, or throws the error of the last one. Waits 0 to 0.5 s, 0 to 1 s, 0 to 2 s and so on,
 * at most 8 s; a stated wait replaces these and is never shortened: if it exceeds the budget, the call fails at once.
 */
export async function withRetries<Result>(
  { clock, random, maxRetries, retryBudgetMs, signal, emitter, redactor }: RetryLimits,
  attempt: (budgetMs: number) => Promise<Tried<Result>>,
): Promise<Result> {
  let budgetMs = retryBudgetMs;
  try {
    for (let retry = 0; ; retry++) {
      const tried = await attempt(budgetMs);
      if ("result" in tried) return tried.result;

      const waitMs = tried.statedMs ?? random() * Math.min(HIGHEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** retry);
      if (!tried.mayRetry || retry >= maxRetries || waitMs > budgetMs) throw tried.error;
      budgetMs -= waitMs;
      emitter.emit("retry", () => ({ retry: retry + 1, waitMs, error: tried.error }));
      await clock.sleep(waitMs, signal);
    }
  } catch (error) {
    if (error instanceof AsyncMusicError || isReasonOf(signal, error)) throw error;
    // A custom pacer or clock may throw anything, the key included.
    throw redactor.cause(error) ?? new AsyncMusicError("Failed to send: the pacer or the clock threw.");
  }
}

/** The part of a zod schema that is used. */
export interface Schema<Data> {
  safeParse(
    data: unknown,
  ): { success: true; data: Data } | { success: false; error: { issues: readonly SchemaIssue[] } };
}

interface SchemaIssue {
  path: readonly PropertyKey[];
  message: string;
}

/** The `data` of a success, checked against the contract. @throws InvalidResponseError */
export function parseData<Data>(
  { redactor }: Pick<Context, "redactor">,
  call: Call,
  { json, requestId }: Pick<ApiResponse, "json" | "requestId">,
  schema: Schema<Data>,
  taskId = call.taskId,
): Data {
  const data = fieldOf(json, "data");
  const parsed = data === undefined ? null : schema.safeParse(data);
  if (parsed?.success) return parsed.data;
  const issues = parsed?.error.issues.map(({ path, message }) => ({
    path: ["data", ...path.map(String)].join("."),
    message,
  })) ?? [{ path: "", message: "is not JSON of the form { code, data }" }];
  throw invalidResponse(redactor, call, requestId, issues, taskId);
}

/** The data of a response, with the response. */
export interface WithResponse<Data> {
  data: Data;
  /** The HTTP response; its body can be read once more. */
  response: Response;
  /** Names the request in the service's records. */
  requestId: string;
  rateLimit: {
    /** Requests left in the key's current window; `null` if the response did not say. */
    remaining: number | null;
  };
}

/** A promise of a response's data that also gives access to the response. */
export interface ApiPromise<Data> extends Promise<Data> {
  /** The data together with the HTTP response, its request id and what it said of the rate limit. */
  withResponse(): Promise<WithResponse<Data>>;
}

/** Wraps one call: both of its promises share the one request. */
export function apiPromise<Data>(
  result: Promise<{ data: Data; response: ApiResponse }>,
  redactor: Redactor,
): ApiPromise<Data> {
  const promise = result.then(({ data }) => data);
  const withResponse = async (): Promise<WithResponse<Data>> => {
    // The caller of `withResponse` handles the failure.
    promise.catch(() => {});
    const { data, response } = await result;
    const { status, text, remaining } = response;
    return {
      data,
      response: new Response(text, { status, headers: redactor.headers(response.headers) }),
      requestId: redactor.text(response.requestId),
      rateLimit: { remaining },
    };
  };
  return Object.assign(promise, { withResponse });
}

/** Returns a new UUID (version 4): from the system's secure source, or drawn from the source that was handed in. */
export function createRequestId(random: Random): string {
  if (random === systemRandom) return systemUuid();
  let hex = "";
  while (hex.length < 32)
    hex += Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, "0");
  const variant = "89ab"[Math.floor(random() * 4)];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** The names of a request's options. */
export const REQUEST_OPTIONS = {
  signal: true,
  timeoutMs: true,
  maxRetries: true,
  requestId: true,
  headers: true,
} as const satisfies Record<keyof RequestOptions, true>;

/** The longest time that a timer can be set to, in milliseconds. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** Checks the options of one request and answers the limits among them that were given. */
export function checkRequestOptions(options: RequestOptions): { timeoutMs?: number; maxRetries?: number } {
  const { timeoutMs, maxRetries, requestId, signal, headers } = options;
  if (requestId !== undefined && !(typeof requestId === "string" && isSafeRequestId(requestId))) {
    throw new InvalidOptionError(
      "requestId",
      "be 1 to 128 of the characters A-Z a-z 0-9 . _ : -",
      shown(requestId),
    );
  }
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new InvalidOptionError("signal", "be an AbortSignal", shown(signal));
  }
  if (headers !== undefined && !canBeHeaders(headers)) {
    throw new InvalidOptionError("headers", "be an object of valid header names and values");
  }
  return {
    ...(timeoutMs === undefined ? {} : { timeoutMs: checkTimeoutMs(timeoutMs) }),
    ...(maxRetries === undefined ? {} : { maxRetries: checkMaxRetries(maxRetries) }),
  };
}

export function checkTimeoutMs(value: number): number {
  if (typeof value === "number" && value > 0 && value <= LONGEST_TIMEOUT_MS) return value;
  throw new InvalidOptionError(
    "timeoutMs",
    `be above 0 and at most ${LONGEST_TIMEOUT_MS} milliseconds`,
    shown(value),
  );
}

export function checkMaxRetries(value: number): number {
  if (Number.isInteger(value) && value >= 0) return value;
  throw new InvalidOptionError("maxRetries", "be a whole number, 0 or more", shown(value));
}

function canBeHeaders(headers: Readonly<Record<string, string>>): boolean {
  try {
    return new Headers(headers) instanceof Headers;
  } catch {
    return false;
  }
}

/** Options that not everything has, by what has them: who gives one elsewhere is told where it belongs. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "`new AsyncMusic`":
    "apiKey baseUrl fetch retryBudgetMs clock random pacer logger logLevel tracer validateRequests dangerouslyAllowBrowser",
  "each call": "signal requestId headers",
  "the calls that wait": "pollIntervalMs maxWaitMs onUpdate",
  "`run` and `runAll`": "onSubmitted journal journalKey probe onUnrecorded",
  "`runAll`": "concurrency maxCredits onProgress",
};

/** Where no key is known, none can be looked for. */
const NO_KEY: Pick<Redactor, "text"> = { text: (value) => value };

/**
 * Returns a copy of the options that has every known name, `undefined` where none is given. Own properties alone count,
 * so that a polluted `Object.prototype` sets no option of a client.
 *
 * @throws `InvalidOptionError` for a name that is not known, and for one that the options inherit from a class or from
 * other options: either would silently do nothing
 */
export function checkOptionNames<Options extends object>(
  options: Options,
  known: Readonly<Record<string, true>>,
  { text }: Pick<Redactor, "text"> = NO_KEY,
): Options {
  if (typeof options !== "object" || options === null) {
    throw new InvalidOptionError("options", "be an object", shown(options));
  }
  const names = Object.keys(known);
  return ownOptions(options, names, (name, reason) => {
    if (reason === "inherited")
      return new InvalidOptionError(name, "be an own property of the options: inherited ones are not read");
    const rule = text(name) === name ? ruleFor(name, names) : null;
    if (rule !== null) return new InvalidOptionError(name, rule);
    // A name like no other isn't shown: it may be the API key in a wrong place.
    return new InvalidOptionError("options", `be among ${names.join(", ")}`, shown(name));
  });
}

/** What is wrong with a name that is an option of something else, or nearly one of these; `null` for any other. */
function ruleFor(name: string, names: readonly string[]): string | null {
  const place = Object.keys(ELSEWHERE).find((each) => ELSEWHERE[each]?.split(" ").includes(name));
  if (place !== undefined) return `be an option here: it is one of ${place}`;
  const nearest = nearestName(name, names);
  return nearest === null ? null : `be the name of an option, perhaps \`${nearest}\``;
}

/** What came where one of some words was expected: a word like no other isn't shown, since it may be a key. */
export function shownAmong(
  value: unknown,
  words: readonly string[],
  { text }: Pick<Redactor, "text">,
): string {
  const isShown = typeof value === "string" && nearestName(value, words) !== null && text(value) === value;
  return isShown ? value : shown(value);
}
