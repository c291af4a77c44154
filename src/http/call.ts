import { isSafeRequestId } from "../contract/service.js";
import { numberRule, type OptionRules } from "../errors/options.js";
import type { Redactor } from "../errors/redactor.js";
import { attempt } from "./attempt.js";
import type { ApiResponse, Call, Context, Judge, RequestOptions } from "./context.js";
import { heldError, invalidResponse } from "./failure.js";
import { createRequestId } from "./ids.js";
import { withRetries } from "./retries.js";

/** Shorter delays by the rate limit are not emitted: timers and queues cause them. */
export const SHORTEST_WAIT_MS = 50;

/** Sends a call until it succeeds, as often as `judge`, `maxRetries` and `retryBudgetMs` allow. */
export async function send(
  context: Context,
  call: Call,
  options: RequestOptions,
  judge: Judge,
): Promise<ApiResponse> {
  const { clock, pacer, random, emitter } = context;
  const { signal, maxRetries, requestId = createRequestId(random) } = options;

  return withRetries(context, { maxRetries, signal }, async (maxHoldMs) => {
    const queuedAt = clock.now();
    const { kind, taskId, onDelayed } = call;
    const isAdmitted = await pacer.admit({ kind, taskId, maxHoldMs, onDelayed }, signal);
    onDelayed?.(null);
    if (!isAdmitted) throw heldError(context, call, requestId);
    const waitedMs = clock.now() - queuedAt;
    if (waitedMs >= SHORTEST_WAIT_MS)
      emitter.emit("wait", () => ({ purpose: call.purpose, taskId: taskId ?? null, waitedMs }));
    try {
      await call.beforeSending?.();
      await call.claim?.take();
    } catch (error) {
      // Every admission needs a report, even if nothing is sent.
      pacer.report({ taskId, sentAt: clock.now(), remaining: null, heldForMs: null });
      throw error;
    }
    const tried = await attempt(context, call, { ...options, requestId }, judge);
    // Before the wait for the next attempt, in which the process may end.
    if ("error" in tried && tried.noTask !== undefined) await call.claim?.release(tried.noTask);
    return tried;
  });
}

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
  { json, requestId, isHtml }: Pick<ApiResponse, "json" | "requestId" | "isHtml">,
  schema: Schema<Data>,
  dataPath: readonly string[] = ["data"],
): Data {
  const { data } = json;
  const parsed = data === undefined ? null : schema.safeParse(data);
  if (parsed?.success) return parsed.data;
  const issues = parsed?.error.issues.map(({ path, message }) => ({
    path: [...dataPath, ...path.map(String)].join("."),
    message,
  })) ?? [{ path: "", message: "is not JSON of the form { code, data }" }];
  throw invalidResponse(redactor, call, requestId, issues, isHtml);
}

/** The data of a response, with the response. */
export interface WithResponse<Data> {
  data: Data;
  /** The HTTP response; its body can be read once more. */
  response: Response;
  /** Names the request in the service's records. */
  requestId: string;
  rateLimit: {
    /** Requests left in the key's current window; `null` if the response did not state it. */
    remaining: number | null;
  };
}

/** A promise of a response's data that also gives access to the response. */
export interface ApiPromise<Data> extends Promise<Data> {
  /** The data together with the HTTP response, its request id and the remaining rate limit. */
  withResponse(): Promise<WithResponse<Data>>;
}

/** Makes a promise with `withResponse` from one call. */
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

const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

export const REQUEST_OPTIONS: OptionRules<RequestOptions> = {
  signal: ["be an AbortSignal", (value) => value instanceof AbortSignal],
  timeoutMs: numberRule(
    `be a number of milliseconds above 0, at most ${LONGEST_TIMEOUT_MS}`,
    (value) => value > 0 && value <= LONGEST_TIMEOUT_MS,
  ),
  maxRetries: numberRule("be a whole number of 0 or more", (value) => Number.isInteger(value) && value >= 0),
  requestId: [
    "have 1 to 128 characters, each one of A-Z a-z 0-9 . _ : -",
    (value) => typeof value === "string" && isSafeRequestId(value),
  ],
  headers: ["be an object of valid header names and values", canBeHeaders],
};

function canBeHeaders(value: unknown): boolean {
  try {
    return new Headers(value as HeadersInit) instanceof Headers;
  } catch {
    return false;
  }
}
