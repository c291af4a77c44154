import type { FinalStatus } from "../contract/task.js";
import { InvalidOptionError, shown } from "../errors/base.js";
import { JournalConflictError, JournalError } from "../errors/journal-errors.js";
import { createRequestId } from "../http/client.js";
import type { Redactor } from "../http/redactor.js";
import { onAbort, startDeadline } from "../time/abort.js";
import { systemRandom } from "../time/clock.js";
import { isJournalEntry } from "./entries.js";
import type { Journal, JournalEntry, JournalRecord } from "./journal.js";

/** What `run` and `runAll` take of a journal beside its key. */
export interface JournalOptions {
  /**
   * Where this run is recorded, so that nothing is ever paid twice; it goes with `journalKey`. The intent is written
   * before the first byte of the POST leaves, and the task once it is known. A run with a key whose task is recorded
   * waits for that task and sends nothing. A run with a key whose outcome nobody knows rejects with
   * `SubmissionOutcomeUnknownError`, and sends nothing either. A refusal leaves the key free.
   */
  journal?: Journal | undefined;
  /**
   * Reads `usage.tasks_created` before the POST, and again once its outcome is unknown, so that the error can say what
   * the difference is evidence of. It goes with `journal`, and costs one more request.
   *
   * @defaultValue false
   */
  probe?: boolean | undefined;
  /**
   * Called when a task was submitted and the journal could record it neither at once nor at the end of the run. The
   * run itself goes on to its result; save the error's `taskId` elsewhere.
   */
  onUnrecorded?: ((error: JournalError) => void | Promise<void>) | undefined;
}

/** Where a run is recorded. */
export interface JournalPlace {
  journal: Journal;
  key: string;
  probe: boolean;
}

/** The place that the options name; `null` where they name none. */
export function checkJournalOptions(
  { journal, journalKey, probe = false }: JournalOptions & { journalKey?: string | undefined },
  redactor: Redactor,
): JournalPlace | null {
  checkJournal(journal);
  if (typeof probe !== "boolean") throw new InvalidOptionError("probe", "be true or false", shown(probe));
  if (journalKey === undefined) {
    if (journal !== undefined) throw new InvalidOptionError("journalKey", "be given with `journal`");
    if (probe) throw new InvalidOptionError("probe", "be given with `journal`");
    return null;
  }
  if (typeof journalKey !== "string" || journalKey === "")
    throw new InvalidOptionError("journalKey", "be a text that is not empty");
  if (redactor.isGivenAway(journalKey)) throw new InvalidOptionError("journalKey", "not hold the API key");
  if (journal === undefined) throw new InvalidOptionError("journal", "be given with `journalKey`");
  return { journal, key: journalKey, probe };
}

function checkJournal(journal: Journal | undefined): void {
  if (journal === undefined) return;
  const isJournal = [journal?.get, journal?.put, journal?.delete].every((each) => typeof each === "function");
  if (!isJournal) throw new InvalidOptionError("journal", "have the methods get, put and delete");
}

/** The longest that a finished task waits for the journal to record its end, in real milliseconds. */
const LONGEST_CLOSE_MS = 1000;

/** One key of a journal. Whatever the journal throws, or holds that is no entry, is a `JournalError`. */
export interface Slot {
  readonly key: string;
  /** The key as it stands in messages. */
  readonly name: string;
  read(): Promise<JournalEntry | null>;
  /** Resolves with `false` where what is there is not `previous`, nor this very entry already. */
  put(entry: JournalEntry, previous: string | null): Promise<boolean>;
  /** Frees the key, if this entry still holds it; resolves with whether it did. */
  free(revision: string): Promise<boolean>;
  /**
   * Records how the task ended. Never rejects, and takes a second at most: a key whose end is not recorded only stays in the
   * list of open keys.
   */
  close(entry: JournalRecord, status: FinalStatus): Promise<void>;
  /** The error for a key that stands for another request. */
  conflict(entry: JournalEntry): JournalConflictError;
  /** The error for a journal that did not do its part. */
  failure(reason: string, cause: unknown, taskId?: string): JournalError;
}

export function createSlot(journal: Journal, key: string, redactor: Redactor): Slot {
  const name = JSON.stringify(key);

  const failure = (reason: string, cause: unknown, taskId?: string) => {
    const safeCause = redactor.cause(cause);
    const said =
      safeCause instanceof Error ? `: ${redactor.text(String(safeCause.message)).replace(/\.$/, "")}` : "";
    const advice = taskId === undefined ? "" : ` Resume with client.tasks.wait(${JSON.stringify(taskId)}).`;
    const message = `Failed to keep the journal under ${name}: ${reason}${said}.${advice}`;
    return new JournalError(message, { journalKey: key, taskId, cause: safeCause });
  };

  const attempt = async <Value>(what: string, work: () => Promise<Value>): Promise<Value> => {
    try {
      return await inTime(work);
    } catch (cause) {
      throw failure(`it can't be ${what}`, cause);
    }
  };

  const read = async () => {
    const entry: unknown = (await attempt("read", () => journal.get(key))) ?? null;
    if (entry === null || isJournalEntry(entry)) return entry;
    throw failure("what it holds is no journal entry", undefined);
  };

  return {
    key,
    name,
    read,
    failure,
    async put(entry, previous) {
      const isPut = await attempt("written", () => journal.put(key, redactor.data(entry), previous));
      // A database that wrote, lost its answer and tried again finds its own entry in the way.
      return isPut === true || (await read())?.revision === entry.revision;
    },
    async free(revision) {
      const isFreed: unknown = await attempt("freed", () => journal.delete(key, revision));
      // A journal of somebody's own may not say: what is there now does.
      return typeof isFreed === "boolean" ? isFreed : (await read()) === null;
    },
    async close(entry, status) {
      if (entry.status === status) return;
      const closed = { ...entry, revision: newRevision(), status };
      const put = () => journal.put(key, redactor.data(closed), entry.revision);
      await inTime(put, LONGEST_CLOSE_MS).catch(() => {});
    },
    conflict(entry) {
      const task = entry.state === "submitted" ? ` of task ${entry.task_id}` : "";
      const message =
        `Failed to create a task: the journal holds another request${task} under ${name}. ` +
        "Nothing was sent. Run that one again; another key pays for this one.";
      return new JournalConflictError(message, { journalKey: key });
    },
  };
}

/** A journal that takes longer for one thing has failed, in real milliseconds: a task that is paid for must be told. */
const LONGEST_MS = 30_000;

/** What a journal answers; rejects where it takes too long. */
export async function inTime<Value>(work: () => Promise<Value>, longestMs = LONGEST_MS): Promise<Value> {
  const deadline = startDeadline(longestMs);
  try {
    return await Promise.race([work(), deadline.ended]);
  } finally {
    deadline.clear();
  }
}

/** By journal and key: the last who stands in line, settled once they have left it. */
const lines = new WeakMap<Journal, Map<string, Promise<void>>>();

/**
 * Lets the runs of one process on one key come one after the other, whatever their clients: each then finds what the
 * one before it has recorded. The answer ends the turn.
 */
export async function takeTurn(
  journal: Journal,
  key: string,
  signal: AbortSignal | undefined,
): Promise<() => void> {
  const line = lines.get(journal) ?? new Map<string, Promise<void>>();
  lines.set(journal, line);

  const before = line.get(key);
  let leave = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const last = Promise.all([before, left]).then(() => {
    if (line.get(key) === last) line.delete(key);
  });
  line.set(key, last);

  try {
    signal?.throwIfAborted();
    if (before !== undefined) await untilAborted(before, signal);
  } catch (reason) {
    leave();
    throw reason;
  }
  return leave;
}

function untilAborted(turn: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = onAbort(signal, () => reject(signal?.reason));
    void turn.then(() => {
      abort.leave();
      resolve();
    });
  });
}

/** From the system's chance, always: clients of one seed, in two processes, must not take each other's for their own. */
export function newRevision(): string {
  return createRequestId(systemRandom);
}
