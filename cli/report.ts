import { CommanderError } from "commander";
import { type MessageParts, messageOf } from "../src/contract/message.js";
import { printableLine } from "../src/contract/text.js";
import { isError } from "../src/contract/thrown.js";
import { NOTHING_SENT, partsOf } from "../src/errors/base.js";
import * as sdk from "../src/index.js";
import { PathTaken } from "../src/node/durable.js";
import { BatchFileError } from "./batch/mistakes.js";
import { exitStatusOf, isOneOf } from "./exit-status.js";
import type { ConnectionFlags, TaskFlags } from "./flags.js";
import {
  commandName,
  Interrupted,
  shellWord,
  stylesFor,
  type Terminal,
  UsageError,
  writeJson,
} from "./terminal.js";

/** An error (`cause`) of a command that handles a task, with what is known of the task. */
export class TaskFault extends Error {
  override name = "TaskFault";
  /** `null` if no task is known. */
  readonly taskId: string | null;
  /** The flags of the command, without a journal that could not record the task. */
  readonly flags: TaskFlags;

  constructor(cause: unknown, taskId: string | null, flags: TaskFlags) {
    super("A task failed.", { cause });
    // In a conflict, the task of the key belongs to another request.
    const known = cause instanceof sdk.JournalConflictError ? null : taskId;
    this.taskId = cause instanceof sdk.AsyncMusicError ? (cause.taskId ?? known) : known;
    this.flags = flags;
  }
}

/** The command that continues with a task. */
export function resumeCommand(command: string, taskId: string, flags: TaskFlags): string {
  const { download, out, force } = flags;
  return [
    `${command} wait ${shellWord(taskId)}`,
    ...(download ? [] : ["--no-download"]),
    ...(force ? ["--force"] : []),
    ...(out === undefined ? [] : [`--out ${shellWord(out)}`]),
  ]
    .join(" ")
    .concat(serviceFlag(flags));
}

/** The service address of a command, for the next one: the environment may name another service. */
export function serviceFlag({ baseUrl }: ConnectionFlags): string {
  return baseUrl === undefined ? "" : ` --base-url ${shellWord(baseUrl)}`;
}

/** Writes an error and what to do about it to stderr, and with `--json` to stdout. Returns the exit status. */
export function report(thrown: unknown, asJson: boolean, terminal: Terminal): number {
  const { stdout, stderr, env } = terminal;
  const fault = thrown instanceof TaskFault ? thrown : null;
  const taskId = fault?.taskId ?? null;
  const error = reportedError(fault === null ? thrown : fault.cause);
  const message = shellMessage(error, taskId);
  const lines = [message, ...shellAdvice(error, fault, commandName(terminal))].map(printableLine);
  stderr.write(`${stylesFor(stderr, env)("red", "async-music:")} ${lines.join("\n")}\n`);
  if (!asJson) return exitStatusOf(error);

  const name = isOneOf(error, [UsageError, Interrupted]) ? error.name : "Error";
  const document = {
    // These are always there, and come first.
    ...{ name, message, errorCode: null, taskId: null, requestId: null },
    ...(error instanceof sdk.AsyncMusicError && error.toJSON()),
    ...(error instanceof BatchFileError && { mistakes: error.mistakes }),
    ...(error instanceof sdk.TaskFailedError && { task: undefined, taskError: error.task.error }),
    message,
    taskId: taskId ?? Reflect.get(error, "taskId") ?? null,
  };
  writeJson(stdout, { error: document });
  return exitStatusOf(error);
}

function reportedError(thrown: unknown): Error {
  if (!(thrown instanceof CommanderError)) return isError(thrown) ? thrown : new Error(String(thrown));
  return new UsageError(printableLine(thrown.message));
}

/** How an option of the SDK is given in a shell. */
const SHELL_NAMES: Readonly<Record<string, string>> = {
  apiKey: "ASYNC_MUSIC_API_KEY",
  baseUrl: "ASYNC_MUSIC_BASE_URL or --base-url",
  maxWaitMs: "--max-wait",
  journal: "--journal",
  path: "--journal",
  journalKey: "--key",
};

const EVIDENCE: Readonly<Record<sdk.Evidence, string>> = {
  created: "The account has one task more than before, so the task was probably created.",
  not_created: "The account has no more tasks than before, so the task was probably not created.",
  unclear:
    "The number of tasks is not conclusive: other tasks were created meanwhile, by other programs or by this one.",
};

const CHOOSE_PATH = "Choose another --out, or add --force.";

/** The message of an error, with advice for a shell instead of that for programs. `ifTaken`: what to do about a file that exists. */
export function shellMessage(error: Error, taskId: string | null, ifTaken = CHOOSE_PATH): string {
  if (!(error instanceof sdk.AsyncMusicError)) return error.message;
  return messageOf(shellParts(error, taskId, ifTaken), (name) => SHELL_NAMES[name] ?? `\`${name}\``);
}

/** The parts of an error for people and models that have no program: without the advice for one. */
export function shellParts(error: Error, taskId: string | null, ifTaken = CHOOSE_PATH): MessageParts {
  if (taskId === null && error instanceof sdk.SubmissionOutcomeUnknownError)
    return unknownOutcomeParts(error);
  const { advice = [], ...parts } =
    error instanceof sdk.CreditCeilingError ? ceilingParts(error) : partsOf(error);
  const choose = error.cause instanceof PathTaken ? [ifTaken] : [];
  return { ...parts, advice: [...advice, ...choose], codeAdvice: [] };
}

/** `batch` refuses all of its lines together. */
function ceilingParts({ credits, spentCredits, maxCredits }: sdk.CreditCeilingError): MessageParts {
  return {
    what: `The lines to order cost ${credits} credits, and --max-credits is ${maxCredits}`,
    facts: [
      ...(spentCredits > 0 ? [`Earlier orders of these lines count as ${spentCredits} credits.`] : []),
      NOTHING_SENT,
    ],
    advice: ["Raise --max-credits, or remove lines."],
  };
}

function unknownOutcomeParts(error: sdk.SubmissionOutcomeUnknownError): MessageParts {
  const { cause, evidence } = error;
  const nothingSent = "Nothing was sent now.";
  if (mayBeSending(error)) {
    const earlier = "An earlier run with this journal key may still be sending its request.";
    return {
      what: "It is not known yet whether a task was created and charged",
      facts: [earlier, nothingSent],
    };
  }
  const facts =
    cause instanceof Interrupted
      ? ["The command was interrupted before the response."]
      : isError(cause)
        ? [shellMessage(cause, null)]
        : ["An earlier run with this journal key received no response.", nothingSent];
  if (evidence !== null) facts.push(EVIDENCE[evidence]);
  return { what: "It is unknown whether a task was created and charged", facts };
}

/** Whether an earlier command may still be sending the request: this command sent nothing, and the next one may find the task. */
function mayBeSending({ cause, checkAgainAt }: sdk.SubmissionOutcomeUnknownError): boolean {
  return checkAgainAt !== null && cause === undefined;
}

/** Nothing continues after these. After the first three, the key of a journal still belongs to the task. */
const FINAL_WITH_TASK = [sdk.TaskFailedError, sdk.TaskTimedOutError, sdk.AudioExpiredError];
const FINAL = [...FINAL_WITH_TASK, sdk.InvalidRequestError];

/** Whether the service has said that the task does not exist: another 404 may be that of a gateway. */
function isUnknownTask(error: Error): boolean {
  return error instanceof sdk.TaskNotFoundError && error.errorCode === "task_not_found";
}

/** What to do next, as lines for a shell. */
function shellAdvice(error: Error, fault: TaskFault | null, command: string): readonly string[] {
  if (error instanceof BatchFileError)
    return error.mistakes.map(({ line, message: mistake }) => `  line ${line}: ${mistake}`);
  const journal = fault?.flags.journal;
  if (journal !== undefined && isOneOf(error, FINAL_WITH_TASK))
    return ["The --key belongs to this task permanently. To try again, use another --key."];
  if (fault !== null && fault.taskId !== null) {
    if (isOneOf(error, FINAL) || isUnknownTask(error)) return [];
    const { taskId, flags } = fault;
    const resume = (given: TaskFlags) => ["", `  ${resumeCommand(command, taskId, given)}`];
    if (error.cause instanceof PathTaken)
      return ["To replace the file with the result of the task:", ...resume({ ...flags, force: true })];
    const again = "Run the same command again to continue with the task, or:";
    return [journal === undefined ? "To continue with the task:" : again, ...resume(flags)];
  }
  if (error instanceof Interrupted && fault !== null) return ["This command created no task."];
  if (error instanceof sdk.InsufficientCreditsError)
    return [`To see your credits, run \`${command} balance\`.`];
  // `batch` has listed all orders with an unknown outcome.
  if (fault === null || !(error instanceof sdk.SubmissionOutcomeUnknownError)) return [];
  const { journalKey, requestId, checkAgainAt } = error;
  const until = checkAgainAt?.toISOString();
  if (mayBeSending(error))
    return [
      `Run the same command again at ${until} or later. Until then, running it again sends nothing.`,
      "Do not settle the journal key without a task before that time, to avoid a duplicate charge.",
    ];
  const isJournaled = journalKey !== null && journal !== undefined;
  const service = serviceFlag(fault.flags);
  const advice = [
    isJournaled
      ? "Running it again sends nothing. Before you settle the journal key, check whether the task exists:"
      : "Before you run it again, check whether the task exists, to avoid a duplicate charge:",
    "",
    `  ${command} usage${service}     counts the task, if it was created`,
    `  ${command} balance${service}   then shows its credits as frozen`,
    "",
    `The operator of the service may find the task by the request ID ${requestId}.`,
  ];
  if (!isJournaled) return advice;
  const settleFlags = { journal, baseUrl: fault.flags.baseUrl };
  const settle = (outcome: string) => `  ${settleCommand(command, journalKey, settleFlags, outcome)}`;
  const inFlight =
    until === undefined
      ? ":"
      : `. Run the second one at ${until} or later: until then, the request may still create a task.`;
  advice.push(
    `The journal key stays reserved until you record the outcome with one of these commands${inFlight}`,
    "",
  );
  return [...advice, settle("--task-id TASK_ID"), settle("--not-created")];
}

/** The warning about a created task that the journal could not record. */
export function unrecordedWarning(error: sdk.JournalError, flags: SettleFlags, command: string): string {
  const taskId = error.taskId ?? "";
  return [
    shellMessage(error, taskId),
    "Before you run it again, record the task, to avoid a duplicate charge:",
    "",
    `  ${settleCommand(command, error.journalKey, flags, `--task-id ${shellWord(taskId)}`)}`,
    "",
  ].join("\n");
}

/** What the command that settles an order needs: its journal, and the service that has its task. */
export interface SettleFlags extends Pick<ConnectionFlags, "baseUrl"> {
  journal: string;
}

export function settleCommand(command: string, key: string, given: SettleFlags, outcome: string): string {
  const flags = `--journal ${shellWord(given.journal)} ${outcome}${serviceFlag(given)}`;
  // A key that starts like a flag has to follow `--`.
  return key.startsWith("-")
    ? `${command} settle ${flags} -- ${shellWord(key)}`
    : `${command} settle ${shellWord(key)} ${flags}`;
}
