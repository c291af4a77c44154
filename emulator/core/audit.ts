import * as z from "zod/mini";
import { LIMITS } from "../../src/contract/service.js";
import { canonicalJson } from "../../src/contract/text.js";
import { isoTime } from "../time/clock.js";
import { hashOf } from "../time/random.js";
import { count, isoTimeSchema, list, NAMED, objectOf, oneOf, record, text, time, uuid } from "./checks.js";
import type { StoredTask } from "./task.js";

/** One request and how it ended. */
export interface LoggedRequest {
  /** When it was carried out: ISO 8601. */
  readonly at: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** `null` where no response was sent. */
  readonly status: number | null;
  readonly request_id: string;
  /** `null` where no valid key was sent. */
  readonly account_id: string | null;
  readonly error_code: string | null;
}

export const loggedRequestSchema = objectOf({
  at: isoTimeSchema,
  method: text,
  path: text,
  status: z.nullable(z.int()),
  request_id: text,
  account_id: z.nullable(uuid),
  error_code: z.nullable(text),
}).register(NAMED, { id: "LoggedRequest" });

/** The log keeps at least this many requests. */
export const REMEMBERED_REQUESTS = 100_000;

/** Follows the log as it is written. `json` is the body of a submission; `log` ends with the request. */
export type LogReader = (request: LoggedRequest, json: unknown, log: readonly LoggedRequest[]) => void;

/** Appends to the log, whose oldest entries are dropped at times, and calls the readers. */
export function logRequest(
  log: LoggedRequest[],
  readers: ReadonlySet<LogReader>,
  request: LoggedRequest,
  json: unknown,
): void {
  log.push(request);
  if (log.length > 2 * REMEMBERED_REQUESTS) log.splice(0, log.length - REMEMBERED_REQUESTS);
  for (const read of readers) read(request, json, log);
}

/** A rule of the service that a client broke. */
export type ConductRule =
  | "polled_too_often"
  | "resubmitted_after_unknown_outcome"
  | "ignored_retry_after"
  | "resent_not_retryable";

/** One request that broke a rule. */
export interface Finding {
  readonly rule: ConductRule;
  /** When: ISO 8601. */
  readonly at: string;
  /** Which request. */
  readonly request_id: string;
  /** How, as prose. */
  readonly detail: string;
}

/** The audit keeps at least this many findings, and this many notes of each kind. */
export const REMEMBERED_FINDINGS = 10_000;
export const MOST_NOTES = 10_000;

/** An earlier request. A request that arrived before `arrivals` was sent without knowing its outcome. */
type Note = z.output<typeof noteSchema>;
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

export type AuditData = z.output<typeof auditSchema>;
export const auditSchema = objectOf({
  findings: list(findingSchema),
  lastReads: record(time),
  waits: record(waitSchema),
  unknownSubmissions: record(noteSchema),
  permanentFailures: record(noteSchema),
});

/** Identifies equal requests. Computed on demand, since most requests are never compared. */
export type Fingerprint = () => string;

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

/** What the audit has found, and what it remembers of earlier requests. */
export function createAudit(data?: AuditData) {
  const lastReads: Record<number, number> = data?.lastReads ?? {};
  return {
    findings: data?.findings ?? [],
    /** When the last read of each open task arrived, by the task's ordinal. */
    lastReads,
    /** By request: the wait that its last response stated. */
    waits: new Notes<Wait>(data?.waits),
    /** By submission: those whose outcome the client cannot know. */
    unknownSubmissions: new Notes<Note>(data?.unknownSubmissions),
    /** By submission: those whose task failed with `retryable: false`, as a response has said. */
    permanentFailures: new Notes<Note>(data?.permanentFailures),
  };
}

export interface Submission {
  /** Of its account and body. */
  readonly fingerprint: Fingerprint;
  readonly requestId: string;
  /** Whether its caller has stopped waiting for the response. */
  readonly isAborted: () => boolean;
}

/** A request with a valid key. */
export interface AuditedRequest {
  readonly requestId: string;
  /** Numbered in the order of arrival. */
  readonly arrivalOrdinal: number;
  readonly arrivedAt: number;
  /** When it was carried out: later than `arrivedAt` only if a fault delayed it. */
  readonly now: number;
  readonly submission: Submission | null;
  /** An equal submission that was in flight when this one arrived, and whose caller had left. */
  readonly abandoned: Submission | null;
}

export interface AuditedOutcome {
  /** Of its key, method, path and body. */
  readonly fingerprint: Fingerprint;
  /** The task that was read, as it is now; `null` for any other request. */
  readonly task: StoredTask | null;
  /** What the client knows of its request. */
  readonly known: "accepted" | "refused" | "unknown";
  /** The stated wait; `null` if none reached the client. */
  readonly retryAfterSeconds: number | null;
}

/** Checks a request against the rules once its outcome is known. `arrivals` counts the requests that have arrived so far. */
export function auditRequest(
  audit: Audit,
  request: AuditedRequest,
  outcome: AuditedOutcome,
  arrivals: number,
) {
  const { requestId, submission } = request;
  const { fingerprint, task, known, retryAfterSeconds } = outcome;
  const note = { requestId, arrivals };
  if (task !== null) checkPollInterval(audit, request, task);

  const wait = audit.waits.find(fingerprint);
  if (wait !== undefined && request.arrivedAt < wait.until && request.arrivalOrdinal >= wait.arrivals) {
    const detail = `Sent ${wait.until - request.arrivedAt} ms before the end of the wait in the response to ${wait.requestId}`;
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
function checkPollInterval(audit: Audit, request: AuditedRequest, task: StoredTask): void {
  const last = audit.lastReads[task.ordinal] ?? Number.NEGATIVE_INFINITY;
  // A delayed read may have arrived before the last one.
  const gapMs = Math.abs(request.arrivedAt - last);
  if (gapMs < LIMITS.shortestPollIntervalMs) {
    const detail = `Read ${task.id} again after ${gapMs} ms; at most one read in 1000 ms is allowed`;
    addFinding(audit, request, "polled_too_often", detail);
  }
  if ("completedAt" in task) delete audit.lastReads[task.ordinal];
  else audit.lastReads[task.ordinal] = Math.max(request.arrivedAt, last);
}

/** What may have been accepted, or can never succeed, is not sent again. */
function checkSubmission(audit: Audit, request: AuditedRequest, { fingerprint }: Submission): void {
  const unknown = audit.unknownSubmissions.find(fingerprint);
  const wasKnown = unknown !== undefined && request.arrivalOrdinal >= unknown.arrivals;
  const earlier = wasKnown ? unknown : request.abandoned;
  if (earlier !== null) {
    const detail = `Submitted what ${earlier.requestId} had submitted, before its outcome was known`;
    addFinding(audit, request, "resubmitted_after_unknown_outcome", detail);
  }
  const failure = audit.permanentFailures.find(fingerprint);
  if (failure !== undefined && request.arrivalOrdinal >= failure.arrivals) {
    const detail = `Submitted again what can never succeed, as the response to ${failure.requestId} had said`;
    addFinding(audit, request, "resent_not_retryable", detail);
  }
}

function addFinding({ findings }: Audit, request: AuditedRequest, rule: ConductRule, detail: string): void {
  findings.push({ rule, at: isoTime(request.now), request_id: request.requestId, detail });
  if (findings.length > 2 * REMEMBERED_FINDINGS) findings.splice(0, findings.length - REMEMBERED_FINDINGS);
}

/** Of JSON that an account submits. Fields that the service does not read make no difference. */
export function fingerprintOfSubmission(accountId: string, json: unknown): string {
  if (typeof json !== "object" || json === null || Array.isArray(json))
    return `${accountId} ${fingerprintOf(json)}`;
  const { model, task_type, input, audio_format = null } = json as Readonly<Record<string, unknown>>;
  return `${accountId} ${fingerprintOf({ model, task_type, input, audio_format })}`;
}

/** Of a JSON value: the same whatever the order of the fields of its objects. */
export function fingerprintOf(value: unknown): string {
  return hashOf(canonicalJson(value));
}

/** Of a text that is not JSON, and so never that of a JSON value. */
export function fingerprintOfText(text: string): string {
  return hashOf(`?${text}`);
}
