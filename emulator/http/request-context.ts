import { HEADERS } from "../../src/contract/service.js";
import type { StoredAccount, StoredKey } from "../core/accounts.js";
import { type Core, clipOwnerId } from "../core/core.js";
import { type Fault, takeFault } from "../core/faults.js";
import type { AuditedRequest, Submission } from "../core/log/audit.js";
import type { Exchange } from "../core/log/exchanges.js";
import { maskKey } from "../core/log/mask.js";
import type { Policy } from "../core/policy-fields.js";
import type { Limits } from "../core/rate-limit.js";
import { faultRule, type ScenarioRule } from "../core/rules.js";
import type { StoredTask } from "../core/task.js";
import { httpDate } from "../time/clock.js";
import { randomUuid } from "../time/random.js";
import { allowPages } from "./cors.js";
import { parseBody } from "./json-body.js";
import { completeResponse, type HttpRequest, type HttpResponse, sentRequestId } from "./messages.js";
import type { Route } from "./route.js";
import { findAbandoned, isSubmission, submissionIn } from "./submission.js";

/** The key that was sent, and its account. The stage `identifyCaller` refuses a key that is disabled. */
export interface Caller {
  readonly account: StoredAccount;
  readonly key: StoredKey;
}

/**
 * One request to the service while the stages of the pipeline handle it. Making it counts the request, and takes the fault
 * that applies.
 */
export class RequestContext implements AuditedRequest {
  readonly core: Core;
  readonly request: HttpRequest;
  /** Its `X-Request-Id`: the one that was sent, or a new one. */
  readonly requestId: string;
  /** The same without the API key, for the log. */
  readonly loggedId: string;
  readonly fault: Fault | null;
  /** The parsed body of a submission; `undefined` if it is not JSON. */
  readonly json: unknown;
  readonly submission: Submission | null;
  readonly abandoned: Submission | null;
  readonly arrivalOrdinal: number;
  readonly arrivedAt: number;
  /** When the request takes effect. Later than `arrivedAt` only if a fault delayed it. */
  now: number;
  /** `null` without a valid key. */
  caller: Caller | null = null;
  /** How many more requests the key may send in its rate limit window; `null` if that is not known. */
  remaining: number | null = null;
  route: Route<RequestContext> | null = null;
  /** The parameters in the path, in the order of the route's pattern. */
  params: readonly string[] = [];
  /** The task that it created. */
  created: StoredTask | null = null;
  /** The outcome that was set for the created task. */
  taskOutcome: Exchange["outcome"] = null;
  /** The rules of the scenario that shaped its response. */
  readonly rules: ScenarioRule[] = [];

  constructor(core: Core, request: HttpRequest) {
    const { state, clock } = core;
    const { method, path, headers, arrival } = request;
    this.core = core;
    this.request = request;
    const sentId = sentRequestId(request);
    this.requestId = sentId ?? randomUuid(state.seed, "request", state.counts.requests++);
    this.loggedId = sentId === null ? this.requestId : maskKey(headers.get(HEADERS.apiKey), sentId);
    this.json = isSubmission(request) ? parseBody(request.body) : undefined;
    const sender = this.findKey()?.account.id ?? null;
    this.submission =
      sender !== null && isSubmission(request)
        ? submissionIn(sender, request, this.loggedId, this.json)
        : null;
    const taken = takeFault(state, { method, path, accountId: sender ?? clipOwnerId(core, path) });
    this.fault = taken?.fault.rule.fault ?? null;
    if (taken !== null) {
      this.rules.push(faultRule(taken.fault));
      for (const later of taken.later) core.ruleUses.firstFaults.set(later, taken.fault);
    }
    this.abandoned = this.submission && findAbandoned(core, this.submission);
    this.arrivalOrdinal = arrival.ordinal;
    this.arrivedAt = clock.now();
    this.now = this.arrivedAt;
  }

  /** Whether the state was replaced since the request arrived. Such a request has no effect. */
  get isOutdated(): boolean {
    return this.request.arrival.generation !== this.core.generation;
  }

  /** The key that was sent, even if it is disabled. */
  findKey(): Caller | undefined {
    return this.core.index.keys.get(this.request.headers.get(HEADERS.apiKey) ?? "");
  }

  /** The caller's own policy, or that of all. */
  get policy(): Policy {
    return this.caller?.account.policy ?? this.core.state.policy;
  }

  get limits(): Limits {
    return this.caller?.account.limits ?? this.core.state.limits;
  }

  /** Adds the headers that every response of the service has. */
  complete(response: HttpResponse): HttpResponse {
    const { request, requestId, remaining, now } = this;
    response.headers["Date"] = httpDate(now);
    if (remaining !== null) response.headers[HEADERS.rateLimitRemaining] = String(remaining);
    allowPages(request, response);
    return completeResponse(response, requestId, request.method);
  }
}
