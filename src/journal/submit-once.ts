import type { FinalStatus, JsonValue } from "../contract/service.js";
import type { TaskSubmission } from "../contract/task.js";
import { canonicalJson } from "../contract/text.js";
import { ApiError } from "../errors/api-errors.js";
import { AsyncMusicError, resumeAdvice } from "../errors/base.js";
import { ConnectionError } from "../errors/connection-errors.js";
import type { Redactor } from "../errors/redactor.js";
import { JournalError } from "../errors/task-errors.js";
import { type Clock, dateAt, isReasonOf } from "../time/clock.js";
import { isFreed } from "./entries.js";
import { outcomeUnknown, type Probe, sampleUsage } from "./evidence.js";
import type { Journal, JournalIntent, JournalRecord } from "./journal.js";
import { createSlot, newRevision, type Slot, waitForKey } from "./slot.js";

/** How often, and how far apart, a run checks whether the owner of an intent has recorded its task: 2 s in all. */
const MOST_CHECKS = 8;
const CHECK_INTERVAL_MS = 250;

const STALE_READ =
  "Check that the journal does not read from a stale replica, then try again with the same key.";

export interface PendingRequest {
  clock: Clock;
  signal: AbortSignal | undefined;
  request: JsonValue;
  requestId: string;
  probe: Probe | null;
  /** Sends the POST. Awaits `writeIntent` before each attempt; if that throws, the attempt is not sent. */
  send(writeIntent: () => Promise<void>): Promise<TaskSubmission>;
}

/** The task of a journal key. */
export interface JournaledTask {
  /** The response of the service, now or earlier; only the id if nothing else could be read. */
  task: TaskSubmission | string;
  /** Tries again to record the task; resolves with the error if that fails again. `null` if the task is recorded. */
  recordAgain: (() => Promise<JournalError | null>) | null;
  /** Records how the task ended: see `Slot.close`. */
  close(status: FinalStatus): Promise<void>;
}

/** Cancels a POST just before it is sent: another run has taken the key. An error of the SDK passes the retries unchanged. */
class AlreadyTaken extends AsyncMusicError {}

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
    const isFree = entry === null || isFreed(entry);
    if (!isFree && canonicalJson(entry.request) !== canonicalJson(pending.request))
      throw slot.conflict(entry);
    if (entry?.state === "submitted") {
      const task = entry.submission ?? entry.task_id;
      return { task, recordAgain: null, close: (status) => slot.close(entry, status) };
    }

    const submitted = isFree ? await submit(slot, pending, entry) : null;
    if (submitted !== null) return submitted;

    // A read from a database replica may show a taken key as free: check again in that case as well.
    const revision = entry?.revision ?? null;
    if (revision !== lastRevision) checks = 0;
    if (checks >= MOST_CHECKS) {
      if (isFree) throw slot.failure("`put` returned false, but `get` returned null", undefined, STALE_READ);
      throw await outcomeUnknown(slot, entry, pending.probe, null);
    }
    lastRevision = revision;
    await pending.clock.sleep(CHECK_INTERVAL_MS, pending.signal);
  }
}

/**
 * Writes the intent, sends the POST, and records the task; `null` if another run took the key first. A settlement that
 * freed the key is `freed`.
 */
async function submit(
  slot: Slot,
  pending: PendingRequest,
  freed: JournalIntent | null,
): Promise<JournaledTask | null> {
  const { probe, request, requestId } = pending;
  const sample = probe === null ? null : await sampleUsage(probe);
  const intent: JournalIntent = {
    state: "intent",
    revision: newRevision(),
    request,
    request_id: requestId,
    at: dateAt(pending.clock.now()).toISOString(),
    tasks_created: sample?.tasksCreated ?? null,
  };
  /** Restores the key to its state before the intent. */
  const restoreKey = () =>
    freed === null
      ? slot.free(intent.revision)
      : slot.put({ ...freed, revision: newRevision() }, intent.revision);

  let isTaken = false;
  const writeIntent = async () => {
    // During the wait after a 429, the key may have been freed and taken.
    const isOurs = isTaken ? (await slot.read())?.revision === intent.revision : await take();
    if (!isOurs) throw new AlreadyTaken("Another run has taken the key.");
    isTaken = true;
  };
  const take = async () => {
    try {
      return await slot.put(intent, freed?.revision ?? null);
    } catch (error) {
      // Nothing was sent, but the intent may have been written: free the key.
      await restoreKey().catch(() => {});
      throw error;
    }
  };

  let submission: TaskSubmission;
  try {
    submission = await pending.send(writeIntent);
  } catch (error) {
    if (error instanceof AlreadyTaken) return null;
    if (!isTaken) throw error;
    const isAborted = isReasonOf(pending.signal, error);
    const taskId = !isAborted && error instanceof AsyncMusicError ? error.taskId : null;
    if (taskId !== null) await record(slot, intent, taskId, null);
    else if (!isAborted && !isRefused(error))
      throw await outcomeUnknown(slot, intent, probe, { error, sample });
    else await restoreKey().catch((cause) => Promise.reject(keyNotRestored(slot, error, cause)));
    throw error;
  }
  return record(slot, intent, submission.task_id, submission);
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
    try {
      const isPut = (await slot.put(entry, intent.revision)) || (await replaceSettlement(slot, entry));
      failure = isPut
        ? null
        : slot.failure(
            `${reason}, since the key holds another entry`,
            undefined,
            resumeAdvice(taskId),
            taskId,
          );
    } catch (error) {
      failure = slot.failure(reason, causeOf(error), resumeAdvice(taskId), taskId);
    }
    return failure;
  };
  return {
    task: submission ?? taskId,
    recordAgain: (await write()) === null ? null : write,
    close: async (status) => (failure === null ? slot.close(entry, status) : undefined),
  };
}

/** If the intent was settled while its POST was in flight, the response of the service replaces the settlement. */
async function replaceSettlement(slot: Slot, entry: JournalRecord): Promise<boolean> {
  const found = await slot.read();
  const isReplaceable =
    found === null || isFreed(found) || (found.settled === true && found.request_id === entry.request_id);
  return isReplaceable && slot.put(entry, found?.revision ?? null);
}

/** Whether the POST certainly created nothing: a refusal, a POST that was never sent, or a journal error before it. */
function isRefused(error: unknown): boolean {
  if (error instanceof ApiError) return error.status >= 400 && error.status < 500;
  return error instanceof ConnectionError || error instanceof JournalError;
}

/** The error for a key that could not be restored after a refusal. */
function keyNotRestored(slot: Slot, refusal: unknown, thrown: unknown): JournalError {
  const why = refusal instanceof Error ? ` (${refusal.name}: ${refusal.message})` : "";
  const reason = `no task was created${why}, but the intent could not be removed`;
  return slot.failure(
    reason,
    causeOf(thrown),
    `Free the key with settleOutcome(journal, ${slot.name}, null).`,
  );
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : error;
}
