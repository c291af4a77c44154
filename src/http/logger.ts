import { printableLine } from "../contract/text.js";
import type { Emitter } from "./emitter.js";

/** How much is logged: everything from this level up, or nothing. */
export type LogLevel = "debug" | "info" | "warn" | "error" | "off";

/** Where lines are logged: `console`, pino, winston and others are such. No line ever holds the API key. */
export interface Logger {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}

/** From the lowest to none at all. */
export const LOG_LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error", "off"];

/** Whether a value is a level. */
export function isLogLevel(value: unknown): value is LogLevel {
  return LOG_LEVELS.some((level) => level === value);
}

/** How many different warnings a client logs at most: each is remembered, so that it is logged once. */
const MOST_WARNINGS = 100;

/** Logs a warning, once in the life of a client. No call fails if the logger throws. */
export type Warn = (message: string) => void;

export function createWarn(logger: Logger | undefined, lowest: LogLevel): Warn {
  const logged = new Set<string>();
  return (message) => {
    if (logger === undefined || !isLogged("warn", lowest)) return;
    if (logged.has(message) || logged.size >= MOST_WARNINGS) return;
    logged.add(message);
    const write = async () => logger.warn(printableLine(message));
    write().catch(() => {});
  };
}

function isLogged(level: LogLevel, lowest: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(lowest);
}

/** Writes a line for each event, from a level up. Lines quote the service: they hold no control or format characters. */
export function logEvents(emitter: Emitter, logger: Logger, lowest: LogLevel): void {
  if (isLogged("debug", lowest)) {
    const debug = (line: string, fields: object) => logger.debug(printableLine(line), fields);
    emitter.on("attempt", (event) => debug(`sends ${event.method} ${event.url}`, event));
    emitter.on("answer", (event) =>
      debug(
        `${event.status ?? "no answer"} after ${Math.round(event.durationMs)} ms to ${event.method} ${event.url}`,
        event,
      ),
    );
    emitter.on("wait", (event) =>
      debug(`waited ${Math.round(event.waitedMs)} ms for the rate limit, to ${event.purpose}`, event),
    );
  }
  if (isLogged("info", lowest)) {
    emitter.on("task", ({ task }) => {
      const task_id = printableLine(task.task_id);
      const status = printableLine(task.status);
      const progress = printableLine(String(task.output?.progress ?? ""));
      return logger.info(`task ${task_id} is ${status}${progress === "" ? "" : `, ${progress}`}`, {
        task_id,
        status,
        progress: progress === "" ? null : progress,
      });
    });
  }
  if (isLogged("warn", lowest)) {
    emitter.on("retry", (event) =>
      logger.warn(
        printableLine(
          `${messageOf(event.error)} Retry ${event.retry} follows in ${Math.round(event.waitMs)} ms.`,
        ),
        event,
      ),
    );
    emitter.on("pause", ({ until, forMs }) =>
      logger.warn(`the service limits this key: nothing is sent until ${until.toISOString()}`, { forMs }),
    );
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
