import { LIMITS } from "../../../src/contract/wire.js";
import { isOpen, type StoredTask } from "../stored/task.js";
import type { Conduct, ConductRule, Note } from "./conduct.js";
import type { Sameness } from "./notes.js";
import { sameAsTask } from "./same-order.js";
import type { Submission } from "./submissions-under-way.js";

/** One exchange with a valid key, as the audit sees it when it is over. */
export interface SeenExchange {
  requestId: string;
  /** When it came: what delays it on its way is not the client's doing. */
  cameAt: number;
  /** When it was carried out. */
  now: number;
  /** The same as the wire has it. */
  at: string;
  /** Its place among all exchanges, by when each began. */
  arrival: number;
  /** By what the same request is known when it is sent again: its key, method, path and body. */
  sameRequest: Sameness;
  /** `null` for everything else. */
  submission: Submission | null;
  /** An equal submission whose caller had left it, still without an answer, before this one came. */
  abandonedBefore: string | null;
  /** The task of the account that was read, as it is now; `null` for everything else. */
  task: StoredTask | null;
  fate: Fate;
  /** The wait that its answer stated; `null` where it stated none, or never reached the client. */
  retryAfterSeconds: number | null;
}

/** How many findings the audit certainly remembers. Older ones are dropped now and then. */
export const REMEMBERED_FINDINGS = 10_000;

/** What the client knows of its request: that it was carried out, that it was not, or neither. */
export type Fate = "accepted" | "refused" | "unknown";

/**
 * Holds one exchange against the rules, and takes note of it for those that come. `arrivals` is how many exchanges have
 * begun: who was under way before something happened could not know of it.
 */
export function watchConduct(conduct: Conduct, seen: SeenExchange, arrivals: number): void {
  const note = { requestId: seen.requestId, arrivals };
  watchPolling(conduct, seen);
  watchWaiting(conduct, seen, note);
  if (seen.submission !== null) watchSubmission(conduct, seen, note, seen.submission.same);
  if (seen.task !== null) noteLostCause(conduct, seen, note, seen.task);
}

/** Limits: Polling. What is over is not polled any more, however often it is read. */
function watchPolling({ lastReads, ...conduct }: Conduct, seen: SeenExchange): void {
  const { task, cameAt } = seen;
  if (task === null) return;
  const last = lastReads[task.ordinal] ?? Number.NEGATIVE_INFINITY;
  // One that was delayed may have come before the last.
  const gapMs = Math.abs(cameAt - last);
  if (gapMs < LIMITS.shortestPollIntervalMs) {
    const detail = `Read ${task.id} again after ${gapMs} ms; once in 1000 ms is the most`;
    report(conduct, seen, "polled_too_often", detail);
  }
  if (isOpen(task)) lastReads[task.ordinal] = Math.max(cameAt, last);
  else delete lastReads[task.ordinal];
}

/** Errors: a stated wait. Only the same request counts, since other processes may share the key and not know. */
function watchWaiting(conduct: Conduct, seen: SeenExchange, note: Note): void {
  const { sameRequest, cameAt, now, retryAfterSeconds } = seen;
  const wait = conduct.waits.find(sameRequest);
  if (wait !== undefined && cameAt < wait.until && seen.arrival >= wait.arrivals) {
    const detail = `Came back ${wait.until - cameAt} ms before the wait was over that ${wait.requestId} was answered with`;
    report(conduct, seen, "ignored_retry_after", detail);
  }
  if (retryAfterSeconds !== null)
    conduct.waits.keep(sameRequest, { ...note, until: now + retryAfterSeconds * 1000 });
  else if (wait !== undefined) conduct.waits.drop(sameRequest);
}

/** `POST /api/v1/task`: what may have been accepted, or can never succeed, is not sent again. */
function watchSubmission(conduct: Conduct, seen: SeenExchange, note: Note, same: Sameness): void {
  const unknown = conduct.unknownSubmissions.find(same);
  const couldKnow = unknown !== undefined && seen.arrival >= unknown.arrivals;
  const earlier = couldKnow ? unknown.requestId : seen.abandonedBefore;
  if (earlier !== null) {
    const detail = `Submitted what ${earlier} had submitted, whose outcome the client could not know`;
    report(conduct, seen, "resubmitted_after_unknown_outcome", detail);
  }
  const lost = conduct.lostCauses.find(same);
  if (lost !== undefined && seen.arrival >= lost.arrivals) {
    const detail = `Submitted again what can never succeed, as the answer to ${lost.requestId} had said`;
    report(conduct, seen, "resent_not_retryable", detail);
  }
  if (seen.fate === "unknown") conduct.unknownSubmissions.keep(same, note);
  else if (seen.fate === "accepted") conduct.unknownSubmissions.drop(same);
}

function noteLostCause({ lostCauses }: Conduct, seen: SeenExchange, note: Note, task: StoredTask): void {
  if (seen.fate !== "accepted" || !("retryable" in task) || task.retryable) return;
  const same = () => sameAsTask(task);
  if (lostCauses.find(same) === undefined) lostCauses.keep(same, note);
}

/** Notes that a rule was broken. */
function report(
  { findings }: Pick<Conduct, "findings">,
  { at, requestId }: SeenExchange,
  rule: ConductRule,
  detail: string,
): void {
  findings.push({ rule, at, request_id: requestId, detail });
  if (findings.length > 2 * REMEMBERED_FINDINGS) findings.splice(0, findings.length - REMEMBERED_FINDINGS);
}
