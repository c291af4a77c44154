import * as z from "zod/mini";
import { LIMITS } from "../../../src/contract/service.js";
import { isoTime } from "../../time/clock.js";
import { count, isoTimeSchema, list, NAMED, objectOf, oneOf, recordSchema, text, time } from "../checks.js";
import type { StoredTask } from "../task.js";
import { type Fingerprint, fingerprintOfSubmission } from "./fingerprint.js";

/** A rule of the service that a client broke. */
export type ComplianceRule =
  | "polled_too_often"
  | "resubmitted_after_unknown_outcome"
  | "ignored_retry_after"
  | "resent_not_retryable";

/** One request that broke a rule. */
export interface Finding {
  readonly rule: ComplianceRule;
  /** When the request was carried out: ISO 8601. */
  readonly at: string;
  /** The ID of that request. */
  readonly request_id: string;
  /** How the request broke the rule and what to do, for people. */
  readonly detail: string;
}

/** The audit keeps at least this many findings, and this many notes of each kind. */
export const REMEMBERED_FINDINGS = 10_000;
export const MOST_NOTES = 10_000;

/**
 * An earlier request, and how many requests had arrived when its response was sent. A request with a smaller ordinal was
 * sent without that response.
 */
type AuditNote = z.output<typeof noteSchema>;
const noteSchema = objectOf({ requestId: text, arrivals: count });

type Wait = z.output<typeof waitSchema>;
const waitSchema = z.extend(noteSchema, { until: z.number("be a number") });

export const findingSchema = objectOf({
  rule: oneOf(
    "polled_too_often",
    "resubmitted_after_unknown_outcome",
    "ignored_retry_after",
    "resent_not_retryable",
  ),
  at: isoTimeSchema,
  request_id: text,
  detail: text,
}).register(NAMED, { id: "Finding" });

/** A finding, with the account of its request. Snapshots of earlier versions lack it. */
const storedFindingSchema = z.extend(findingSchema, { account_id: z.optional(text) });

export type AuditData = z.output<typeof auditSchema>;
export const auditSchema = objectOf({
  findings: list(storedFindingSchema),
  lastReads: recordSchema(time),
  waits: recordSchema(waitSchema),
  unknownSubmissions: recordSchema(noteSchema),
  permanentFailures: recordSchema(noteSchema),
});

/** Notes by fingerprint. Beyond `MOST_NOTES`, the oldest are dropped. */
export class Notes<Note> {
  readonly #notes: Map<string, Note>;

  constructor(data: Readonly<Record<string, Note>> = {}) {
    this.#notes = new Map(Object.entries(data));
  }

  find(fingerprint: Fingerprint): Note | undefined {
    return this.#notes.size === 0 ? undefined : this.#notes.get(fingerprint());
  }

  keep(fingerprint: Fingerprint, note: Note): void {
    const name = fingerprint();
    // Deleted first, so that a renewed note becomes the latest.
    this.#notes.delete(name);
    this.#notes.set(name, note);
    for (const oldest of this.#notes.keys()) {
      if (this.#notes.size <= MOST_NOTES) return;
      this.#notes.delete(oldest);
    }
  }

  drop(fingerprint: Fingerprint): void {
    if (this.#notes.size > 0) this.#notes.delete(fingerprint());
  }

  toJSON(): Record<string, Note> {
    return Object.fromEntries(this.#notes);
  }
}

export type Audit = ReturnType<typeof createAudit>;

/** The findings, and the notes on earlier requests that the rules need. */
export function createAudit(data?: AuditData) {
  const lastReads: Record<number, number> = data?.lastReads ?? {};
  return {
    findings: data?.findings ?? [],
    /** When the last read of each open task arrived, by the task's ordinal. */
    lastReads,
    /** By request: the `Retry-After` of its last response. */
    waits: new Notes<Wait>(data?.waits),
    unknownSubmissions: new Notes<AuditNote>(data?.unknownSubmissions),
    /** Submissions whose task failed with `retryable: false`, once a client has read this. */
    permanentFailures: new Notes<AuditNote>(data?.permanentFailures),
  };
}

export interface Submission {
  /** Identifies the account and the body. */
  readonly fingerprint: Fingerprint;
  readonly requestId: string;
  /** Whether the caller has aborted the request, or its connection has ended. */
  readonly isAborted: () => boolean;
}

/** A request with a valid key. */
export interface AuditedRequest {
  readonly caller: { readonly account: { readonly id: string } } | null;
  /** Its ID, without the API key. */
  readonly loggedId: string;
  /** Numbered in the order of arrival. */
  readonly arrivalOrdinal: number;
  readonly arrivedAt: number;
  /** When it was carried out. Later than `arrivedAt` only if a fault delayed it. */
  readonly now: number;
  readonly submission: Submission | null;
  /** An equal submission that was still in flight when this one arrived, although its caller had aborted it. */
  readonly abandoned: Submission | null;
}

export interface AuditedOutcome {
  /** Identifies the key, the method, the path and the body. */
  readonly fingerprint: Fingerprint;
  /** The task that was read, as it is now; `null` for any other request. */
  readonly task: StoredTask | null;
  /** The outcome, as far as the response that the client received shows it. */
  readonly known: "accepted" | "refused" | "unknown";
  /** `Retry-After`, if the client received it. */
  readonly retryAfterSeconds: number | null;
}

/** Checks a request against the rules when it ends. @param arrivals - how many requests have arrived so far */
export function auditRequest(
  audit: Audit,
  request: AuditedRequest,
  outcome: AuditedOutcome,
  arrivals: number,
) {
  const { loggedId: requestId, submission } = request;
  const { fingerprint, task, known, retryAfterSeconds } = outcome;
  const note = { requestId, arrivals };
  if (task !== null) auditPollInterval(audit, request, task);

  const wait = audit.waits.find(fingerprint);
  if (wait !== undefined && request.arrivedAt < wait.until && request.arrivalOrdinal >= wait.arrivals) {
    const detail = `Sent ${wait.until - request.arrivedAt} ms too early: the response to ${wait.requestId} has \`Retry-After\`. Wait until it has passed.`;
    addFinding(audit, request, "ignored_retry_after", detail);
  }
  if (retryAfterSeconds !== null)
    audit.waits.keep(fingerprint, { ...note, until: request.now + retryAfterSeconds * 1000 });
  else if (wait !== undefined) audit.waits.drop(fingerprint);

  if (submission !== null) {
    checkSubmission(audit, request, submission);
    if (known === "unknown") audit.unknownSubmissions.keep(submission.fingerprint, note);
    else if (known === "accepted") audit.unknownSubmissions.drop(submission.fingerprint);
  }
  if (known === "accepted" && task !== null && "retryable" in task && !task.retryable) {
    const { accountId, model, type, input, audioFormat } = task;
    const body = { model, task_type: type, input, audio_format: audioFormat };
    const failed = () => fingerprintOfSubmission(accountId, body);
    if (audit.permanentFailures.find(failed) === undefined) audit.permanentFailures.keep(failed, note);
  }
}

/** Limits: Polling. Reads of a finished task are not polls. */
function auditPollInterval(audit: Audit, request: AuditedRequest, task: StoredTask): void {
  const last = audit.lastReads[task.ordinal] ?? Number.NEGATIVE_INFINITY;
  // Absolute, since a delayed read may have arrived before the last one.
  const gapMs = Math.abs(request.arrivedAt - last);
  if (gapMs < LIMITS.shortestPollIntervalMs) {
    const detail = `Polled task ${task.id} again after ${gapMs} ms. Wait at least 1000 ms between polls of a task.`;
    addFinding(audit, request, "polled_too_often", detail);
  }
  if ("completedAt" in task) delete audit.lastReads[task.ordinal];
  else audit.lastReads[task.ordinal] = Math.max(request.arrivedAt, last);
}

/** A client must not repeat a submission whose outcome is unknown, or whose task can never succeed. */
function checkSubmission(audit: Audit, request: AuditedRequest, { fingerprint }: Submission): void {
  const unknown = audit.unknownSubmissions.find(fingerprint);
  const cameAfter = unknown !== undefined && request.arrivalOrdinal >= unknown.arrivals;
  const earlier = cameAfter ? unknown : request.abandoned;
  if (earlier !== null) {
    const detail = `Repeated submission ${earlier.requestId}, whose outcome was unknown: this can charge twice. Check \`tasks_created\` of the usage first.`;
    addFinding(audit, request, "resubmitted_after_unknown_outcome", detail);
  }
  const failure = audit.permanentFailures.find(fingerprint);
  if (failure !== undefined && request.arrivalOrdinal >= failure.arrivals) {
    const detail = `Repeated a submission whose task failed with \`retryable: false\` (see the response to ${failure.requestId}). Change the request first.`;
    addFinding(audit, request, "resent_not_retryable", detail);
  }
}

function addFinding(
  { findings }: Audit,
  request: AuditedRequest,
  rule: ComplianceRule,
  detail: string,
): void {
  const { loggedId: requestId, now, caller } = request;
  findings.push({ rule, at: isoTime(now), request_id: requestId, detail, account_id: caller?.account.id });
  if (findings.length > 2 * REMEMBERED_FINDINGS) findings.splice(0, findings.length - REMEMBERED_FINDINGS);
}

/** The findings of an account, or of all with `null`, without their accounts. */
export function listFindings({ findings }: Audit, accountId: string | null): Finding[] {
  return findings
    .filter((finding) => accountId === null || finding.account_id === accountId)
    .map(({ account_id: _, ...finding }) => finding);
}
