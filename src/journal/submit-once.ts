import type { TaskRequest } from "../contract/requests.js";
import type { FinalStatus } from "../contract/service.js";
import type { TaskSubmission } from "../contract/task.js";
import { canonicalJson } from "../contract/text.js";
import { AsyncMusicError, resumeAdvice } from "../errors/base.js";
import type { Redactor } from "../errors/redactor.js";
import type { JournalError } from "../errors/task-errors.js";
import type { Clock } from "../time/clock.js";
import { dateAt } from "../time/date.js";
import { isFreed } from "./entries.js";
import { outcomeUnknown, type Probe, sampleUsage } from "./evidence.js";
import { AlreadyTaken, type FreeKey, freeKeyOf, IntentClaim } from "./intent-claim.js";
import type { Journal, JournalIntent, JournalRecord } from "./journal.js";
import { createSlot, newRevision, type Slot, waitForKey } from "./slot.js";

/** How often, and how far apart, a run checks whether the owner of an intent has recorded its task: 2 s in all. */
const MOST_CHECKS = 8;
const CHECK_INTERVAL_MS = 250;

const STALE_READ = {
  facts: ["No task was created by this run."],
  advice: ["Check that the journal does not read from a stale replica, then try again with the same key."],
};

export interface PendingRequest {
  clock: Clock;
  signal: AbortSignal | undefined;
  request: TaskRequest;
  requestId: string;
  probe: Probe | null;
  /** The time limit of the POST. */
  timeoutMs: number;
  /** Sends the POST, again after a 429. Each attempt takes the claim, and releases it if it certainly created no task. */
  send(claim: IntentClaim): Promise<TaskSubmission>;
}

/** The task of a journal key. */
export interface JournaledTask {
  /** The response of the service, now or earlier; only the id if nothing else could be read. */
  task: TaskSubmission | string;
  /** When the intent of its request was written, as an ISO 8601 date-time. */
  at: string;
  /** Whether an earlier run has submitted the task, and no run has recorded its end: another process may be polling it. */
  isResumed: boolean;
  /** Tries again to record the task; resolves with the error if that fails again. `null` if the task is recorded. */
  recordAgain: (() => Promise<JournalError | null>) | null;
  /** Records how the task ended: see `Slot.close`. */
  close(status: FinalStatus): Promise<void>;
}

/** Resolves with the task of a key: the recorded one, or one that is submitted now. At most one POST is sent for a key. */
export async function submitOnce(
  { journal, key }: { journal: Journal; key: string },
  redactor: Redactor,
  pending: PendingRequest,
): Promise<JournaledTask> {
  const release = await waitForKey(journal, key, pending.signal);
  try {
    return await findOrSubmit(createSlot(journal, key, redactor), pending);
  } finally {
    release();
  }
}

async function findOrSubmit(slot: Slot, pending: PendingRequest): Promise<JournaledTask> {
  let lastRevision: string | null = null;
  for (let checks = 0; ; checks++) {
    const entry = await slot.read();
    const free = freeKeyOf(slot, entry);
    if (free !== null && free.freed !== null) await slot.refuseSecret(free.freed);
    if (free === null && entry !== null && canonicalJson(entry.request) !== canonicalJson(pending.request))
      throw slot.conflict(entry);
    if (entry?.state === "submitted") {
      const task = entry.submission ?? entry.task_id;
      const isResumed = entry.status === undefined;
      const close = (status: FinalStatus) => slot.close(entry, status);
      return { task, at: entry.at, isResumed, recordAgain: null, close };
    }

    const submitted = free === null ? null : await submit(slot, pending, free);
    if (submitted !== null) return submitted;

    // A read from a database replica may show a taken key as free: check again in that case as well.
    const revision = entry?.revision ?? null;
    if (revision !== lastRevision) checks = 0;
    if (checks >= MOST_CHECKS) {
      if (free !== null || entry === null)
        throw slot.failure("`put` returned false, but `get` returned null", undefined, STALE_READ);
      throw await outcomeUnknown(slot, entry, pending, null);
    }
    lastRevision = revision;
    await pending.clock.sleep(CHECK_INTERVAL_MS, pending.signal);
  }
}

/** Sends the POST under an intent, and records the task; `null` if another run took the key first. */
async function submit(slot: Slot, pending: PendingRequest, free: FreeKey): Promise<JournaledTask | null> {
  const { probe, request, requestId, clock, timeoutMs } = pending;
  const sample = probe === null ? null : await sampleUsage(probe);
  const claim = new IntentClaim(slot, free, () => ({
    state: "intent",
    revision: newRevision(),
    request,
    request_id: requestId,
    at: dateAt(clock.now()).toISOString(),
    tasks_created: sample?.tasksCreated ?? null,
    timeout_ms: timeoutMs,
  }));
  const sent = await pending.send(claim).then(
    (submission) => ({ submission, taskId: submission.task_id, error: null }),
    (error: unknown) => ({ submission: null, taskId: createdTaskOf(error), error }),
  );
  const { submission, taskId, error } = sent;
  const { intent, failure } = claim;
  if (intent === null) {
    if (error instanceof AlreadyTaken) return null;
    void claim.restoreLater(clock);
    if (failure === null) throw error;
    throw keyNotRestored(slot, error, failure);
  }
  if (taskId === null) throw await outcomeUnknown(slot, intent, pending, { error, sample });
  const task = await record(slot, intent, taskId, submission);
  if (submission === null) throw error;
  return task;
}

function createdTaskOf(error: unknown): string | null {
  // An error of another version of this package may have no `taskId`.
  return error instanceof AsyncMusicError ? (error.taskId ?? null) : null;
}

/** Replaces the intent by the task. If the journal fails now, the run continues, since the task exists. */
async function record(
  slot: Slot,
  intent: JournalIntent,
  taskId: string,
  submission: TaskSubmission | null,
): Promise<JournaledTask> {
  const revision = newRevision();
  const entry: JournalRecord = { ...intent, state: "submitted", revision, task_id: taskId, submission };
  let failure: JournalError | null = null;
  const write = async () => {
    const reason = `task ${taskId} was created, but could not be recorded`;
    const advice = { codeAdvice: [resumeAdvice(taskId)] };
    try {
      const isPut = (await slot.put(entry, intent.revision)) || (await reconcile(slot, entry));
      failure = isPut
        ? null
        : slot.failure(`${reason}, since the key holds another entry`, undefined, advice, taskId);
    } catch (error) {
      failure = slot.failure(reason, causeOf(error), advice, taskId);
    }
    return failure;
  };
  return {
    task: submission ?? taskId,
    at: intent.at,
    isResumed: false,
    recordAgain: (await write()) === null ? null : write,
    close: async (status) => (failure === null ? slot.close(entry, status) : undefined),
  };
}

/**
 * The key holds neither the intent nor this entry. Resolves with whether the task is recorded now: if the intent was settled
 * while its POST was in flight, the response of the service replaces the settlement.
 */
async function reconcile(slot: Slot, entry: JournalRecord): Promise<boolean> {
  const found = await slot.read();
  // This process was suspended, or lost the database's response, after it had written: another one has recorded the end.
  if (found?.state === "submitted" && found.settled !== true && found.task_id === entry.task_id) return true;
  const isReplaceable =
    found === null || isFreed(found) || (found.settled === true && found.request_id === entry.request_id);
  return isReplaceable && slot.put(entry, found?.revision ?? null);
}

/** The error for an intent that could not be removed after a refusal. */
function keyNotRestored(slot: Slot, refusal: unknown, thrown: JournalError): JournalError {
  const why = refusal instanceof Error ? ` (${refusal.name}: ${refusal.message})` : "";
  const reason = `no task was created${why}, but the intent could not be removed`;
  return slot.failure(reason, causeOf(thrown), {
    facts: ["The SDK tries that again for 31 s, and a run of this process can use the key at once."],
    advice: [`For runs of other processes, free the key with settleOutcome(journal, ${slot.name}, null).`],
  });
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : error;
}
