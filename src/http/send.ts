import { dateAt, parseDate } from "../time/date.js";
import { hasNewKey, readApiKey } from "./api-key.js";
import type { Call, Context } from "./context.js";
import { type AttemptEvent, SHORTEST_WAIT_MS } from "./events.js";
import { HttpExchange } from "./exchange.js";
import { heldError } from "./failure.js";
import { createRequestId } from "./ids.js";
import type { ApiResponse, AttemptOutcome, Judge, Tried } from "./outcome.js";
import type { RequestOptions } from "./request-options.js";
import { Retries } from "./retries.js";

/**
 * Sends a call until it succeeds, as often as `judge`, `maxRetries` and `retryBudgetMs` allow: each attempt is admitted by the
 * pacer, the API key is read, the claim is taken (a journal's intent, a budget's reservation), the request is sent, and its outcome
 * is judged.
 */
export async function send(
  context: Context,
  call: Call,
  options: RequestOptions,
  judge: Judge,
): Promise<ApiResponse> {
  const { requestId = createRequestId(context.random) } = options;
  const retries = new Retries(context, options);
  let hasRenewedKey = false;
  try {
    for (;;) {
      await admit(context, call, requestId, retries.budgetMs, options.signal);
      const tried = await attempt(context, call, options, judge, requestId);
      if ("result" in tried) return tried.result;
      if (tried.hasNewKey && !hasRenewedKey) {
        hasRenewedKey = true;
        continue;
      }
      // Before the wait for the next attempt, in which the process may end.
      if (tried.noTask !== undefined) {
        if (call.inFlight) call.inFlight.call = undefined;
        await call.claim?.release(tried.noTask);
      }
      await retries.waitOrThrow(tried);
    }
  } catch (error) {
    throw retries.errorOf(error);
  }
}

/** Waits until the pacer admits an attempt. @throws RateLimitedError if a 429 holds the key back for longer than the call may wait */
async function admit(
  context: Context,
  call: Call,
  requestId: string,
  maxHoldMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { clock, pacer } = context;
  const { kind, tenant, taskId, onDelayed } = call;
  const queuedAt = clock.now();
  const isAdmitted = await pacer.admit({ kind, tenant, taskId, maxHoldMs, onDelayed }, signal);
  onDelayed?.(null);
  if (!isAdmitted) throw heldError(context, call, requestId);
  emitAdmission(context, call, call.purpose, clock.now() - queuedAt);
}

/** Emits the admission of a request, and a wait if the rate limit delayed it noticeably. */
export function emitAdmission(
  { emitter }: Pick<Context, "emitter">,
  { kind, tenant, taskId }: Pick<Call, "kind" | "tenant" | "taskId">,
  purpose: string,
  waitedMs: number,
): void {
  const event = () => ({ kind, purpose, tenant: tenant ?? null, taskId: taskId ?? null, waitedMs });
  emitter.emit("admission", event);
  if (waitedMs >= SHORTEST_WAIT_MS) emitter.emit("wait", event);
}

/** The last steps before an attempt is sent. What they throw cancels the attempt. */
async function takeClaim(context: Context, call: Call, admittedAt: number): Promise<void> {
  try {
    await call.beforeSending?.();
    await call.claim?.take();
  } catch (error) {
    reportUnsent(context, call, admittedAt);
    throw error;
  }
}

/** Every admission needs a report, even if nothing is sent. */
export function reportUnsent(
  { pacer }: Context,
  { taskId, kind, tenant }: Pick<Call, "taskId" | "kind" | "tenant">,
  admittedAt: number,
): void {
  pacer.report({ taskId, sentAt: admittedAt, remaining: null, heldForMs: null, unsent: kind, tenant });
}

/**
 * Reads the API key, takes the claim, and sends a call once, after its admission by the pacer, which receives a report.
 * Emits `attempt`, `response` and `pause`.
 */
export async function attempt(
  context: Context,
  call: Call,
  options: RequestOptions,
  judge: Judge,
  requestId: string,
): Promise<Tried<ApiResponse>> {
  const { headers } = options;
  const admittedAt = context.clock.now();
  // Before the claim: a process that ends while it reads the key leaves no intent of a request that was not sent.
  const apiKey =
    typeof context.apiKey === "string"
      ? context.apiKey
      : await readApiKey(context, context.apiKey, call, options, requestId);
  if (typeof apiKey !== "string") {
    reportUnsent(context, call, admittedAt);
    return apiKey;
  }
  if (call.beforeSending !== undefined || call.claim !== undefined)
    await takeClaim(context, call, admittedAt);
  const sentAt = context.clock.now();
  context.emitter.emit("attempt", () => attemptEvent(context, call, requestId));
  const outcome = await new HttpExchange(context, call, requestId, options).run(apiKey, headers);
  if (call.inFlight?.call) call.inFlight.call = null;
  // Other attempts may have read many other keys meanwhile, and the response may repeat this one.
  context.redactor.learn(apiKey);
  reportAttempt(context, call, requestId, { admittedAt, sentAt }, outcome);

  const response = outcome.kind === "received" ? outcome.response : null;
  if (response !== null && response.status >= 200 && response.status < 300) return { result: response };
  const verdict = judge({ context, call, requestId: response?.requestId ?? requestId, outcome });
  const failed = { ...verdict, statedWaitMs: response?.statedWaitMs ?? null };
  if (response?.status !== 401 || call.method === "POST" || context.apiKey === apiKey) return failed;
  return { ...failed, hasNewKey: await hasNewKey(context, apiKey, options) };
}

/** How long a 429 that states no wait holds the key back. The hold doubles each time that the next response is such a 429 as well. */
const FIRST_HOLD_MS = 1000;
const LONGEST_HOLD_MS = 8000;

/** How long a response holds the key back, in milliseconds; `null` if it does not. */
function noteHold(
  { service, clock }: Context,
  { status, statedWaitMs }: ApiResponse,
  admittedAt: number,
): number | null {
  const isUnstated = status === 429 && statedWaitMs === null;
  // Requests that were admitted before the hold show nothing about its length.
  if (admittedAt > service.heldAt) {
    service.holdMs = isUnstated ? Math.min(LONGEST_HOLD_MS, 2 * service.holdMs || FIRST_HOLD_MS) : 0;
    if (isUnstated) service.heldAt = clock.now();
  }
  if (isUnstated) return service.holdMs || FIRST_HOLD_MS;
  return status === 429 ? statedWaitMs : null;
}

function reportAttempt(
  context: Context,
  call: Call,
  requestId: string,
  { admittedAt, sentAt }: { admittedAt: number; sentAt: number },
  outcome: AttemptOutcome,
): void {
  const { clock, pacer, emitter, service } = context;
  const response = outcome.kind === "received" ? outcome.response : null;
  const status = response?.status ?? null;
  const failure = outcome.kind === "received" ? null : outcome.kind;
  const { remaining } = outcome.kind === "received" ? outcome.response : outcome;
  const heldForMs = response && noteHold(context, response, admittedAt);
  try {
    if (outcome.kind === "aborted_before_sending") reportUnsent(context, call, admittedAt);
    else pacer.report({ taskId: call.taskId, sentAt, remaining, heldForMs });
  } catch (error) {
    // A POST may have created a task: a custom pacer that throws must not lose it.
    if (call.method !== "POST") throw error;
  }
  const now = clock.now();
  const date = parseDate(response?.headers.get("Date") ?? null);
  if (date !== null) service.aheadMs = date - now;
  emitter.emit("response", () => {
    return {
      ...attemptEvent(context, call, requestId),
      status,
      failure,
      durationMs: now - sentAt,
      remaining,
    };
  });
  if (heldForMs !== null) emitter.emit("pause", () => ({ forMs: heldForMs, until: dateAt(now + heldForMs) }));
}

function attemptEvent({ baseUrl, redactor }: Context, call: Call, requestId: string): AttemptEvent {
  const { method, path, taskId = null } = call;
  return { requestId: redactor.text(requestId), method, url: redactor.text(baseUrl + path), taskId };
}
