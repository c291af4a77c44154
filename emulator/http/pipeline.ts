import { ENDPOINTS, ERROR_STATUSES, HEADERS } from "../../src/contract/service.js";
import {
  auditRequest,
  fingerprintOfSubmission,
  fingerprintOfText,
  logRequest,
  type Submission,
} from "../core/audit.js";
import { invariant } from "../core/checks.js";
import { type Core, findTask } from "../core/core.js";
import { type Fault, takeFault } from "../core/faults.js";
import { isBalanced } from "../core/ledger.js";
import { admit, openWindow, remainingIn } from "../core/rate-limit.js";
import type { StoredTask } from "../core/task.js";
import { isoTime } from "../time/clock.js";
import { randomUuid } from "../time/random.js";
import { controlBodyLimit } from "./control-gate.js";
import {
  type Arrival,
  bytesOf,
  emptyResponse,
  errorResponse,
  type HttpOutcome,
  type HttpRequest,
  type HttpResponse,
  isControlCall,
  isTooDeep,
  parseJson,
  Refusal,
  type RequestHead,
  refuse,
  seal,
  sentRequestId,
} from "./messages.js";
import { findRoute, ROUTES } from "./routes.js";
import type { Caller, Context, Service } from "./service.js";

/** The largest body of a request to the service, in bytes. */
const BODY_LIMIT = 2 ** 20;

/** Counts a request, before its body is read. Control calls do not count: the service does not see them. */
export function arrive({ state: { counts }, generation }: Core, head: RequestHead): Arrival {
  return isControlCall(head)
    ? { ordinal: counts.arrivals, generation, bodyLimit: controlBodyLimit(head) }
    : { ordinal: counts.arrivals++, generation, bodyLimit: BODY_LIMIT };
}

/**
 * Carries out a request: delay by a fault, response (or what a fault puts in its place), log and audit. Nothing after the
 * delay waits, except for audio: no other request sees half of an effect. A request from before a reset has none.
 */
export async function handleRequest({ core, control }: Service, request: HttpRequest): Promise<HttpOutcome> {
  if (isControlCall(request)) return control(request);
  const { generation } = request.arrival;
  if (generation !== core.generation) return "disconnect";

  const context = createContext(core, request);
  const { fault } = context;
  if (fault?.kind === "latency") {
    await delay(context, fault.ms);
    if (generation !== core.generation) return "disconnect";
  }
  context.caller = findCaller(context);
  const instead = fault === null ? null : applyBefore(fault, context);
  if (instead !== null) return record(context, instead);

  const responding = respond(context);
  const response = responding instanceof Promise ? await responding : responding;
  if (generation !== core.generation) return "disconnect";
  return record(context, fault === null ? response : applyAfter(fault, context, response));
}

/**
 * Leaves a request without a response. `wait` receives a promise that resolves on a reset, and resolves once the request
 * has ended. A caller that gives up does so in real time: virtual time stands still until then.
 */
export async function stall(core: Core, wait: (reset: Promise<void>) => Promise<void>, holdsTime = true) {
  const { clock, replaced } = core;
  let onReset = () => {};
  const reset = new Promise<void>((resolve) => {
    onReset = resolve;
  });
  replaced.add(onReset);
  if (holdsTime) clock.hold();
  try {
    await wait(reset);
  } finally {
    if (holdsTime) clock.release();
    replaced.delete(onReset);
  }
}

function createContext(core: Core, request: HttpRequest): Context {
  const { state, clock } = core;
  const { method, path, body, arrival } = request;
  const requestId = sentRequestId(request) ?? randomUuid(state.seed, "request", state.counts.requests++);
  const { createTask } = ENDPOINTS;
  const isSubmission = method === createTask.method && path === createTask.path;
  const json = isSubmission ? parseJson(body) : undefined;
  const submission = isSubmission ? submissionOf(core, request, requestId, json) : null;
  const now = clock.now();
  return {
    core,
    request,
    requestId,
    fault: takeFault(state, method, path),
    json,
    submission,
    abandoned: submission === null ? null : findAbandoned(core, submission),
    arrival: arrival.ordinal,
    arrivedAt: now,
    now,
    caller: null,
    remaining: null,
    params: [],
  };
}

function submissionOf(core: Core, request: HttpRequest, requestId: string, json: unknown): Submission | null {
  const { headers, body, arrival, hasLeft } = request;
  const sender = core.index.keys.get(headers.get(HEADERS.apiKey) ?? "");
  if (sender === undefined) return null;
  const { id } = sender.account;
  let known: string | undefined;
  const fingerprint = () => {
    if (body === "too_large") known ??= `${id} unread ${arrival.ordinal}`;
    else if (json !== undefined && !isTooDeep(json)) known ??= fingerprintOfSubmission(id, json);
    else known ??= `${id} ${body === null ? "" : fingerprintOfText(decoder.decode(body))}`;
    return known;
  };
  return { fingerprint, requestId, hasLeft };
}

const decoder = new TextDecoder();

function findAbandoned({ submissions }: Core, { fingerprint }: Submission): Submission | null {
  for (const each of submissions) if (each.hasLeft() && each.fingerprint() === fingerprint()) return each;
  return null;
}

/** Sleeps on the clock, but not beyond a reset. */
async function delay(context: Context, ms: number): Promise<void> {
  const { submission, core } = context;
  const { clock, replaced, submissions } = core;
  const controller = new AbortController();
  const wake = () => controller.abort();
  replaced.add(wake);
  if (submission !== null) submissions.add(submission);
  clock.quiet.leave();
  try {
    await clock.sleep(ms, controller.signal);
  } catch (error) {
    if (!controller.signal.aborted) throw error;
  } finally {
    clock.quiet.enter();
    replaced.delete(wake);
    if (submission !== null) submissions.delete(submission);
  }
  context.now = clock.now();
}

function findCaller({ core, request }: Context): Caller | null {
  const caller = core.index.keys.get(request.headers.get(HEADERS.apiKey) ?? "");
  return caller === undefined || caller.key.disabled ? null : caller;
}

/** The stages, in the order in which their errors win: route, authentication, rate limit, and the route's own. */
function respond(context: Context): HttpResponse | Promise<HttpResponse> {
  const { core, request, caller } = context;
  const onError = (error: unknown) => sealFor(context, refuse(error, core.state.policy));
  try {
    const { site } = request;
    const found = findRoute(ROUTES[site], request, site === "service" ? "/openapi.json" : null);
    const isPage = "route" in found && found.route.access === "open";
    // With a valid key, a request counts even if it has no route.
    const overLimit = isPage || caller === null ? null : countRequest(context, caller.key);
    if (found instanceof Refusal) throw found;
    const { route } = found;
    context.params = found.params;
    if (route.access === "open") {
      const response = route.handle(context);
      if (!(response instanceof Promise)) return sealFor(context, response);
      return response.then((later) => sealFor(context, later), onError);
    }
    if (caller === null) throw invalidKey(request);
    if (overLimit !== null) throw overLimit;
    return sealFor(context, route.handle(context, caller.account));
  } catch (error) {
    return onError(error);
  }
}

function invalidKey({ headers }: HttpRequest): Refusal {
  return headers.get(HEADERS.apiKey) === null
    ? new Refusal("missing_api_key", `Missing API key. Send it in the header ${HEADERS.apiKey}`)
    : new Refusal("invalid_api_key", "The API key is unknown, deleted or disabled");
}

/** Counts a request in its key's window, or returns why it is refused (Limits: Rate limit). */
function countRequest(context: Context, key: Caller["key"]): Refusal | null {
  const { policy, limits } = context.core.state;
  if (key.window?.kind !== policy.rate_limit_window)
    key.window = openWindow(policy.rate_limit_window, context.now);
  const admission = admit(key.window, limits, context.now);
  context.remaining = admission.admitted ? admission.remaining : 0;
  if (admission.admitted) return null;
  const { retryAfterSeconds: wait } = admission;
  return new Refusal("rate_limited", `Too many requests. Try again in ${wait} s`, { wait });
}

function sealFor({ request, requestId, remaining }: Context, response: HttpResponse): HttpResponse {
  if (remaining !== null) response.headers[HEADERS.rateLimitRemaining] = String(remaining);
  return seal(response, requestId, request.method);
}

/** The outcome of a fault that keeps the request from having an effect; `null` for any other fault. */
function applyBefore(fault: Fault, context: Context): HttpOutcome | null {
  if (fault.kind === "stall") return "stall";
  if (!("when" in fault) || fault.when !== "before") return null;
  if (fault.kind === "disconnect") return "disconnect";
  const { core, caller, now } = context;
  if (caller !== null) {
    const { limits, policy } = core.state;
    const { window } = caller.key;
    const isCurrent = window?.kind === policy.rate_limit_window;
    context.remaining = isCurrent ? remainingIn(window, limits, now) : limits.requests;
  }
  return faultResponse(fault, context);
}

function applyAfter(fault: Fault, context: Context, response: HttpResponse): HttpOutcome {
  if (fault.kind === "disconnect") return "disconnect";
  if (fault.kind === "status") return faultResponse(fault, context);
  return fault.kind === "malformed" ? cut(response) : response;
}

/** JSON arrives as a complete response that cannot be parsed; any other body breaks off halfway. */
function cut(response: HttpResponse): HttpResponse {
  const bytes = bytesOf(response.body);
  const half = Math.floor(bytes.byteLength / 2);
  if (response.headers["Content-Type"] !== "application/json") return { ...response, breaksAfterBytes: half };
  const headers = { ...response.headers, "Content-Length": String(half) };
  return { ...response, headers, body: bytes.slice(0, half) };
}

const BODILESS_STATUSES = [204, 205, 304];

function faultResponse(fault: Extract<Fault, { kind: "status" }>, context: Context): HttpResponse {
  const { status } = fault;
  const [known] = Object.entries(ERROR_STATUSES).find(([, each]) => each === status) ?? [];
  const general = status >= 400 && status < 500 ? "invalid_request_body" : "internal_error";
  const { error_code: errorCode = known ?? general } = fault;
  // A 429 always states its wait (Errors).
  const { retry_after_seconds: wait = status === 429 ? 1 : undefined } = fault;
  const response = errorResponse(status, errorCode, "This response was requested by a fault", wait);
  return sealFor(context, BODILESS_STATUSES.includes(status) ? emptyResponse(response) : response);
}

function record(context: Context, outcome: HttpOutcome): HttpOutcome {
  const { core, request, requestId, now, submission, caller } = context;
  const { method, path } = request;
  // A log reader may replace the state.
  const { requests, audit, counts } = core.state;
  const response = typeof outcome === "string" ? null : outcome;
  const logged = {
    at: isoTime(now),
    method,
    // The path is a slice that keeps the whole URL in memory: submissions share one string.
    path: submission === null ? path : ENDPOINTS.createTask.path,
    status: response?.status ?? null,
    request_id: requestId,
    account_id: caller?.account.id ?? null,
    error_code: response?.errorCode ?? null,
  };
  logRequest(requests, core.logReaders, logged, context.json);
  if (caller === null) return outcome;

  invariant(isBalanced(caller.account.ledger), "all credits are available, frozen or settled");
  const arrived = request.hasLeft() ? null : response;
  const wait = arrived?.headers[HEADERS.retryAfter];
  const seen = {
    fingerprint: () => `${caller.key.id} ${method} ${path} ${submission?.fingerprint() ?? ""}`,
    task: method === "GET" ? readTaskOf(context, caller) : null,
    known: knownOutcome(context, arrived),
    retryAfterSeconds: wait === undefined ? null : Number(wait),
  };
  auditRequest(audit, context, seen, counts.arrivals);
  return outcome;
}

function readTaskOf({ core, request }: Context, { account }: Caller): StoredTask | null {
  const prefix = `${ENDPOINTS.createTask.path}/`;
  if (!request.path.startsWith(prefix)) return null;
  const task = findTask(core, request.path.slice(prefix.length).toLowerCase());
  return task?.accountId === account.id ? task : null;
}

/** What the client knows of its request. A success without its data says no more than no response. */
function knownOutcome({ fault }: Context, arrived: HttpResponse | null): "accepted" | "refused" | "unknown" {
  if (arrived === null || arrived.status >= 500) return "unknown";
  if (arrived.status >= 300) return "refused";
  return arrived.errorCode === null && fault?.kind !== "malformed" ? "accepted" : "unknown";
}
