import type { Task } from "../contract/task.js";
import { printableLine } from "../contract/text.js";
import { AsyncMusicError, shown, wrongValue } from "../errors/base.js";

/** Called with each event of one kind. What it throws, or rejects with, is ignored. */
export type Listener<Name extends keyof ClientEvents> = (event: ClientEvents[Name]) => void;

export interface Emitter {
  /** Adds a listener; returns a function that removes it. */
  on<Name extends keyof ClientEvents>(name: Name, listener: Listener<Name>): () => void;
  /** Makes an event and emits it, if there are listeners. */
  emit<Name extends keyof ClientEvents>(name: Name, event: () => ClientEvents[Name]): void;
}

const EVENTS: readonly (keyof ClientEvents)[] = ["attempt", "answer", "wait", "retry", "pause", "task"];

export function createEmitter(): Emitter {
  const listeners = new Map<string, Set<(event: never) => unknown>>(EVENTS.map((name) => [name, new Set()]));
  return {
    on(name, listener) {
      const added = listeners.get(name);
      if (added === undefined) throw wrongValue("name", `be one of ${EVENTS.join(", ")}`, shown(name));
      if (typeof listener !== "function") throw wrongValue("listener", "be a function", shown(listener));
      added.add(listener);
      return () => void added.delete(listener);
    },
    emit(name, make) {
      const called = listeners.get(name);
      if (!called?.size) return;
      const event = make();
      // A listener may be async: an unhandled rejection would end the process.
      for (const listener of [...called]) (async () => listener(event as never))().catch(() => {});
    },
  };
}

/** One HTTP attempt. */
export interface AttemptEvent {
  /** The `X-Request-Id`, which the attempts of one call share. Audio has none. */
  requestId: string | null;
  method: "GET" | "POST";
  url: string;
  /** The task that is read; `null` for every other request. */
  taskId: string | null;
}

/** The result of an attempt. */
export interface AnswerEvent extends AttemptEvent {
  /** The HTTP status; `null` without a response. */
  status: number | null;
  /** How long it took by the client's clock, in milliseconds. */
  durationMs: number;
  /** Requests left in the key's current window (`X-RateLimit-Remaining`); `null` if the response did not state it. */
  remaining: number | null;
}

/** Emitted when a request is sent that the rate limit delayed by 50 ms or longer. */
export interface WaitEvent extends Omit<AttemptEvent, "requestId" | "method" | "url"> {
  /** The purpose of the request, such as `read task …`. */
  purpose: string;
  /** How long it waited, in milliseconds. */
  waitedMs: number;
}

/** Emitted before a failed call is retried, or a task is polled again after a failed read. */
export interface RetryEvent {
  /** The number of the retry, from 1. For a task it restarts after each successful read. */
  retry: number;
  /** The wait before it, in milliseconds. The rate limit may lengthen it. */
  waitMs: number;
  /** Why the last attempt failed. */
  error: unknown;
}

/** Emitted after a 429: nothing is sent with this key until `until`. */
export interface PauseEvent {
  /** The length of the pause in milliseconds. */
  forMs: number;
  until: Date;
}

/** Emitted when a wait or a watch receives a change of a task. */
export interface TaskEvent {
  task: Task;
}

/** The events of a client, by the name for `client.on`. */
export interface ClientEvents {
  attempt: AttemptEvent;
  answer: AnswerEvent;
  wait: WaitEvent;
  retry: RetryEvent;
  pause: PauseEvent;
  task: TaskEvent;
}

/** The lowest level that is logged; `off` logs nothing. */
export type LogLevel = "debug" | "info" | "warn" | "error" | "off";

/** A logger, such as `console`, pino or winston. No line contains the API key. */
export interface Logger {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}

export const LOG_LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error", "off"];

export function isLogLevel(value: unknown): value is LogLevel {
  return LOG_LEVELS.some((level) => level === value);
}

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
export function logEvents(emitter: Emitter, logger: Logger, lowest: LogLevel): void {
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
  log("debug", "answer", ({ status, durationMs, method, url }) => {
    return `${status ?? "no response"} after ${ms(durationMs)} ms to ${method} ${url}`;
  });
  log(
    "debug",
    "wait",
    ({ waitedMs, purpose }) => `waited ${ms(waitedMs)} ms for the rate limit, to ${purpose}`,
  );
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
    const reason = error instanceof Error ? error.message : String(error);
    return `${reason} Retry ${retry} follows in ${ms(waitMs)} ms.`;
  });
  const pauseLine = ({ until }: PauseEvent) =>
    `rate limited: nothing is sent with this key until ${until.toISOString()}`;
  log("warn", "pause", pauseLine, ({ forMs }) => ({ forMs }));
}

/** The attributes of a span. */
export type SpanAttributes = Record<string, string | number | boolean>;

/** The part of OpenTelemetry's `Span` that is used. */
export interface Span {
  setAttribute(name: string, value: string | number | boolean): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  recordException(error: Error): void;
  end(): void;
}

/** The part of OpenTelemetry's `Tracer` that is used: `trace.getTracer(…)` of `@opentelemetry/api` is one. */
export interface Tracer {
  startActiveSpan<Work extends (span: Span) => unknown>(
    name: string,
    options: { attributes?: SpanAttributes },
    work: Work,
  ): ReturnType<Work>;
}

/** Runs work within a span, if there is a tracer. */
export type Trace = <Result>(
  name: string,
  attributes: SpanAttributes,
  work: () => Promise<Result>,
) => Promise<Result>;

const ERROR_STATUS = 2;

/**
 * Errors of the tracer are ignored, so that no task is lost. The work runs exactly once, even if the tracer calls it later,
 * several times or never.
 */
export function createTrace(tracer: Tracer | undefined, redact: (text: string) => string): Trace {
  if (tracer === undefined) return (_name, _attributes, work) => work();
  return <Result>(name: string, given: SpanAttributes, work: () => Promise<Result>) => {
    // In JavaScript a request or a task id may be anything, and contain the API key.
    const safe = Object.entries(given).map(([key, value]) => [key, redact(String(value))]);
    const attributes: SpanAttributes = Object.fromEntries(safe);
    let result: Promise<Result> | undefined;
    const once = () => {
      result ??= work();
      return result;
    };
    const within = async (span: Span) => {
      try {
        await once();
      } catch (error) {
        noteFailure(span, error, redact);
      } finally {
        span.end();
      }
    };
    const open = async () =>
      tracer.startActiveSpan(`async-music ${name}`, { attributes }, (span) => within(span).catch(() => {}));
    open().catch(() => {});
    return once();
  };
}

/** Yields the values of an iterable, within a span that lasts until the iteration ends or the caller stops it. */
export async function* traceEach<Value>(
  trace: Trace,
  name: string,
  attributes: SpanAttributes,
  iterate: () => AsyncIterable<Value>,
): AsyncGenerator<Value, void, void> {
  let end = (_failure?: Promise<never>) => {};
  const iteration = () =>
    new Promise<void>((resolve) => {
      end = resolve;
    });
  trace(name, attributes, iteration).catch(() => {});
  try {
    yield* iterate();
  } catch (error) {
    end(Promise.reject(error));
    throw error;
  } finally {
    end();
  }
}

/** Errors of this package never contain the key. For any other error, only the name is recorded. */
function noteFailure(span: Span, error: unknown, redact: (text: string) => string): void {
  const isOurs = error instanceof AsyncMusicError;
  span.setAttribute("error.type", error instanceof Error ? redact(String(error.name)) : typeof error);
  span.setStatus({ code: ERROR_STATUS, ...(isOurs ? { message: error.message } : {}) });
  if (isOurs) span.recordException(error);
}
