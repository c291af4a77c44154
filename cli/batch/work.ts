import { join } from "node:path";
import {
  AccountSuspendedError,
  type AsyncMusic,
  AudioExpiredError,
  AuthenticationError,
  InsufficientCreditsError,
  type Journal,
  type JournalError,
  SubmissionOutcomeUnknownError,
  type SucceededTask,
  TaskFailedError,
} from "../../src/index.js";
import { isOneOf } from "../exit-status.js";
import { type SavedFile, type SaveTarget, saveResult } from "../save.js";
import { clipName } from "./file-names.js";
import type { PlannedLine } from "./plan.js";
import { creditsWith, errorOf, type Item } from "./results.js";

/** After these, every further order would fail as well. */
const STOPPING = [AuthenticationError, AccountSuspendedError, InsufficientCreditsError];

/** After so many unknown outcomes one after the other, nothing more is sent: each has to be settled by a person. */
const MOST_UNKNOWN = 3;

interface WorkOptions {
  client: AsyncMusic;
  journal: Journal;
  out: string;
  concurrency: number;
  /** The time of the client's clock. */
  now(): number;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  /** A line has ended. */
  onEnded(item: Item): void;
  onSaved(file: SavedFile): void;
  onUnrecorded(error: JournalError): void;
}

/** Orders the lines of a batch, a few at a time, waits for their tasks and saves the results. */
export class BatchWork {
  readonly #options: WorkOptions;
  #unknownInARow = 0;
  #stopped: { reason: Error } | null = null;

  constructor(options: WorkOptions) {
    this.#options = options;
  }

  /** The error after which no further line was sent; `null` if all were. */
  get stoppedBy(): Error | null {
    return this.#stopped?.reason ?? null;
  }

  async complete(items: readonly Item[]): Promise<void> {
    const { concurrency, signal } = this.#options;
    const queue = items.values();
    const takeTurns = async () => {
      for (const item of queue) {
        if (signal.aborted) return;
        // What is paid for is completed.
        if (this.#stopped !== null && item.line.entry === null) continue;
        await this.#complete(item);
      }
    };
    await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, takeTurns));
  }

  /** Never rejects: the result of the item has the error. */
  async #complete(item: Item): Promise<void> {
    const { signal, onEnded } = this.#options;
    try {
      await this.#save(item, await this.#run(item));
    } catch (error) {
      this.#noteError(item, error);
      item.isUsedUp = error instanceof TaskFailedError || error instanceof AudioExpiredError;
      // It continues with the next command.
      if (signal.aborted) return;
    }
    onEnded(item);
  }

  async #run({ line, result }: Item): Promise<SucceededTask> {
    const { client, journal, signal, onUnrecorded } = this.#options;
    return client.tasks.run(line.request, {
      ...{ journal, journalKey: line.key, probe: true, signal },
      onSubmitted: ({ task_id, credits_charged }) => {
        this.#unknownInARow = 0;
        const credits = creditsWith(line, credits_charged);
        Object.assign(result, { status: "pending", task_id, credits, error: null });
      },
      onUpdate: ({ status, credits_cost }) => {
        if (status === "pending" || status === "running")
          Object.assign(result, { status, credits: creditsWith(line, credits_cost) });
      },
      onUnrecorded,
    });
  }

  async #save({ line, result }: Item, task: SucceededTask): Promise<void> {
    const { client, signal, now, out, onSaved } = this.#options;
    const { task_id, credits_cost } = task;
    const credits = creditsWith(line, credits_cost);
    Object.assign(result, { status: "not_saved", task_id, credits, files: [] });
    await saveResult(task, { client, target: targetOf(line, out), signal, now }, ({ file }) => {
      result.files.push(file);
      onSaved(file);
    });
    result.status = "success";
  }

  #noteError(item: Item, error: unknown): void {
    const { result } = item;
    const { signal } = this.#options;
    if (error instanceof SubmissionOutcomeUnknownError && error.taskId === null && result.task_id === null) {
      Object.assign(result, { status: "unknown", credits: null });
      // Only those of requests that this command has sent.
      if (item.line.entry === null && ++this.#unknownInARow >= MOST_UNKNOWN)
        this.#stopped ??= { reason: error };
    } else if (error instanceof TaskFailedError) {
      const { status, task_id } = error.task;
      Object.assign(result, { status, task_id, credits: creditsWith(item.line, 0) });
    }
    if (isStopping(error)) this.#stopped ??= { reason: error };
    if (!signal.aborted || error !== signal.reason) result.error = errorOf(error, result.task_id);
  }
}

function isStopping(error: unknown): error is Error {
  return isOneOf(error, STOPPING);
}

/** The files of a line: `id.wav` and `id-2.wav`, or `id.txt` for lyrics. A file that exists is its result. */
function targetOf({ id, request }: PlannedLine, out: string): SaveTarget {
  const nameOf = (index: number) => (request.task_type === "lyrics" ? `${id}.txt` : clipName(id, index));
  return { pathFor: (index) => join(out, nameOf(index)), isDirectory: true, force: false };
}
