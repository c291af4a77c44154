import { ApiError } from "../errors/api-errors.js";
import { type Evidence, SubmissionOutcomeUnknownError } from "../errors/connection-errors.js";
import { failureOf } from "../http/failure.js";
import type { JournalIntent } from "./journal.js";
import type { Slot } from "./slot.js";

const SAID_BY_EVIDENCE: Readonly<Record<Evidence, string>> = {
  created: "The account has one task more than before, so it probably was created.",
  not_created: "The account has no more tasks than before, so it probably was not created.",
  unclear: "The account's number of tasks can't tell, since more may have been created with it.",
};

/** How many of its own POSTs with an unknown outcome a client has a usage sample of. An older one gives weaker evidence. */
const MOST_LOST = 1000;

/** What is known of a POST beside its intent: where it was this run's own, how it ended and what was read before. */
export interface KnownOfPost {
  probe: Probe | null;
  error?: unknown;
  sounding?: Sounding | null;
}

/** The error for an intent of which nobody can tell whether it became a task: it stays, so that nobody sends again. */
export async function outcomeUnknown(
  slot: Slot,
  intent: JournalIntent,
  { probe, error, sounding }: KnownOfPost,
): Promise<SubmissionOutcomeUnknownError> {
  const isOwn = sounding !== undefined;
  const isUnknown = error instanceof SubmissionOutcomeUnknownError;
  const requestId = isUnknown ? error.requestId : intent.request_id;
  const evidence = probe === null ? null : await findEvidence(probe, intent, sounding ?? null);
  const message = [
    isOwn
      ? `${failureOf(messageOf(error))} It was not sent again, since that could pay twice.`
      : `Failed to create a task: the journal holds an intent of ${intent.at} under ${slot.name}, whose outcome is ` +
        "unknown. Nothing was sent, since that could pay twice.",
    evidence === null ? null : SAID_BY_EVIDENCE[evidence],
    `Find out what became of it, then say so with settleOutcome(journal, ${slot.name}, the task's id, or null where ` +
      `none was created). (request id ${requestId})`,
  ]
    .filter((sentence) => sentence !== null)
    .join(" ");

  return new SubmissionOutcomeUnknownError(message, {
    request: isUnknown ? error.request : intent.request,
    requestId,
    journalKey: slot.key,
    status: isUnknown || error instanceof ApiError ? error.status : null,
    cause: isUnknown ? error.cause : error,
    evidence,
  });
}

/** A reading that fails is no evidence. */
async function findEvidence(
  probe: Probe,
  intent: JournalIntent,
  own: Sounding | null,
): Promise<Evidence | null> {
  if (intent.tasks_created === null) return null;
  if (own !== null) remember(probe.lost, intent.revision, own);
  const first = probe.lost.get(intent.revision);
  try {
    const now = await sound(probe);
    return evidenceOf(first ?? foreignSounding(intent.tasks_created), now, first === undefined ? 0 : 1);
  } catch {
    return null;
  }
}

/** A settlement isn't reported to the client, so only the latest samples are kept. */
function remember(lost: Probe["lost"], revision: string, sounding: Sounding): void {
  lost.set(revision, sounding);
  const [oldest] = lost.keys();
  if (lost.size > MOST_LOST && oldest !== undefined) lost.delete(oldest);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "Failed to create a task: the outcome is unknown.";
}

/** A reading of `usage.tasks_created`, between two counts of what this client itself has created. */
export interface Sounding {
  tasksCreated: number;
  before: Count;
  after: Count;
}

/** How many tasks the account has, and how many of them are this client's own. */
export interface Probe {
  count: CreateCount;
  /** What was read before this client's latest POSTs with an unknown outcome, by the intent's revision. */
  lost: Map<string, Sounding>;
  /** Ends with the run that asks, as everything of it. */
  readTasksCreated(): Promise<number>;
}

export async function sound({ count, readTasksCreated }: Probe): Promise<Sounding> {
  const before = count.now();
  const tasksCreated = await readTasksCreated();
  return { tasksCreated, before, after: count.now() };
}

/** A reading by another client, at a time of which nobody knows how many tasks this one had created by then. */
export function foreignSounding(tasksCreated: number): Sounding {
  const none = { accepted: 0, open: 0, unknown: 0 };
  const all = { accepted: Number.POSITIVE_INFINITY, open: 0, unknown: 0 };
  return { tasksCreated, before: none, after: all };
}

/**
 * What two soundings say of one POST between them. This client's other creates are counted out: at least those that
 * began after the first reading and were answered before the second, at most all that touched the time between. Where
 * the rest is neither nothing nor this one task, somebody else creates tasks too.
 *
 * @param own - how many of the second count's unknown submissions are the POST itself
 */
export function evidenceOf(first: Sounding, second: Sounding, own: 0 | 1): Evidence {
  const fewest = Math.max(0, second.before.accepted - first.after.accepted - first.after.open);
  const { accepted, open, unknown } = second.after;
  const most = accepted - first.before.accepted + open + (unknown - own - first.before.unknown);

  const created = second.tasksCreated - first.tasksCreated;
  const fits = (others: number) => fewest <= others && others <= most;
  if (fits(created) === fits(created - 1)) return "unclear";
  return fits(created) ? "not_created" : "created";
}

/** How many tasks a client has created up to a moment. */
export interface Count {
  /** Certainly. */
  readonly accepted: number;
  /** Perhaps: their POST is under way, */
  readonly open: number;
  /** or nobody knows what became of it. */
  readonly unknown: number;
}

/** A client's own count of the tasks that it creates. */
export interface CreateCount {
  now(): Count;
  /** Counts one submission, by how it ends. Its signal's reason, thrown as it is, says that nothing was sent. */
  during<Submission>(sending: Promise<Submission>, signal?: AbortSignal): Promise<Submission>;
}
