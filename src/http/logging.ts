import { printableLine } from "../contract/text.js";
import { messageOfThrown } from "../contract/thrown.js";
import type { ClientEvents, Emitter, PauseEvent, SubmissionEvent, TaskEvent } from "./events.js";

/** The lowest level that is logged; `off` logs nothing. */
export type LogLevel = "debug" | "info" | "warn" | "error" | "off";

/**
 * A logger, such as `console` or winston: each method receives the message, and then the fields. A logger that expects the fields first,
 * such as pino, needs a wrapper that swaps the two arguments. No line contains the API key.
 */
export interface Logger {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}

export const LOG_LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error", "off"];

/** How many different warnings a client logs at most: each is remembered, to log it once. */
const MOST_WARNINGS = 100;

/** Logs a warning, once per client. What the logger throws is ignored. */
export type Warn = (message: string) => void;

export function createWarn(logger: Pick<Logger, "warn">, lowest: LogLevel): Warn | undefined {
  if (!isLogged("warn", lowest)) return undefined;
  const logged = new Set<string>();
  return (message) => {
    if (logged.has(message) || logged.size >= MOST_WARNINGS) return;
    logged.add(message);
    const write = async () => logger.warn(printableLine(message));
    write().catch(() => {});
  };
}

/** Logs an error that a person must resolve. What the logger throws is ignored. */
export type LogError = (message: string) => void;

export function createLogError(logger: Pick<Logger, "error"> | undefined, lowest: LogLevel): LogError {
  return (message) => {
    const write = async () => logger?.error(printableLine(message));
    if (isLogged("error", lowest)) write().catch(() => {});
  };
}

function isLogged(level: LogLevel, lowest: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(lowest);
}

/** Logs each event, from a level up. Lines quote the service, without control and format characters. */
export function logEvents(
  emitter: Emitter,
  logger: Logger,
  lowest: LogLevel,
  redact: (text: string) => string,
): void {
  const log = <Name extends keyof ClientEvents>(
    level: "debug" | "info" | "warn",
    name: Name,
    lineOf: (event: ClientEvents[Name]) => string,
    fieldsOf: (event: ClientEvents[Name]) => object = (event) => event,
  ) => {
    if (isLogged(level, lowest))
      emitter.on(name, (event) => logger[level](printableLine(lineOf(event)), fieldsOf(event)));
  };
  const ms = Math.round;
  log("debug", "attempt", ({ method, url }) => `sends ${method} ${url}`);
  log("debug", "response", ({ status, durationMs, method, url }) => {
    return `${status ?? "no response"} after ${ms(durationMs)} ms to ${method} ${url}`;
  });
  log(
    "debug",
    "wait",
    ({ waitedMs, purpose }) => `waited ${ms(waitedMs)} ms for the rate limit, to ${purpose}`,
  );
  const ended = {
    created: "created task",
    not_created: "created no task",
    unknown: "may have created a task",
  };
  const summaryOf = ({ error, ...fields }: SubmissionEvent) => {
    // The reason of an abort may contain anything.
    return { ...fields, error: error === null ? null : printableLine(redact(messageOfThrown(error))) };
  };
  const submissionLine = ({ outcome, taskId }: SubmissionEvent) => `${ended[outcome]} ${taskId ?? ""}`.trim();
  log("info", "submission", submissionLine, summaryOf);
  const taskFields = ({ task }: TaskEvent) => ({
    task_id: printableLine(task.task_id),
    status: printableLine(task.status),
    progress: printableLine(String(task.output?.progress ?? "")) || null,
  });
  const taskLine = (event: TaskEvent) => {
    const { task_id, status, progress } = taskFields(event);
    return `task ${task_id} is ${status}${progress === null ? "" : `, ${progress}`}`;
  };
  log("info", "task", taskLine, taskFields);
  log("warn", "retry", ({ error, retry, waitMs }) => {
    const reason = messageOfThrown(error);
    return `${reason} Retry ${retry} follows in ${ms(waitMs)} ms.`;
  });
  const pauseLine = ({ until }: PauseEvent) =>
    `rate limited: nothing is sent with this key until ${until.toISOString()}`;
  log("warn", "pause", pauseLine, ({ forMs }) => ({ forMs }));
}
