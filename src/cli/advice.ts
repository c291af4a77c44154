import {
  AudioExpiredError,
  InsufficientCreditsError,
  InvalidRequestError,
  type JournalError,
  SubmissionOutcomeUnknownError,
  TaskFailedError,
  TaskNotFoundError,
  TaskTimedOutError,
} from "../index.js";
import { shellWord } from "./shell-word.js";
import { shellWords } from "./shell-words.js";
import { Interrupted } from "./tasks/interruption.js";

/** After these there is nothing to go on with; of the first ones a journal's key still names the task. */
const OVER_FOR_GOOD = [TaskFailedError, TaskTimedOutError, AudioExpiredError];
const OVER = [...OVER_FOR_GOOD, TaskNotFoundError, InvalidRequestError];

/**
 * What to do now, as lines for a shell.
 *
 * @param resume - The command that goes on with the task, where there is one.
 * @param journal - The journal that the command was given.
 */
export function adviceFor(error: Error, resume: string | null, journal: string | null): readonly string[] {
  const isOneOf = (kinds: typeof OVER) => kinds.some((kind) => error instanceof kind);
  if (journal !== null && isOneOf(OVER_FOR_GOOD)) {
    return ["Its --key stands for that task for good: to try again, take another one."];
  }
  if (resume !== null) {
    if (isOneOf(OVER)) return [];
    const again =
      journal === null ? "To go on with the task:" : "Run the same again to go on with the task, or:";
    return [again, "", `  ${resume}`];
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

/** A task is paid for that the journal could not record, as lines for a shell. */
export function unrecordedWarning(error: JournalError, journal: string): string {
  const taskId = error.taskId ?? "";
  return [
    shellWords(error, taskId),
    "Before you run it again, or it may be paid for twice:",
    "",
    settleCommand(error.journalKey, journal, `--task-id ${shellWord(taskId)}`),
    "",
  ].join("\n");
}

function settleAdvice(key: string | null, journal: string | null): readonly string[] {
  if (key === null || journal === null) return [];
  return [
    "Its key stays taken until you say what you have found:",
    "",
    settleCommand(key, journal, "--task-id ID"),
    settleCommand(key, journal, "--not-created"),
  ];
}

function settleCommand(key: string, journal: string, finding: string): string {
  const [word, place] = [shellWord(key), `--journal ${shellWord(journal)}`];
  // What begins like a flag is a key only behind the two dashes, and flags are none there.
  return key.startsWith("-")
    ? `  async-music settle ${place} ${finding} -- ${word}`
    : `  async-music settle ${word} ${place} ${finding}`;
}
