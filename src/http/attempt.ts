import { HEADERS } from "../contract/wire.js";
import type { Pacer, RateLimitReport } from "../rate-limit/pacer.js";
import { dateAt } from "../time/clock.js";
import type { Answer, Call, RequestOptions } from "./call.js";
import { type Answered, exchange, foreign, type Outcome } from "./exchange.js";
import { type KnownIds, namesAnotherRequest } from "./known-ids.js";
import { type OneShotBody, oneShotBody } from "./one-shot-body.js";
import { taskIdIn } from "./parse-answer.js";
import { rateLimitRemaining } from "./rate-limit-remaining.js";
import type { FailedTry } from "./retrying.js";
import { statedWaitMs } from "./stated-wait.js";
import type { TransportConfig } from "./transport-config.js";
import type { Judge } from "./verdict.js";

/** How long a 429 that states no wait holds the key back. */
const UNSTATED_HOLD_MS = 1000;

/** Sends a call that the pacer has admitted, tells the pacer what came of it, and judges a failure. */
export async function attempt(
  config: TransportConfig,
  call: Call,
  options: RequestOptions,
  judge: Judge,
  requestId: string,
): Promise<{ result: Answer } | FailedTry> {
  const { clock, pacer, redactor, emitter, ids } = config;
  const timeoutMs = options.timeoutMs ?? config.timeoutMs;
  const url = config.baseUrl + call.path;
  const leftAt = clock.now();
  const event = () => ({
    requestId: redactor.text(requestId),
    method: call.method,
    url: redactor.text(url),
    taskId: call.taskId ?? null,
  });
  emitter.emit("attempt", event);
  // What outlives an abort hears of it here for the last time.
  const flight = options.signal?.aborted ? undefined : call.flight;
  if (flight) flight.underWay = call;
  const body = call.body === undefined ? undefined : oneShotBody(call.body);
  ids.requests.add(requestId);
  const report: RateLimitReport = { taskId: call.taskId, sentAt: leftAt, remaining: null, heldForMs: null };
  let outcome: Outcome;
  let now: number;
  let statedMs: number | null = null;
  try {
    outcome = await exchange({
      method: call.method,
      url,
      headers: headersOf(config.apiKey, body, options, requestId),
      body,
      timeoutMs,
      signal: flight ? undefined : options.signal,
      fetch: config.fetch,
      isForeign: (headers) => namesAnotherRequest(headers.get(HEADERS.requestId), requestId, ids.requests),
    });
    if (isSuccess(outcome)) outcome = withOwnTask(outcome, call, requestId, ids);
    now = clock.now();
    if (outcome.kind === "answered") {
      const { status, headers, json } = outcome.answer;
      statedMs = status >= 400 ? statedWaitMs(headers, json, now) : null;
      report.remaining = rateLimitRemaining(headers);
      if (status === 429) report.heldForMs = statedMs ?? UNSTATED_HOLD_MS;
    }
  } finally {
    if (flight) flight.underWay = null;
    tell(pacer, call, report);
  }
  const answer = outcome.kind === "answered" ? outcome.answer : null;
  const { remaining, heldForMs } = report;
  const status = answer?.status ?? null;
  emitter.emit("answer", () => ({ ...event(), status, durationMs: now - leftAt, remaining }));
  if (heldForMs !== null) {
    emitter.emit("pause", () => ({ forMs: heldForMs, until: dateAt(now + heldForMs) }));
  }

  const answeredId = answer?.headers.get(HEADERS.requestId) || requestId;
  if (isSuccess(outcome)) return { result: { ...outcome.answer, requestId: answeredId } };
  const failure = { call, requestId: answeredId, outcome, timeoutMs, now, redactor, ids };
  const { error, mayResend } = judge(failure);
  return { error, mayRetry: mayResend, statedMs };
}

/** A task that is paid for outweighs a pacer of the caller's own that can't take the news. */
function tell(pacer: Pacer, { method }: Call, news: RateLimitReport): void {
  try {
    pacer.report(news);
  } catch (error) {
    if (method !== "POST") throw error;
  }
}

/** The caller's headers come first, so that none replaces one of the SDK's, whatever its capitalization. */
function headersOf(
  apiKey: string,
  body: OneShotBody | undefined,
  options: RequestOptions,
  requestId: string,
): Headers | Record<string, string> {
  const own = {
    Accept: "application/json",
    ...(body === undefined ? {} : { "Content-Type": "application/json", ...body.headers }),
    [HEADERS.requestId]: requestId,
    [HEADERS.apiKey]: apiKey,
  };
  if (options.headers === undefined) return own;
  const headers = new Headers(options.headers);
  for (const [name, value] of Object.entries(own)) headers.set(name, value);
  return headers;
}

function isSuccess(outcome: Outcome): outcome is Answered {
  return outcome.kind === "answered" && outcome.answer.status >= 200 && outcome.answer.status < 300;
}

/** The outcome itself, or `foreign` if it names a task that is not the one of this call. */
function withOwnTask(outcome: Answered, call: Call, requestId: string, { tasks }: KnownIds): Outcome {
  const named = taskIdIn(outcome.answer);
  // The schema of the response reports an id that is missing.
  if (typeof named !== "string" || named === "") return outcome;
  if (call.taskId !== undefined) {
    const isSame = named.toLowerCase() === call.taskId.toLowerCase();
    return isSame ? outcome : foreign("data.task_id", "is not the id that was asked for");
  }
  if (call.method !== "POST" || tasks.add(named) || mayRepeatIds(outcome.answer, requestId)) return outcome;
  return foreign("data.task_id", "is that of an earlier submission");
}

/**
 * An emulator gives the same ids again after a reset, and a new one with the same seed does too. It always echoes the request
 * id, so that its response to this very request is accepted.
 */
function mayRepeatIds({ headers }: Answered["answer"], requestId: string): boolean {
  return headers.has("X-Emulator") && headers.get(HEADERS.requestId) === requestId;
}
