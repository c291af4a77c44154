import type { TaskSubmission } from "../contract/task.js";
import type { Journal, JournalIntent } from "./journal.js";

/** The most revisions of each kind that are remembered per journal. */
const MOST_REVISIONS = 1000;

export interface CreatedTask {
  taskId: string;
  /** `null` if the response was incomplete. */
  submission: TaskSubmission | null;
}

/** What the runs of this process note about a journal, and the journal itself does not show. */
export class ProcessNotes {
  /** Whether calls of the journal take real time, such as those of a disk: the clock of a run then stands still if it is virtual. */
  takesRealTime = false;
  /** By key: the end of the last run in the queue. */
  readonly queues = new Map<string, Promise<void>>();
  /**
   * The intents that could not be removed although their POST was refused or never sent, by revision, with the entry to
   * restore instead of each; `null` to delete it. A run of this process replaces such an intent. One that could not be
   * written is listed too: it may still appear.
   */
  readonly unsent = new Map<string, JournalIntent | null>();
  /** The tasks of the intents that could not be replaced by a record, by revision. */
  readonly unrecorded = new Map<string, CreatedTask>();
  /** The revisions of the intents whose POST has ended in this process, without an outcome. */
  readonly #ended = new Set<string>();

  noteUnsent(revision: string, freed: JournalIntent | null): void {
    this.unsent.set(revision, freed);
    keepLatest(this.unsent, MOST_REVISIONS);
  }

  noteUnrecorded(revision: string, created: CreatedTask): void {
    this.unrecorded.set(revision, created);
    keepLatest(this.unrecorded, MOST_REVISIONS);
  }

  noteEnded(revision: string): void {
    this.#ended.add(revision);
    keepLatest(this.#ended, MOST_REVISIONS);
  }

  /** Whether the POST of an intent has ended in this process, without an outcome. */
  hasEnded(revision: string): boolean {
    return this.#ended.has(revision);
  }
}

const notes = new WeakMap<Journal, ProcessNotes>();

export function notesOf(journal: Journal): ProcessNotes {
  const known = notes.get(journal) ?? new ProcessNotes();
  notes.set(journal, known);
  return known;
}

/** Removes the oldest of the keys if there are more than `most`: keys are added one at a time. */
export function keepLatest(keys: Pick<Map<string, unknown>, "size" | "keys" | "delete">, most: number): void {
  const [oldest] = keys.keys();
  if (keys.size > most && oldest !== undefined) keys.delete(oldest);
}
