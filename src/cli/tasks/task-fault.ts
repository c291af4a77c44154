import { AsyncMusicError, JournalConflictError } from "../../index.js";
import type { RunFlags, WaitFlags } from "../flags.js";
import { shellWord } from "../shell-word.js";

/** The flags of a command whose task it was. */
export type TaskFlags = WaitFlags & Pick<RunFlags, "journal">;

/** What went wrong with a task, and how to go on with it. */
export class TaskFault extends Error {
  override name = "TaskFault";
  override readonly cause: unknown;
  /** `null` where no task is known. */
  readonly taskId: string | null;
  /** The command that goes on. */
  readonly resume: string | null;
  /** The journal that the command was given, unless it could not record the task. */
  readonly journal: string | null;

  constructor(cause: unknown, taskId: string | null, { journal, ...flags }: TaskFlags, isUnrecorded = false) {
    super("A task went wrong.");
    this.cause = cause;
    // Of a conflict the key's task is another request's.
    const known = cause instanceof JournalConflictError ? null : taskId;
    this.taskId = cause instanceof AsyncMusicError ? (cause.taskId ?? known) : known;
    this.resume = this.taskId === null ? null : resumeCommand(this.taskId, flags);
    this.journal = isUnrecorded ? null : (journal ?? null);
  }
}

/** The command that goes on with a task. */
export function resumeCommand(taskId: string, { download, out, force, baseUrl }: WaitFlags): string {
  const more = Object.entries({ "--out": out, "--base-url": baseUrl })
    .filter(([, value]) => value !== undefined)
    .map(([flag, value = ""]) => `${flag} ${shellWord(value)}`);
  const manner = [...(download ? [] : ["--no-download"]), ...(force ? ["--force"] : [])];
  return ["async-music wait", shellWord(taskId), ...manner, ...more].join(" ");
}
