import type { MessageParts } from "../contract/message.js";
import { isError } from "../contract/thrown.js";
import { ApiError } from "../errors/api-errors.js";
import { partsOf } from "../errors/base.js";
import { type Evidence, SubmissionOutcomeUnknownError } from "../errors/connection-errors.js";
import { type Clock, wallTime } from "../time/clock.js";
import { inFlightUntil } from "./in-flight.js";
import type { JournalIntent } from "./journal.js";
import { keepLatest } from "./process-notes.js";
import type { Slot } from "./slot.js";

const EVIDENCE_MESSAGES: Readonly<Record<Evidence, string>> = {
  created: "The account has one task more than before, so the task was probably created.",
  not_created: "The account has no more tasks than before, so the task was probably not created.",
  unclear:
    "The account's number of tasks does not show whether a task was created: other tasks were created meanwhile, or the outcome of " +
    "other journal keys is unknown.",
};

/** How many usage samples a client keeps for POSTs with an unknown outcome. Without its sample, a POST has weaker evidence. */
const MOST_UNRESOLVED = 1000;

/**
 * The error for an intent that may have become a task. The intent stays, so that no run sends the request again. `post` is the
 * error of this run's POST, with the usage sample from before it; `null` if another run wrote the intent.
 */
export async function outcomeUnknown(
  slot: Slot,
  intent: JournalIntent,
  { probe, clock, timeoutMs }: { probe: Probe | null; clock: Pick<Clock, "now">; timeoutMs: number },
  post: { error: unknown; sample: UsageSample | null } | null,
): Promise<SubmissionOutcomeUnknownError> {
  const error = post?.error;
  const isUnknown = error instanceof SubmissionOutcomeUnknownError;
  const requestId = isUnknown ? error.requestId : intent.request_id;
  if (post !== null) slot.notes.noteEnded(intent.revision);
  // Also after the end of the POST in this process: the service, or a proxy, may still be handling the request.
  const checkAgainAt = inFlightUntil(intent, wallTime(clock), timeoutMs);
  // Another process may not have sent its request yet: the number of tasks shows nothing.
  const isSent = checkAgainAt === null || slot.notes.hasEnded(intent.revision);
  const evidence =
    probe !== null && isSent ? await findEvidence(slot, probe, intent, post?.sample ?? null) : null;
  const earlier = `the outcome of an earlier run with journal key ${slot.name}, begun at ${intent.at}, is unknown`;
  const { what, why }: MessageParts = isError(error)
    ? partsOf(error)
    : { what: "Failed to create a task", why: post === null ? earlier : "the outcome is unknown" };
  const facts = [
    `${post === null ? "Nothing was sent now" : "The request was not sent again"}, since a task may exist.`,
  ];
  if (evidence !== null) facts.push(EVIDENCE_MESSAGES[evidence]);
  const settleAdvice =
    "Find out from account.usage().tasks_created, or from the operator of the service, whether a task was created, " +
    `then call settleOutcome(journal, ${slot.name}, taskId), with null instead of an ID if there is none.`;
  const waitAdvice =
    `The request may still be in flight: run journal key ${slot.name} again at ${checkAgainAt?.toISOString()} or later, ` +
    "and do not settle it with null before that time.";
  const codeAdvice = [checkAgainAt === null ? settleAdvice : waitAdvice];

  return new SubmissionOutcomeUnknownError(
    { what, why, facts, codeAdvice },
    {
      request: isUnknown ? error.request : intent.request,
      requestId,
      journalKey: slot.key,
      status: isUnknown || error instanceof ApiError ? error.status : null,
      cause: isUnknown ? error.cause : error,
      evidence,
      checkAgainAt,
    },
  );
}

/** `null` if the usage could not be read. */
async function findEvidence(
  slot: Slot,
  probe: Probe,
  intent: JournalIntent,
  sample: UsageSample | null,
): Promise<Evidence | null> {
  const { unresolved } = probe;
  if (intent.tasks_created === null) return null;
  if (sample !== null) unresolved.set(intent.revision, sample);
  // `settleOutcome` does not reach the client, so only the latest samples are kept.
  keepLatest(unresolved, MOST_UNRESOLVED);
  const first = unresolved.get(intent.revision);
  try {
    const now = await sampleUsage(probe);
    if (first !== undefined) return evidenceOf(first, now, 1);
    const evidence = evidenceOf(foreignSample(intent.tasks_created), now, 0);
    if (evidence !== "created") return evidence;
    // Another process sent the POST, and perhaps more of them: the journal has those whose outcome is unknown as well.
    const unknown = now.after.unknown + (await slot.otherIntents());
    return evidenceOf(foreignSample(intent.tasks_created), { ...now, after: { ...now.after, unknown } }, 0);
  } catch {
    return null;
  }
}

/** `usage.tasks_created`, and this client's own count before and after it was read. */
export interface UsageSample {
  tasksCreated: number;
  before: Count;
  after: Count;
}

/** Reads how many tasks the account has created, and how many of them this client has created. */
export interface Probe {
  count(): Count;
  /** The samples before this client's latest POSTs with an unknown outcome, by the intent's revision. */
  unresolved: Map<string, UsageSample>;
  readTasksCreated(): Promise<number>;
}

export async function sampleUsage({ count, readTasksCreated }: Probe): Promise<UsageSample> {
  const before = count();
  const tasksCreated = await readTasksCreated();
  return { tasksCreated, before, after: count() };
}

/** A sample by another client, at a time when this client's own count is unknown. */
export function foreignSample(tasksCreated: number): UsageSample {
  const none = { accepted: 0, open: 0, unknown: 0 };
  const all = { accepted: Number.POSITIVE_INFINITY, open: 0, unknown: 0 };
  return { tasksCreated, before: none, after: all };
}

/**
 * What two samples show about one POST between them. This client's other creates are subtracted: at least those that
 * began after the first sample and ended before the second, at most all that overlap the time between. If the rest is
 * neither none nor one task, other clients create tasks too.
 *
 * @param own - how many of the second count's unknown submissions are the POST itself
 */
export function evidenceOf(first: UsageSample, second: UsageSample, own: 0 | 1): Evidence {
  const fewest = Math.max(0, second.before.accepted - first.after.accepted - first.after.open);
  const { accepted, open, unknown } = second.after;
  const most = accepted - first.before.accepted + open + (unknown - own - first.before.unknown);

  const created = second.tasksCreated - first.tasksCreated;
  const fits = (others: number) => fewest <= others && others <= most;
  if (fits(created) === fits(created - 1)) return "unclear";
  return fits(created) ? "not_created" : "created";
}

/** How many tasks a client has created up to now. */
export interface Count {
  readonly accepted: number;
  /** POSTs in flight. */
  readonly open: number;
  /** POSTs with an unknown outcome. */
  readonly unknown: number;
}
