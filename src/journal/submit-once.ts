import type { FinalStatus, JsonValue } from "../contract/service.js";
import type { TaskSubmission } from "../contract/task.js";
import { canonicalJson } from "../contract/text.js";
import { ApiError } from "../errors/api-errors.js";
import { AsyncMusicError } from "../errors/base.js";
import { ConnectionError } from "../errors/connection-errors.js";
import { JournalError } from "../errors/task-errors.js";
import type { Redactor } from "../http/redactor.js";
import { type Clock, dateAt, isReasonOf } from "../time/clock.js";
import { isFreed } from "./entries.js";
import { outcomeUnknown, type Probe, sampleUsage } from "./evidence.js";
import type { Journal, JournalIntent, JournalRecord } from "./journal.js";
import { createSlot, newRevision, type Slot, waitForKey } from "./slot.js";

/** How often, and how far apart, a run checks whether the owner of an intent has recorded its task: 2 s in all. */
const MOST_CHECKS = 8;
const CHECK_INTERVAL_MS = 250;

export interface Order {
  clock: Clock;
  signal: AbortSignal | undefined;
  request: JsonValue;
  requestId: string;
  probe: Probe | null;
  /** Sends the POST. `beforeSending` is awaited before the first byte is sent; throwing cancels the POST. */
  send(beforeSending: () => Promise<void>): Promise<TaskSubmission>;
}

export interface Ordered {
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
  order: Order,
): Promise<Ordered> {
  const leave = await waitForKey(journal, key, order.signal);
  try {
    return await findOrSubmit(createSlot(journal, key, redactor), order);
  } finally {
    leave();
  }
}

async function findOrSubmit(slot: Slot, order: Order): Promise<Ordered> {
  let latest: string | null = null;
  for (let look = 0; ; look++) {
    const entry = await slot.read();
    const isFree = entry === null || isFreed(entry);
    if (!isFree && canonicalJson(entry.request) !== canonicalJson(order.request)) throw slot.conflict(entry);
    if (entry?.state === "submitted") {
      const task = entry.submission ?? entry.task_id;
      return { task, recordAgain: null, close: (status) => slot.close(entry, status) };
    }

    const ordered = isFree ? await submit(slot, order, entry) : null;
    if (ordered !== null) return ordered;

    // A database that is read from a replica may show a key as free that is taken: check again in that case as well.
    const revision = entry?.revision ?? null;
    if (revision !== latest) look = 0;
    if (look >= MOST_CHECKS) {
      if (isFree) throw slot.failure("it takes no entry, and holds none", undefined);
      throw await outcomeUnknown(slot, entry, { probe: order.probe });
    }
    latest = revision;
    await order.clock.sleep(CHECK_INTERVAL_MS, order.signal);
  }
}

/**
 * Writes the intent, sends the POST, and records the task; `null` if another run took the key first. A settlement that
 * freed the key is `freed`.
 */
async function submit(slot: Slot, order: Order, freed: JournalIntent | null): Promise<Ordered | null> {
  const { probe, request, requestId } = order;
  const sample = probe === null ? null : await sampleUsage(probe);
  const intent: JournalIntent = {
    state: "intent",
    revision: newRevision(),
    request,
    request_id: requestId,
    at: dateAt(order.clock.now()).toISOString(),
    tasks_created: sample?.tasksCreated ?? null,
  };
  /** Leaves the key as it was before the run took it. */
  const giveBack = () =>
    freed === null
      ? slot.free(intent.revision)
      : slot.put({ ...freed, revision: newRevision() }, intent.revision);

  let isTaken = false;
  const beforeSending = async () => {
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
      await giveBack().catch(() => {});
      throw error;
    }
  };

  let submission: TaskSubmission;
  try {
    submission = await order.send(beforeSending);
  } catch (error) {
    if (error instanceof AlreadyTaken) return null;
    if (!isTaken) throw error;
    const isAborted = isReasonOf(order.signal, error);
    const taskId = !isAborted && error instanceof AsyncMusicError ? error.taskId : null;
    if (taskId !== null) await record(slot, intent, taskId, null);
    else if (!isAborted && !isRefused(error))
      throw await outcomeUnknown(slot, intent, { error, sample, probe });
    else await giveBack().catch((cause) => Promise.reject(stillTaken(slot, error, cause)));
    throw error;
  }
  return record(slot, intent, submission.task_id, submission);
}

/** Replaces the intent by the task. A journal that fails now does not stop the run, since the task is paid for. */
async function record(
  slot: Slot,
  intent: JournalIntent,
  taskId: string,
  submission: TaskSubmission | null,
): Promise<Ordered> {
  const revision = newRevision();
  const entry: JournalRecord = { ...intent, state: "submitted", revision, task_id: taskId, submission };
  let failure: JournalError | null = null;
  const attempt = async () => {
    const reason = `task ${taskId} was created, but can't be recorded`;
    try {
      const isPut = (await slot.put(entry, intent.revision)) || (await replaceSettlement(slot, entry));
      failure = isPut
        ? null
        : slot.failure(`${reason}, since something else was put there`, undefined, taskId);
    } catch (error) {
      failure = slot.failure(reason, causeOf(error), taskId);
    }
    return failure;
  };
  return {
    task: submission ?? taskId,
    recordAgain: (await attempt()) === null ? null : attempt,
    close: async (status) => (failure === null ? slot.close(entry, status) : undefined),
  };
}

/** If the intent was settled while its POST was in flight, the service's own response is right. */
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

/** The error for a key that could not be given back after a refusal. */
function stillTaken(slot: Slot, refusal: unknown, thrown: unknown): JournalError {
  const why = refusal instanceof Error ? ` (${refusal.name}: ${refusal.message})` : "";
  const advice = `Free the key with settleOutcome(journal, ${slot.name}, null)`;
  const reason = `nothing was created${why}, but the intent is still there. ${advice}`;
  return slot.failure(reason, causeOf(thrown));
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : error;
}
