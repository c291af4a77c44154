import { textOf } from "../contract/message.js";
import { isError } from "../contract/thrown.js";
import { AsyncMusicError, partsOf } from "../errors/base.js";

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

export function createTrace(tracer: Tracer | undefined, redact: (text: string) => string): Trace {
  if (tracer === undefined) return (_name, _attributes, work) => work();
  return (name, given, work) => {
    // In JavaScript a request or a task ID may be anything, and contain the API key.
    const safe = Object.entries(given).map(([key, value]) => [key, redact(String(value))]);
    const attributes: SpanAttributes = Object.fromEntries(safe);
    return inSpan(tracer, `async-music ${name}`, { attributes }, work, {
      failure: (span, error) => noteFailure(span, error, redact),
    });
  };
}

/** What a span records of the end of its work. */
interface Notes<Result> {
  result?(span: Span, result: Result): void;
  failure(span: Span, error: unknown): void;
}

/**
 * Runs work within a span. Errors of the tracer are ignored, so that no task is lost. The work runs exactly once, even if the
 * tracer calls it later, several times or never.
 */
export function inSpan<Result>(
  tracer: Tracer,
  name: string,
  options: { attributes: SpanAttributes },
  work: () => Promise<Result>,
  notes: Notes<Result>,
): Promise<Result> {
  let result: Promise<Result> | undefined;
  const once = () => {
    result ??= work();
    return result;
  };
  // Ends the span before the caller continues, which may flush the exporter.
  const end = (span: Span, note: () => void) => {
    try {
      note();
    } finally {
      span.end();
    }
  };
  const within = (span: Span) =>
    once().then(
      (value) => end(span, () => notes.result?.(span, value)),
      (error: unknown) => end(span, () => notes.failure(span, error)),
    );
  const open = async () => tracer.startActiveSpan(name, options, (span) => within(span).catch(() => {}));
  open().catch(() => {});
  return once();
}

/**
 * Yields the values of an iterable, within a span that lasts until the iteration ends or the caller stops it. The iterable runs in
 * the context of the span, and not in that of the code that requests the next value.
 */
export async function* traceEach<Value>(
  trace: Trace,
  name: string,
  attributes: SpanAttributes,
  iterate: () => AsyncIterable<Value>,
): AsyncGenerator<Value, void, void> {
  type Step = { value: Value } | null;
  let deliver = (_step: Step) => {};
  let resume = (_isStopped: boolean) => {};
  const iteration = async () => {
    for await (const value of iterate()) {
      const request = new Promise<boolean>((resolve) => {
        resume = resolve;
      });
      deliver({ value });
      if (await request) return;
    }
  };
  const ended = trace(name, attributes, iteration).finally(() => deliver(null));
  try {
    for (;;) {
      const step = await new Promise<Step>((resolve) => {
        deliver = resolve;
        resume(false);
      });
      if (step === null) return;
      yield step.value;
    }
  } finally {
    resume(true);
    // Throws the error of the iteration.
    await ended;
  }
}

/**
 * Of an error of this package, what happened is recorded, and not why: a text of the service may quote the prompt. For any other
 * error, only the name is recorded.
 */
function noteFailure(span: Span, error: unknown, redact: (text: string) => string): void {
  span.setAttribute("error.type", isError(error) ? redact(String(error.name)) : typeof error);
  if (!(error instanceof AsyncMusicError)) return void span.setStatus({ code: ERROR_STATUS });
  const errorCode: unknown = Reflect.get(error, "errorCode");
  if (typeof errorCode === "string") span.setAttribute("async_music.error_code", errorCode);
  const { name } = error;
  const message = textOf(partsOf(error).what);
  span.setStatus({ code: ERROR_STATUS, message });
  span.recordException({ name, message });
}
