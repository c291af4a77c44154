import { ENDPOINTS, HEADERS } from "../../src/contract/wire.js";
import { type AuditedOutcome, auditRequest } from "../core/audit.js";
import { invariant } from "../core/checks.js";
import { isBalanced } from "../core/ledger.js";
import { logRequest } from "../core/log.js";
import { findTask } from "../core/state/world.js";
import type { StoredTask } from "../core/task.js";
import { findCaller } from "./authentication.js";
import type { Answer, Delivery } from "./exchange.js";
import type { Caller, Visit } from "./visit.js";

/** The end of every exchange: the ledger is checked, the log is written, and the audit takes note. */
export function recordExchange(visit: Visit, delivery: Delivery): Delivery {
  const { world, exchange, requestId, at } = visit;
  // A reader of the log may replace the state.
  const { requests, audit, counts } = world.state;
  const caller = visit.caller ?? findCaller(visit);
  const answer = delivery.kind === "answer" ? delivery.answer : null;
  const logged = {
    at,
    method: exchange.method,
    // One text for all submissions: the path of each is a part of its whole URL, which would be kept with it.
    path: visit.submission === null ? exchange.path : ENDPOINTS.createTask.path,
    status: answer?.status ?? null,
    request_id: requestId,
    account_id: caller?.account.id ?? null,
    error_code: answer?.errorCode ?? null,
  };
  logRequest(requests, world.logReaders, logged, exchange.body);
  if (caller !== null) {
    invariant(isBalanced(caller.account.ledger), "all credits are available, frozen or settled");
    auditRequest(
      audit,
      { ...visit, arrival: exchange.arrival.ordinal, arrivedAt: visit.cameAt },
      seenExchange(visit, caller, delivery, answer),
      counts.arrivals,
    );
  }
  return delivery;
}

function seenExchange(
  visit: Visit,
  caller: Caller,
  delivery: Delivery,
  answer: Answer | null,
): AuditedOutcome {
  const { exchange, submission } = visit;
  const { method, path } = exchange;
  const wait = answer?.headers[HEADERS.retryAfter];
  const hasArrived = delivery.kind === "answer" && !exchange.hasLeft();
  return {
    fingerprint: () => `${caller.key.id} ${method} ${path} ${submission?.fingerprint() ?? ""}`,
    task: method === "GET" ? readTaskOf(visit, caller) : null,
    known: hasArrived ? fateOf(delivery) : "unknown",
    retryAfterSeconds: hasArrived && wait !== undefined ? Number(wait) : null,
  };
}

/** A refusal needs no more than its status. A success without its data, as a fault makes it, tells no more than none. */
function fateOf({ answer, isReadable }: Extract<Delivery, { kind: "answer" }>): AuditedOutcome["known"] {
  if (answer.status >= 500) return "unknown";
  if (answer.status >= 300) return "refused";
  return answer.errorCode === null && isReadable ? "accepted" : "unknown";
}

/** The task of the caller's own that the path names. */
function readTaskOf({ world, exchange }: Visit, { account }: Caller): StoredTask | null {
  const prefix = `${ENDPOINTS.createTask.path}/`;
  if (!exchange.path.startsWith(prefix)) return null;
  const task = findTask(world, exchange.path.slice(prefix.length).toLowerCase());
  return task !== undefined && task.accountId === account.id ? task : null;
}
