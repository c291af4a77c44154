import { dateAt } from "../clock/date.js";
import { HEADERS } from "../contract/endpoint.js";
import type { Pacer, RateLimitReport } from "../pacer/pacer.js";
import type { Answer, Call, RequestOptions } from "./call.js";
import { type Answered, exchange, type Outcome } from "./exchange.js";
import { type OneShotBody, oneShotBody } from "./one-shot-body.js";
import { parseJson } from "./parse-json.js";
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
  const { clock, pacer, redactor, emitter } = config;
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
  const outcome = await exchange({
    method: call.method,
    url,
    headers: headersOf(config.apiKey, body, options, requestId),
    body,
    timeoutMs,
    signal: flight ? undefined : options.signal,
    fetch: config.fetch,
  });
  if (flight) flight.underWay = null;

  const now = clock.now();
  const answer = outcome.kind === "answered" ? outcome.answer : null;
  const statedMs = outcome.kind === "answered" ? statedWaitOf(outcome, now) : null;
  const remaining = answer === null ? null : rateLimitRemaining(answer.headers);
  const heldForMs = answer?.status === 429 ? (statedMs ?? UNSTATED_HOLD_MS) : null;
  tell(pacer, call, { taskId: call.taskId, sentAt: leftAt, remaining, heldForMs });
  const status = answer?.status ?? null;
  emitter.emit("answer", () => ({ ...event(), status, durationMs: now - leftAt, remaining }));
  if (heldForMs !== null) {
    emitter.emit("pause", () => ({ forMs: heldForMs, until: dateAt(now + heldForMs) }));
  }

  const answeredId = answer?.headers.get(HEADERS.requestId) || requestId;
  if (isSuccess(outcome)) return { result: { ...outcome.answer, requestId: answeredId } };
  const failure = { call, requestId: answeredId, outcome, timeoutMs, now, redactor };
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

function statedWaitOf({ answer }: Answered, now: number): number | null {
  return answer.status >= 400 ? statedWaitMs(answer.headers, parseJson(answer.text), now) : null;
}
