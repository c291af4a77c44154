import { CommanderError } from "commander";
import { printableLine } from "../contract/text.js";
import { AsyncMusicError, type Evidence, SubmissionOutcomeUnknownError, TaskFailedError } from "../index.js";
import { adviceFor } from "./advice.js";
import { exitStatusOf } from "./exit-table.js";
import { shellWords } from "./shell-words.js";
import { Interrupted } from "./tasks/interruption.js";
import { TaskFault } from "./tasks/task-fault.js";
import { stylesFor } from "./terminal/colour.js";
import { writeJson } from "./terminal/json.js";
import type { Surroundings } from "./terminal/surroundings.js";
import { UsageError } from "./usage-error.js";

/** What a program is told of an error beside its name and message, where the error has it. */
const DETAILS = [
  "status",
  "retryable",
  "retryAfterSeconds",
  "retryAt",
  "issues",
  "evidence",
  "journalKey",
  "url",
];

/** What the account's number of tasks says of a POST whose answer was lost. */
const FOUND: Readonly<Record<Evidence, string>> = {
  created: "The account has one task more than before, so it probably was.",
  not_created: "The account has no more tasks than before, so it probably was not.",
  unclear: "The account's number of tasks can't tell, since more may have been created with it.",
};

/** Tells people, and with `--json` programs too, what went wrong. Answers the exit status for it. */
export function report(thrown: unknown, asJson: boolean, { stdout, stderr, env }: Surroundings): number {
  const { taskId, resume, journal } =
    thrown instanceof TaskFault ? thrown : { taskId: null, resume: null, journal: null };
  const error = understood(thrown instanceof TaskFault ? thrown.cause : thrown);
  const message = messageOf(error, taskId);
  const style = stylesFor(stderr, env);
  const said = [message, ...adviceFor(error, resume, journal)].map(printableLine).join("\n");
  stderr.write(`${style("red", "async-music:")} ${said}\n`);
  if (asJson) writeJson(stdout, { error: asData(error, message, taskId) });
  return exitStatusOf(error);
}

function understood(error: unknown): Error {
  if (error instanceof CommanderError) return new UsageError(usageMessage(error.message));
  return error instanceof Error ? error : new Error(String(error));
}

/** One line. What stands behind `=` in an option that nobody knows may be anything, and is not repeated. */
function usageMessage(message: string): string {
  return message
    .replace(/^error: /, "")
    .replace(/(unknown option '[^'=]*)=[^\n]*'/, "$1'")
    .replaceAll(/\s+/g, (space) => (space.includes("\n") ? " " : space));
}

function messageOf(error: Error, taskId: string | null): string {
  if (error instanceof SubmissionOutcomeUnknownError && taskId === null) return unknownMessage(error);
  return shellWords(error, taskId);
}

function unknownMessage({ cause, evidence }: SubmissionOutcomeUnknownError): string {
  const reason =
    cause instanceof Interrupted
      ? "the command was ended while the request was on its way."
      : cause instanceof Error
        ? cause.message
        : "an earlier run under this key never learned it, and nothing was sent now.";
  const found = evidence === null ? "" : ` ${FOUND[evidence]}`;
  return `It is unknown whether a task was created and paid for: ${reason}${found}`;
}

/** A name that the guide's table has: an error of the system, such as a `TypeError`, is an `Error`. */
function nameOf(error: Error): string {
  const isNamed = [AsyncMusicError, UsageError, Interrupted].some((kind) => error instanceof kind);
  return isNamed ? error.name : "Error";
}

function asData(error: Error, message: string, taskId: string | null): Record<string, unknown> {
  const detail = (name: string): unknown => Reflect.get(error, name);
  return {
    name: nameOf(error),
    message,
    errorCode: detail("errorCode") ?? null,
    taskId: taskId ?? detail("taskId") ?? null,
    requestId: detail("requestId") ?? null,
    ...(error instanceof TaskFailedError && { taskError: error.task.error }),
    ...Object.fromEntries(
      DETAILS.filter((name) => detail(name) !== undefined).map((name) => [name, detail(name)]),
    ),
  };
}
