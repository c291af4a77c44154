import { Notes } from "./notes.js";

/** A rule of the service that a client broke. */
export type ConductRule =
  | "polled_too_often"
  | "resubmitted_after_unknown_outcome"
  | "ignored_retry_after"
  | "resent_not_retryable";

/**
 * All of them.
 *
 * @internal
 */
export const CONDUCT_RULES = [
  "polled_too_often",
  "resubmitted_after_unknown_outcome",
  "ignored_retry_after",
  "resent_not_retryable",
] as const satisfies readonly ConductRule[];

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

/** What the audit has found, and what it remembers to go on finding. */
export interface Conduct {
  findings: Finding[];
  /** When the last read of each open task came, by its ordinal. */
  lastReads: Record<number, number>;
  /** By sender and request: what was told to wait, and until when. */
  waits: Notes<Wait>;
  /** By sender and body: submissions of which the client can't know what became of them. */
  unknownSubmissions: Notes<Note>;
  /** By sender and body: submissions whose task failed for good, as the client has been told. */
  lostCauses: Notes<Note>;
}

/** The same as plain data. */
export interface ConductData extends Pick<Conduct, "findings" | "lastReads"> {
  waits: Record<string, Wait>;
  unknownSubmissions: Record<string, Note>;
  lostCauses: Record<string, Note>;
}

/** What happened to an earlier request. Who set out before that could not know of it. */
export interface Note {
  requestId: string;
  /** How many exchanges had begun by then. */
  arrivals: number;
}

interface Wait extends Note {
  until: number;
}

export function createConduct(data: ConductData = nothingYet()): Conduct {
  return {
    ...data,
    waits: new Notes(data.waits),
    unknownSubmissions: new Notes(data.unknownSubmissions),
    lostCauses: new Notes(data.lostCauses),
  };
}

function nothingYet(): ConductData {
  return { findings: [], lastReads: {}, waits: {}, unknownSubmissions: {}, lostCauses: {} };
}
