import { AsyncMusicError } from "../errors/base.js";

/** What a span says of itself. */
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

/** Does a piece of work within a span of its own, where there is a tracer. */
export type Trace = <Result>(
  name: string,
  attributes: SpanAttributes,
  work: () => Promise<Result>,
) => Promise<Result>;

/** `SpanStatusCode.ERROR` of OpenTelemetry. */
const ERROR_STATUS = 2;

/**
 * No call fails of what a tracer throws: a task that is paid for must not be lost with its span. And none is made twice,
 * whenever and however often a tracer begins the work.
 */
export function createTrace(tracer: Tracer | undefined, redact: (text: string) => string): Trace {
  if (tracer === undefined) return (_name, _attributes, work) => work();
  return <Result>(name: string, attributes: SpanAttributes, work: () => Promise<Result>) => {
    let result: Promise<Result> | undefined;
    const once = () => {
      result ??= work();
      return result;
    };
    const open = async () =>
      tracer.startActiveSpan(`async-music ${name}`, { attributes }, (span) =>
        within(span, once, redact).catch(() => {}),
      );
    open().catch(() => {});
    return once();
  };
}

async function within(
  span: Span,
  work: () => Promise<unknown>,
  redact: (text: string) => string,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    noteFailure(span, error, redact);
  } finally {
    span.end();
  }
}

/** Yields what an iteration yields, within a span that lasts until it ends or is left. */
export async function* traceEach<Value>(
  trace: Trace,
  name: string,
  attributes: SpanAttributes,
  values: AsyncIterable<Value>,
): AsyncGenerator<Value, void, void> {
  let end = (_failure?: Promise<never>) => {};
  const iteration = () =>
    new Promise<void>((resolve) => {
      end = resolve;
    });
  trace(name, attributes, iteration).catch(() => {});
  try {
    yield* values;
  } catch (error) {
    end(Promise.reject(error));
    throw error;
  } finally {
    end();
  }
}

/** The package's own errors never hold the key; of any other only the name is recorded. */
function noteFailure(span: Span, error: unknown, redact: (text: string) => string): void {
  const isOurs = error instanceof AsyncMusicError;
  span.setAttribute("error.type", error instanceof Error ? redact(String(error.name)) : typeof error);
  span.setStatus({ code: ERROR_STATUS, ...(isOurs ? { message: error.message } : {}) });
  if (isOurs) span.recordException(error);
}
