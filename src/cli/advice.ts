import {
  AudioExpiredError,
  InsufficientCreditsError,
  InvalidRequestError,
  SubmissionOutcomeUnknownError,
  TaskFailedError,
  TaskNotFoundError,
} from "../index.js";
import { shellWord } from "./shell-word.js";
import { Interrupted } from "./tasks/interruption.js";

/** After these there is nothing to go on with. */
const OVER = [TaskFailedError, TaskNotFoundError, AudioExpiredError, InvalidRequestError];

/**
 * What to do now, as lines for a shell.
 *
 * @param resume - The command that goes on with the task, where there is one.
 * @param journal - The journal that the command was given.
 */
export function adviceFor(error: Error, resume: string | null, journal: string | null): readonly string[] {
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
      `The service knows it by the request id ${error.requestId}.`,
      ...settleAdvice(error.journalKey, journal),
    ];
  }
  if (error instanceof Interrupted) return ["This command has created no task."];
  if (error instanceof InsufficientCreditsError) return ["See `async-music balance`."];
  return [];
}

function settleAdvice(key: string | null, journal: string | null): readonly string[] {
  if (key === null || journal === null) return [];
  const settle = `  async-music settle ${shellWord(key)} --journal ${shellWord(journal)}`;
  return [
    "Its key stays taken until you say what you have found:",
    "",
    `${settle} --task-id ID`,
    `${settle} --not-created`,
  ];
}
