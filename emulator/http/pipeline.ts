import { ENDPOINTS, ERROR_STATUSES, HEADERS, MODELS, type Model } from "../../src/contract/service.js";
import { invariant } from "../core/checks.js";
import { type Core, clipOwnerId, findTask } from "../core/core.js";
import { type Fault, takeFault } from "../core/faults.js";
import { isBalanced } from "../core/ledger.js";
import {
  auditRequest,
  fingerprintOfSubmission,
  fingerprintOfText,
  type LoggedRequest,
  logRequest,
  type Submission,
} from "../core/log/audit.js";
import type { Exchange } from "../core/log/exchanges.js";
import { keyMasker } from "../core/log/mask.js";
import { LARGEST_BODY_BYTES } from "../core/ranges.js";
import { admit, openWindow, remainingIn } from "../core/rate-limit.js";
import type { StoredTask } from "../core/task.js";
import { httpDate, isoTime } from "../time/clock.js";
import { randomUuid } from "../time/random.js";
import { controlBodyLimit } from "./control-access.js";
import { allowPages, preflightResponse } from "./cors.js";
import {
  type Arrival,
  completeResponse,
  emptyResponse,
  errorResponse,
  type HttpOutcome,
  type HttpRequest,
  type HttpResponse,
  halved,
  isControlCall,
  isTooDeep,
  jsonResponse,
  parseJson,
  Refusal,
  type RequestHead,
  refusalResponse,
  sentRequestId,
} from "./messages.js";
import { findRoute, ROUTES } from "./routes.js";
import type { Caller, Context, Service } from "./service.js";

/** Must be called before the body is read. Control calls are not counted, since they are not requests to the service. */
export function registerArrival({ state: { counts }, generation }: Core, head: RequestHead): Arrival {
  return isControlCall(head)
    ? { ordinal: counts.arrivals, generation, bodyLimit: controlBodyLimit(head) }
    : { ordinal: counts.arrivals++, generation, bodyLimit: LARGEST_BODY_BYTES };
}

/**
 * Handles a request: a fault's delay, the response or the fault's own outcome, the log and the audit. After the delay,
 * only audio is awaited, so that no other request is handled between the effect and its log entry.
 */
export async function handleRequest({ core, control }: Service, request: HttpRequest): Promise<HttpOutcome> {
  if (isControlCall(request)) return control(request);
  const preflight = preflightResponse(core.state, request);
  if (preflight !== null) return preflight;
  const { generation } = request.arrival;
  if (generation !== core.generation) return "disconnect";

  const context = createContext(core, request);
  const { fault } = context;
  if (fault?.kind === "latency") {
    await delay(context, fault.ms);
    if (generation !== core.generation) return "disconnect";
  }
  // Only now: the key may have been disabled or deleted during the delay.
  const caller = findKey(core, request);
  context.caller = caller?.key.disabled === false ? caller : null;
  if (context.caller !== null) context.caller.key.lastUsedAt = context.now;
  const early = fault === null ? null : outcomeBefore(fault, context);
  if (early !== null) return record(context, early);

  const result = runStages(context);
  const response = result instanceof Promise ? await result : result;
  if (generation !== core.generation) return "disconnect";
  return record(context, fault === null ? response : outcomeAfter(fault, context, response));
}

/**
 * Waits until a stalled request ends. The adapter's `untilEnded` settles when the caller ends the request, or when the given
 * promise resolves, at a reset. Callers end a request in real time, so virtual time stands still until then.
 */
export async function stall(
  core: Core,
  untilEnded: (reset: Promise<void>) => Promise<void>,
  stopsTime = true,
) {
  const { clock, replaceListeners } = core;
  let onReset = () => {};
  const reset = new Promise<void>((resolve) => {
    onReset = resolve;
  });
  replaceListeners.add(onReset);
  if (stopsTime) clock.pauseSkipping();
  try {
    await untilEnded(reset);
  } finally {
    if (stopsTime) clock.resumeSkipping();
    replaceListeners.delete(onReset);
  }
}

function createContext(core: Core, request: HttpRequest): Context {
  const { state, clock } = core;
  const { method, path, body, arrival } = request;
  const requestId = sentRequestId(request) ?? randomUuid(state.seed, "request", state.counts.requests++);
  const masked = keyMasker(request.headers.get(HEADERS.apiKey));
  const loggedId = masked(requestId);
  const { createTask } = ENDPOINTS;
  const isSubmission = method === createTask.method && path === createTask.path;
  const json = isSubmission ? parseJson(body) : undefined;
  const sender = findKey(core, request)?.account.id ?? null;
  const submission = isSubmission && sender !== null ? submissionOf(sender, request, loggedId, json) : null;
  const now = clock.now();
  return {
    core,
    request,
    requestId,
    loggedId,
    loggedPath: masked(path),
    fault: takeFault(state, { method, path, accountId: sender ?? clipOwnerId(core, path) }),
    json,
    submission,
    abandoned: submission === null ? null : findAbandoned(core, submission),
    arrivalOrdinal: arrival.ordinal,
    arrivedAt: now,
    now,
    caller: null,
    remaining: null,
    created: null,
    outcome: null,
    params: [],
  };
}

/** Its fingerprint is computed once, when it is first needed. */
function submissionOf(accountId: string, request: HttpRequest, requestId: string, json: unknown): Submission {
  const { body, arrival, isAborted } = request;
  let computed: string | undefined;
  const fingerprint = () => {
    if (body === "too_large") computed ??= `${accountId} unread ${arrival.ordinal}`;
    else if (json !== undefined && !isTooDeep(json)) computed ??= fingerprintOfSubmission(accountId, json);
    else computed ??= `${accountId} ${body === null ? "" : fingerprintOfText(decoder.decode(body))}`;
    return computed;
  };
  return { fingerprint, requestId, isAborted };
}

function findKey({ index }: Core, { headers }: HttpRequest): Caller | undefined {
  return index.keys.get(headers.get(HEADERS.apiKey) ?? "");
}

const decoder = new TextDecoder();

function findAbandoned({ delayedSubmissions }: Core, { fingerprint }: Submission): Submission | null {
  for (const each of delayedSubmissions)
    if (each.isAborted() && each.fingerprint() === fingerprint()) return each;
  return null;
}

/** Sleeps on the clock until the delay is over or the state is replaced. */
async function delay(context: Context, ms: number): Promise<void> {
  const { submission, core } = context;
  const { clock, replaceListeners, delayedSubmissions } = core;
  const controller = new AbortController();
  const wake = () => controller.abort();
  replaceListeners.add(wake);
  if (submission !== null) delayedSubmissions.add(submission);
  clock.activity.end();
  try {
    await clock.sleep(ms, controller.signal);
  } catch (error) {
    if (!controller.signal.aborted) throw error;
  } finally {
    clock.activity.begin();
    replaceListeners.delete(wake);
    if (submission !== null) delayedSubmissions.delete(submission);
  }
  context.now = clock.now();
}

/** Runs the stages in the order of their errors' precedence: route, authentication, rate limit, and the route's own. */
function runStages(context: Context): HttpResponse | Promise<HttpResponse> {
  const { core, request, caller } = context;
  const { policy = core.state.policy } = caller?.account ?? {};
  const onError = (error: unknown) => completeFor(context, refusalResponse(error, policy));
  try {
    const { site } = request;
    const found = findRoute(ROUTES[site], request, site === "service" ? "/openapi.json" : null);
    const isOpen = "route" in found && found.route.access === "open";
    // With a valid key, a request counts even if it has no route.
    const overLimit = isOpen || caller === null ? null : countRequest(context, caller);
    if (found instanceof Refusal) throw found;
    const { route } = found;
    context.params = found.params;
    if (route.access === "open")
      return route.handle(context).then((response) => completeFor(context, response), onError);
    if (caller === null) throw invalidKey(request);
    if (overLimit !== null) throw overLimit;
    const data = route.handle(context, caller.account);
    return completeFor(context, jsonResponse(route.status, { code: route.status, data }));
  } catch (error) {
    return onError(error);
  }
}

function invalidKey({ headers }: HttpRequest): Refusal {
  return headers.get(HEADERS.apiKey) === null
    ? new Refusal("missing_api_key", `Missing API key. Send it in the ${HEADERS.apiKey} header.`)
    : new Refusal("invalid_api_key", "The API key is unknown, deleted or disabled.");
}

/** Counts a request in its key's window, or returns why it is refused (Limits: Rate limit). */
function countRequest(context: Context, { account, key }: Caller): Refusal | null {
  const { state } = context.core;
  const { policy = state.policy, limits = state.limits } = account;
  if (key.window?.kind !== policy.rate_limit_window)
    key.window = openWindow(policy.rate_limit_window, context.now);
  const admission = admit(key.window, limits, context.now);
  context.remaining = admission.admitted ? admission.remaining : 0;
  if (admission.admitted) return null;
  const { retryAfterSeconds: wait } = admission;
  return new Refusal("rate_limited", `Too many requests. Try again in ${wait} s.`, { wait });
}

function completeFor({ request, requestId, remaining, now }: Context, response: HttpResponse): HttpResponse {
  response.headers["Date"] = httpDate(now);
  if (remaining !== null) response.headers[HEADERS.rateLimitRemaining] = String(remaining);
  allowPages(request, response);
  return completeResponse(response, requestId, request.method);
}

/** The outcome of a fault that prevents the request's effect; `null` for any other fault. */
function outcomeBefore(fault: Fault, context: Context): HttpOutcome | null {
  if (fault.kind === "stall") return "stall";
  if (!("when" in fault) || fault.when !== "before") return null;
  if (fault.kind === "disconnect") return "disconnect";
  const { core, caller, now } = context;
  if (caller !== null) {
    const { policy = core.state.policy, limits = core.state.limits } = caller.account;
    const { window } = caller.key;
    const isCurrent = window?.kind === policy.rate_limit_window;
    context.remaining = isCurrent ? remainingIn(window, limits, now) : limits.requests;
  }
  return faultResponse(fault, context);
}

function outcomeAfter(fault: Fault, context: Context, response: HttpResponse): HttpOutcome {
  if (fault.kind === "disconnect") return "disconnect";
  if (fault.kind === "status") return faultResponse(fault, context);
  return fault.kind === "malformed" ? halved(response) : response;
}

const BODILESS_STATUSES = [204, 205, 304];

function faultResponse(fault: Extract<Fault, { kind: "status" }>, context: Context): HttpResponse {
  const { status } = fault;
  const [known] = Object.entries(ERROR_STATUSES).find(([, each]) => each === status) ?? [];
  const general = status >= 400 && status < 500 ? "invalid_request_body" : "internal_error";
  const { error_code: errorCode = known ?? general } = fault;
  // A 429 always has `Retry-After` (Errors).
  const { retry_after_seconds: wait = status === 429 ? 1 : undefined } = fault;
  const response = errorResponse(status, errorCode, "A fault of the emulator caused this response.", {
    wait,
  });
  return completeFor(context, BODILESS_STATUSES.includes(status) ? emptyResponse(response) : response);
}

function record(context: Context, outcome: HttpOutcome): HttpOutcome {
  const { core, request, loggedId, loggedPath, now, submission, caller } = context;
  const { method, path } = request;
  // A log reader may replace the state.
  const { requests, audit, counts } = core.state;
  const response = typeof outcome === "string" ? null : outcome;
  const logged = {
    at: isoTime(now),
    method,
    // The path is a slice that keeps the whole URL in memory. Submissions share one string instead.
    path: submission === null ? loggedPath : ENDPOINTS.createTask.path,
    status: response?.status ?? null,
    request_id: loggedId,
    account_id: caller?.account.id ?? null,
    error_code: response?.errorCode ?? null,
  };
  const read = readTaskOf(context, caller);
  core.exchanges.add(exchangeOf(context, logged, read, outcome));
  logRequest(requests, core.logReaders, logged, context.json);
  if (caller === null || request.isManual) return outcome;

  invariant(isBalanced(caller.account.ledger), "all credits are available, frozen or settled");
  const received = request.isAborted() ? null : response;
  const wait = received?.headers[HEADERS.retryAfter];
  const outcomeForClient = {
    fingerprint: () => `${caller.key.id} ${method} ${path} ${submission?.fingerprint() ?? ""}`,
    task: read,
    known: knownOutcome(context, received),
    retryAfterSeconds: wait === undefined ? null : Number(wait),
  };
  auditRequest(audit, context, outcomeForClient, counts.arrivals);
  return outcome;
}

/** The task that a read names, if it is the account's. */
function readTaskOf({ core, request: { method, path } }: Context, caller: Caller | null): StoredTask | null {
  const prefix = `${ENDPOINTS.createTask.path}/`;
  if (method !== "GET" || !path.startsWith(prefix)) return null;
  const task = findTask(core, path.slice(prefix.length));
  return task !== undefined && task.accountId === caller?.account.id ? task : null;
}

function exchangeOf(
  context: Context,
  logged: LoggedRequest,
  read: StoredTask | null,
  ended: HttpOutcome,
): Omit<Exchange, "number"> {
  const { core, request, arrivedAt, caller, created, remaining, fault, outcome } = context;
  const { headers, body } = request;
  const response = typeof ended === "string" ? null : ended;
  const isBroken = response?.breaksAfterBytes !== undefined;
  return {
    request: logged,
    sentTo: request.site === "service" ? "service" : (request.provider ?? providerIn(request.path)),
    keyId: caller?.key.id ?? null,
    taskId: (created ?? read)?.id ?? null,
    durationMs: core.clock.now() - arrivedAt,
    ended: typeof ended === "string" ? ended : isBroken ? "broken_response" : "response",
    remaining,
    fault,
    outcome,
    isManual: request.isManual === true,
    messages: {
      requestHeaders: headers,
      requestBody: body,
      response: response && {
        headers: response.headers,
        body: typeof response.body === "string" ? response.body : { bytes: response.body.byteLength },
      },
    },
  };
}

/** Where the providers share one origin, the path names the provider. */
function providerIn(path: string): Model {
  return MODELS.find((model) => path.startsWith(`/${model}/`)) ?? "provider_a";
}

/** The outcome as the client can tell it from its response. A success whose body was cut is unknown. */
function knownOutcome({ fault }: Context, received: HttpResponse | null): "accepted" | "refused" | "unknown" {
  if (received === null || received.status >= 500) return "unknown";
  if (received.status >= 300) return "refused";
  return received.errorCode === null && fault?.kind !== "malformed" ? "accepted" : "unknown";
}
