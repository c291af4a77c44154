import type { FinalStatus } from "../contract/task.js";
import { JournalConflictError, JournalError } from "../errors/journal-errors.js";
import type { Redactor } from "../http/redactor.js";
import { inTime } from "./in-time.js";
import { isJournalEntry } from "./is-journal-entry.js";
import type { Journal, JournalEntry, JournalRecord } from "./journal.js";
import { newRevision } from "./revision.js";

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
