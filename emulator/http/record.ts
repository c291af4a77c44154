import { ENDPOINTS, HEADERS, MODELS, type Model } from "../../src/contract/service.js";
import { invariant } from "../core/checks.js";
import { findTask } from "../core/core.js";
import { isBalanced } from "../core/ledger.js";
import { type AuditedOutcome, auditRequest } from "../core/log/audit.js";
import type { Exchange } from "../core/log/exchanges.js";
import { maskKey } from "../core/log/mask.js";
import { type LoggedRequest, logRequest } from "../core/log/request-log.js";
import type { StoredTask } from "../core/task.js";
import { isoTime } from "../time/clock.js";
import type { HttpOutcome, HttpResponse } from "./messages.js";
import type { Caller, RequestContext } from "./request-context.js";

/** Logs a request that has ended, and checks the ledger and the client. Returns the outcome. */
export function record(context: RequestContext, outcome: HttpOutcome): HttpOutcome {
  const { core, request, caller } = context;
  // A log reader may replace the state.
  const { requests, audit, counts } = core.state;
  const response = typeof outcome === "string" ? null : outcome;
  const logged = logEntry(context, response);
  const read = readTaskOf(context);
  const exchange = exchangeOf(context, logged, read, outcome);
  core.exchanges.add(exchange);
  for (const rule of context.rules) core.ruleUses.add(rule, exchange.number);
  logRequest(requests, core.logReaders, logged);
  if (caller === null || request.isManual) return outcome;
  invariant(isBalanced(caller.account.ledger), "all credits are available, frozen or settled");
  auditRequest(audit, context, auditedOutcome(context, caller, read, response), counts.arrivals);
  return outcome;
}

function logEntry(context: RequestContext, response: HttpResponse | null): LoggedRequest {
  const { request, loggedId, now, submission, caller } = context;
  const { method, path, headers } = request;
  return {
    at: isoTime(now),
    method,
    // The path is a slice that keeps the whole URL in memory. Submissions share one string instead.
    path: submission === null ? maskKey(headers.get(HEADERS.apiKey), path) : ENDPOINTS.createTask.path,
    status: response?.status ?? null,
    request_id: loggedId,
    account_id: caller?.account.id ?? null,
    error_code: response?.errorCode ?? null,
  };
}

const TASK_PREFIX = `${ENDPOINTS.createTask.path}/`;

/** The task that a read names, if it is the account's. */
function readTaskOf({ core, request: { method, path }, caller }: RequestContext): StoredTask | null {
  if (method !== "GET" || !path.startsWith(TASK_PREFIX)) return null;
  const task = findTask(core, path.slice(TASK_PREFIX.length));
  return task !== undefined && task.accountId === caller?.account.id ? task : null;
}

function exchangeOf(
  context: RequestContext,
  logged: LoggedRequest,
  read: StoredTask | null,
  outcome: HttpOutcome,
): Exchange {
  const { core, request, arrivedAt, caller, created, remaining, fault } = context;
  const response = typeof outcome === "string" ? null : outcome;
  const isBroken = response?.breaksAfterBytes !== undefined;
  return {
    number: 0,
    request: logged,
    sentTo: request.site === "service" ? "service" : (request.provider ?? providerIn(request.path)),
    keyId: caller?.key.id ?? null,
    taskId: (created ?? read)?.id ?? null,
    durationMs: core.clock.now() - arrivedAt,
    ended: typeof outcome === "string" ? outcome : isBroken ? "broken_response" : "response",
    remaining,
    fault,
    outcome: context.taskOutcome,
    isManual: request.isManual === true,
    messages: {
      requestHeaders: request.headers,
      requestBody: request.body,
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

/** The outcome as the response shows it to the client. */
function auditedOutcome(
  context: RequestContext,
  { key }: Caller,
  task: StoredTask | null,
  response: HttpResponse | null,
): AuditedOutcome {
  const { request, submission } = context;
  const received = request.isAborted ? null : response;
  const wait = received?.headers[HEADERS.retryAfter];
  return {
    fingerprint: () => `${key.id} ${request.method} ${request.path} ${submission?.fingerprint() ?? ""}`,
    task,
    known: knownOutcome(context, received),
    retryAfterSeconds: wait === undefined ? null : Number(wait),
  };
}

/** The outcome as the client can tell it from its response. A success whose body was cut is unknown. */
function knownOutcome({ fault }: RequestContext, received: HttpResponse | null): AuditedOutcome["known"] {
  // A gateway that gives up with a 408, or redirects the client, may have forwarded the request.
  if (received === null || received.status >= 500 || received.status === 408) return "unknown";
  if (received.status >= 400) return "refused";
  if (received.status >= 300) return "unknown";
  return received.errorCode === null && fault?.kind !== "malformed" ? "accepted" : "unknown";
}
