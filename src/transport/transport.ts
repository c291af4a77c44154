import type { Clock } from "../clock/clock.js";
import { dateAt } from "../clock/date.js";
import { HEADERS } from "../contract/endpoint.js";
import { RateLimitedError } from "../errors/rate-limited-error.js";
import type { Pacer } from "../pacer/pacer.js";
import type { Random } from "../random/random.js";
import { createRequestId } from "../random/request-id.js";
import { backoffMs } from "./backoff.js";
import type { Answer, Call, RequestOptions } from "./call.js";
import { type Answered, exchange, type Outcome } from "./exchange.js";
import { failureMessage } from "./failure-message.js";
import { parseJson } from "./parse-json.js";
import type { Redactor } from "./redactor.js";
import { checkRequestOptions } from "./request-options.js";
import { statedWaitMs } from "./stated-wait.js";
import type { Failure, Verdict } from "./verdict.js";

/** How long a 429 that states no wait holds the key back. */
const UNSTATED_HOLD_MS = 1000;

/** What a transport is made of. */
export interface TransportConfig {
  /** The service address, without a slash at its end. */
  baseUrl: string;
  apiKey: string;
  fetch: typeof fetch;
  timeoutMs: number;
  maxRetries: number;
  retryBudgetMs: number;
  clock: Clock;
  random: Random;
  pacer: Pacer;
  redactor: Redactor;
}

/** Sends calls to the service. */
export interface Transport {
  readonly clock: Clock;
  readonly random: Random;
  readonly pacer: Pacer;
  readonly redactor: Redactor;
  readonly fetch: typeof fetch;
  /** The limits of a call that sets none of its own. */
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly retryBudgetMs: number;
  /** Sends a call, again and again where its rule and its budget allow, until it is answered with success. */
  send(call: Call, options: RequestOptions, judge: Judge): Promise<Answer>;
  /** Sends a call that the pacer has already admitted, once. */
  sendOnce(call: Call, options: RequestOptions, judge: Judge): Promise<Answer>;
}

/** The sending rule of a call. */
export type Judge = (failure: Failure) => Verdict;

/** A failed attempt: the verdict on it, and the wait that its answer stated. */
interface Failed extends Verdict {
  statedMs: number | null;
}

export function createTransport(config: TransportConfig): Transport {
  const { clock, random, pacer, redactor } = config;

  return {
    clock,
    random,
    pacer,
    redactor,
    fetch: config.fetch,
    timeoutMs: config.timeoutMs,
    maxRetries: config.maxRetries,
    retryBudgetMs: config.retryBudgetMs,

    async send(call, options, judge) {
      const { maxRetries = config.maxRetries } = checkRequestOptions(options);
      const requestId = requestIdOf(options);
      let budgetMs = config.retryBudgetMs;

      for (let retry = 0; ; retry++) {
        const isAdmitted = await pacer.admit({ ...call, maxHoldMs: budgetMs }, options.signal);
        if (!isAdmitted) throw heldError(call, requestId);
        const result = await attempt(call, options, judge, requestId);
        if ("text" in result) return result;

        const waitMs = result.statedMs ?? backoffMs(retry, random);
        if (!result.mayResend || retry >= maxRetries || waitMs > budgetMs) throw result.error;
        budgetMs -= waitMs;
        await clock.sleep(waitMs, options.signal);
      }
    },

    async sendOnce(call, options, judge) {
      const result = await attempt(call, options, judge, requestIdOf(options));
      if ("text" in result) return result;
      throw result.error;
    },
  };

  async function attempt(
    call: Call,
    options: RequestOptions,
    judge: Judge,
    requestId: string,
  ): Promise<Answer | Failed> {
    const timeoutMs = options.timeoutMs ?? config.timeoutMs;
    const outcome = await exchange({
      method: call.method,
      url: config.baseUrl + call.path,
      headers: headersOf(call, options, requestId),
      body: call.body,
      timeoutMs,
      signal: options.signal,
      fetch: config.fetch,
    });

    const now = clock.now();
    const statedMs = outcome.kind === "answered" ? statedWaitOf(outcome, now) : null;
    pacer.report({
      taskId: call.taskId,
      remaining: remainingOf(outcome),
      heldForMs: isRateLimited(outcome) ? (statedMs ?? UNSTATED_HOLD_MS) : null,
    });

    const answeredId = outcome.kind === "answered" ? outcome.answer.headers.get(HEADERS.requestId) : null;
    if (isSuccess(outcome)) return { ...outcome.answer, requestId: answeredId ?? requestId };
    const failure = { call, requestId: answeredId ?? requestId, outcome, timeoutMs, now, redactor };
    return { ...judge(failure), statedMs };
  }

  function headersOf(call: Call, options: RequestOptions, requestId: string): Headers {
    const headers = new Headers(options.headers);
    headers.set("Accept", "application/json");
    if (call.body !== undefined) headers.set("Content-Type", "application/json");
    headers.set(HEADERS.requestId, requestId);
    headers.set(HEADERS.apiKey, config.apiKey);
    return headers;
  }

  function requestIdOf({ requestId }: RequestOptions): string {
    return requestId ?? createRequestId(random);
  }

  /** While a 429 holds everything back for longer than a call may wait, the call fails at once: nothing is sent. */
  function heldError(call: Call, requestId: string): RateLimitedError {
    const now = clock.now();
    const heldForMs = pacer.heldUntil() - now;
    const retryAt = dateAt(now + heldForMs);
    const reason = `rate_limited: an earlier 429 holds this key back until ${retryAt.toISOString()}. Nothing was sent`;
    return new RateLimitedError(failureMessage(call, reason, requestId), {
      status: 429,
      errorCode: "rate_limited",
      requestId,
      headers: new Headers(),
      taskId: call.taskId,
      retryAfterSeconds: Math.ceil(heldForMs / 1000),
      retryAt,
    });
  }
}

function isSuccess(outcome: Outcome): outcome is Answered {
  return outcome.kind === "answered" && outcome.answer.status >= 200 && outcome.answer.status < 300;
}

function isRateLimited(outcome: Outcome): boolean {
  return outcome.kind === "answered" && outcome.answer.status === 429;
}

function statedWaitOf({ answer }: Answered, now: number): number | null {
  return answer.status >= 400 ? statedWaitMs(answer.headers, parseJson(answer.text), now) : null;
}

function remainingOf(outcome: Outcome): number | null {
  return outcome.kind === "answered" ? rateLimitRemaining(outcome.answer.headers) : null;
}

/** `X-RateLimit-Remaining` as a number; `null` where it is absent or no number. */
export function rateLimitRemaining(headers: Headers): number | null {
  const value = headers.get(HEADERS.rateLimitRemaining);
  return value !== null && /^\d+$/.test(value) ? Number(value) : null;
}
