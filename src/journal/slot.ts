import type { Advice } from "../contract/message.js";
import type { FinalStatus } from "../contract/service.js";
import { canonicalJson } from "../contract/text.js";
import { invalidOption, NOTHING_SENT, shown, wrongValue } from "../errors/base.js";
import { checkOption, flagRule, methodsRule } from "../errors/options.js";
import type { Redactor } from "../errors/redactor.js";
import { JournalConflictError, JournalError } from "../errors/task-errors.js";
import { onAbort } from "../time/abort.js";
import { startDeadline } from "../time/deadline.js";
import { systemUuid } from "../time/random.js";
import { isJournalEntry } from "./entries.js";
import type { Journal, JournalEntry, JournalIntent, JournalRecord } from "./journal.js";

/** The journal options of `run` and `runAll`, without the key. */
export interface JournalOptions {
  /**
   * Where this run is recorded, so that no request is charged twice; it requires `journalKey`. The intent is written
   * before the first byte of the POST is sent, and the task once it is known. A run with a key whose task is recorded
   * waits for that task and sends nothing. A run with a key whose outcome is unknown rejects with
   * `SubmissionOutcomeUnknownError` and sends nothing. A refusal leaves the key free.
   */
  journal?: Journal | undefined;
  /**
   * Reads `usage.tasks_created` before the POST, and again once its outcome is unknown, so that the error can state what
   * the difference shows. It requires `journal`, and costs one more request. A later run with the key has evidence only if
   * the run that sent the POST had `probe` as well.
   *
   * @defaultValue false
   */
  probe?: boolean | undefined;
  /**
   * Called when a task was submitted and the journal could record it neither at once nor at the end of the run. The
   * run itself continues to its result; save the error's `taskId` elsewhere.
   */
  onUnrecorded?: ((error: JournalError) => void | Promise<void>) | undefined;
}

const journalRule = methodsRule("get", "put", "delete");

/** Returns the journal and the key under which a run is recorded; `null` without a journal. */
export function checkJournalOptions(
  { journal, journalKey, probe = false }: JournalOptions & { journalKey?: string | undefined },
  redactor: Redactor,
) {
  const missing = (option: string, user: string, name: string): never => {
    throw invalidOption(option, [{ name: user }, " needs ", { name }]);
  };
  if (journal !== undefined) checkOption("journal", journalRule, journal);
  checkOption("probe", flagRule, probe);
  if (journalKey === undefined) {
    if (journal !== undefined) missing("journalKey", "journal", "journalKey");
    return probe ? missing("probe", "probe", "journal") : null;
  }
  if (typeof journalKey !== "string" || journalKey === "")
    throw wrongValue("journalKey", "be a string that is not empty", shown(journalKey));
  if (redactor.containsKey(journalKey)) throw wrongValue("journalKey", "not contain the API key");
  if (journal === undefined) return missing("journal", "journalKey", "journal");
  return { journal, key: journalKey, probe };
}

/** The longest time to record how a task ended, or to take back an intent that was not written, in real milliseconds. */
export const LONGEST_CLEANUP_MS = 1000;

/** A journal method that takes longer has failed, in real milliseconds: a task that was created must be reported. */
const LONGEST_MS = 30_000;

/** Settles as the journal does; rejects if that takes too long. */
export async function withTimeout<Value>(work: () => Promise<Value>, longestMs = LONGEST_MS): Promise<Value> {
  const deadline = startDeadline(longestMs);
  try {
    return await Promise.race([work(), deadline.ended]);
  } finally {
    deadline.clear();
  }
}

const TRY_AGAIN = "Fix the journal, then try again with the same key.";
const REFUSED = "The service refused this run's request, which created no task.";

export type Slot = ReturnType<typeof createSlot>;

/** One key of a journal. Everything that the journal throws, and every malformed entry, becomes a `JournalError`. */
export function createSlot(journal: Journal, key: string, redactor: Redactor) {
  const name = JSON.stringify(key);
  let isSent = false;
  const tryAgain = () => ({ facts: [isSent ? REFUSED : NOTHING_SENT], advice: [TRY_AGAIN] });

  const failure = (reason: string, thrown: unknown, advice: Advice, taskId?: string) => {
    const cause = redactor.cause(thrown);
    const reasonOfCause = cause instanceof Error ? `: ${redactor.text(String(cause.message))}` : "";
    const parts = { what: `Journal key ${name}`, why: `${reason}${reasonOfCause}`, ...advice };
    return new JournalError(parts, {
      journalKey: key,
      taskId,
      sent: isSent || taskId !== undefined,
      cause,
    });
  };

  const call = async <Value>(what: string, work: () => Promise<Value>): Promise<Value> => {
    try {
      return await withTimeout(work);
    } catch (cause) {
      throw cause instanceof JournalConflictError
        ? cause
        : failure(`the entry could not be ${what}`, cause, tryAgain());
    }
  };

  const read = async (): Promise<JournalEntry | null> => {
    const entry: unknown = (await call("read", () => journal.get(key))) ?? null;
    if (entry === null || isJournalEntry(entry)) return entry;
    throw failure("the journal returned something other than an entry", undefined, tryAgain());
  };

  return {
    key,
    name,
    read,
    failure,
    /** From now on, the errors of this key state that the request was sent. */
    noteSent(): void {
      isSent = true;
    },
    /** The intents of this journal that no POST is in flight for. */
    unsent: unsentIntentsOf(journal),
    /** Whether the POST of an intent has ended in this process, without an outcome. */
    hasEnded: (revision: string) => endedIntentsOf(journal).has(revision),
    noteEnded(revision: string): void {
      const ended = endedIntentsOf(journal);
      ended.add(revision);
      const [oldest] = ended;
      if (ended.size > MOST_ENDED && oldest !== undefined) ended.delete(oldest);
    },
    /** Resolves with `false` if the current entry is neither `previous` nor this entry. */
    async put(entry: JournalEntry, previous: string | null): Promise<boolean> {
      const isPut = await call("written", () => journal.put(key, redactor.data(entry), previous));
      // After a lost response, a retry inside the database client finds the entry that its first try wrote.
      return isPut === true || (await read())?.revision === entry.revision;
    },
    /** Frees the key if it still has this entry; resolves with whether it did. */
    async free(revision: string): Promise<boolean> {
      const isFreed: unknown = await call("deleted", () => journal.delete(key, revision));
      // A custom journal may return nothing: read the key instead.
      return typeof isFreed === "boolean" ? isFreed : (await read()) === null;
    },
    /** Refuses a planned request that contains the API key: its record would never be equal to it. Frees the key. */
    async refuseSecret(planned: JournalIntent): Promise<void> {
      if (canonicalJson(redactor.data(planned.request)) === canonicalJson(planned.request)) return;
      await this.free(planned.revision);
      throw invalidOption(
        "request",
        `The request that was planned with journal key ${name} contains the API key`,
        "Nothing was sent, and the key is free. Plan the order again without the API key.",
      );
    },
    /**
     * Records how the task ended. Never rejects, and takes a second at most: a key whose end is not recorded only stays in the
     * list of open keys.
     */
    async close(entry: JournalRecord, status: FinalStatus): Promise<void> {
      if (entry.status === status) return;
      const closed = { ...entry, revision: newRevision(), status };
      const put = () => journal.put(key, redactor.data(closed), entry.revision);
      await withTimeout(put, LONGEST_CLEANUP_MS).catch(() => {});
    },
    conflict(entry: JournalEntry): JournalConflictError {
      const task = entry.state === "submitted" ? `, which created task ${entry.task_id}` : "";
      const parts = {
        what: `Journal key ${name} belongs to another request${task}`,
        facts: [NOTHING_SENT],
        advice: ["Pass the original request, or choose a new key, which charges again."],
      };
      return new JournalConflictError(parts, { journalKey: key });
    },
  };
}

/**
 * The intents that could not be removed although their POST was refused or never sent, by revision, with the entry to restore
 * instead of each; `null` to delete it. A run of this process replaces such an intent. One that could not be written is
 * listed too: it may still appear.
 */
export type UnsentIntents = Map<string, JournalIntent | null>;

const unsentIntents = new WeakMap<Journal, UnsentIntents>();

function unsentIntentsOf(journal: Journal): UnsentIntents {
  const known = unsentIntents.get(journal) ?? new Map();
  unsentIntents.set(journal, known);
  return known;
}

/** The most intents per journal that are remembered as ended. */
const MOST_ENDED = 1000;

/** The revisions of the intents whose POST has ended in this process, without an outcome. */
const endedIntents = new WeakMap<Journal, Set<string>>();

function endedIntentsOf(journal: Journal): Set<string> {
  const known = endedIntents.get(journal) ?? new Set();
  endedIntents.set(journal, known);
  return known;
}

/** By journal and key: the end of the last run in the queue. */
const queues = new WeakMap<Journal, Map<string, Promise<void>>>();

/**
 * Queues the runs of one process on one key, even of several clients: each reads the entry of the one before it.
 * Resolves with a function that begins the next one.
 */
export async function waitForKey(
  journal: Journal,
  key: string,
  signal: AbortSignal | undefined,
): Promise<() => void> {
  const queue = queues.get(journal) ?? new Map<string, Promise<void>>();
  queues.set(journal, queue);

  const previous = queue.get(key);
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const last = Promise.all([previous, released]).then(() => {
    if (queue.get(key) === last) queue.delete(key);
  });
  queue.set(key, last);

  try {
    signal?.throwIfAborted();
    if (previous !== undefined)
      await new Promise<void>((resolve, reject) => {
        const abort = onAbort(signal, () => reject(signal?.reason));
        void previous.then(resolve).finally(() => abort.remove());
      });
  } catch (reason) {
    release();
    throw reason;
  }
  return release;
}

/** Ignores the client's `random`: with one seed, two processes would give their entries the same revision. */
export const newRevision = systemUuid;
