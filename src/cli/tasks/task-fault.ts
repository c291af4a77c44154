import { AsyncMusicError } from "../../index.js";
import type { WaitFlags } from "../flags.js";

/** What went wrong with a task, and how to go on with it. */
export class TaskFault extends Error {
  override name = "TaskFault";
  override readonly cause: unknown;
  /** `null` where no task is known. */
  readonly taskId: string | null;
  /** The command that goes on. */
  readonly resume: string | null;

  constructor(cause: unknown, taskId: string | null, flags: WaitFlags) {
    super("A task went wrong.");
    this.cause = cause;
    this.taskId = cause instanceof AsyncMusicError ? (cause.taskId ?? taskId) : taskId;
    this.resume = this.taskId === null ? null : resumeCommand(this.taskId, flags);
  }
}

function resumeCommand(taskId: string, { out, baseUrl }: WaitFlags): string {
  const more = Object.entries({ "--out": out, "--base-url": baseUrl })
    .filter(([, value]) => value !== undefined)
    .map(([flag, value = ""]) => `${flag} ${quoted(value)}`);
  return ["async-music wait", quoted(taskId), ...more].join(" ");
}

/** As a shell takes it for one word. */
function quoted(text: string): string {
  return /^[\w./:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
