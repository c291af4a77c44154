import {
  AudioExpiredError,
  InsufficientCreditsError,
  InvalidRequestError,
  SubmissionOutcomeUnknownError,
  TaskFailedError,
  TaskNotFoundError,
} from "../index.js";
import { Interrupted } from "./tasks/interruption.js";

/** After these there is nothing to go on with. */
const OVER = [TaskFailedError, TaskNotFoundError, AudioExpiredError, InvalidRequestError];

/**
 * What to do now, as lines for a shell.
 *
 * @param resume - The command that goes on with the task, where there is one.
 */
export function adviceFor(error: Error, resume: string | null): readonly string[] {
  if (resume !== null) {
    return OVER.some((kind) => error instanceof kind) ? [] : ["To go on with the task:", "", `  ${resume}`];
  }
  if (error instanceof SubmissionOutcomeUnknownError) {
    return [
      "Look before you run it again, or it may be paid for twice:",
      "",
      "  async-music usage     counts it, if it was created",
      "  async-music balance   has its credits frozen then",
      "",
      `The service knows it by the request id ${error.requestId}. With --journal, its`,
      "--key stays taken until you say what you have found:",
      "",
      "  async-music settle KEY --journal PATH --task-id ID",
      "  async-music settle KEY --journal PATH --not-created",
    ];
  }
  if (error instanceof Interrupted) return ["This command has created no task."];
  if (error instanceof InsufficientCreditsError) return ["See `async-music balance`."];
  return [];
}
