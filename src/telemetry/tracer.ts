import { AsyncMusicError } from "../errors/async-music-error.js";

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

/** What takes the API key out of what a span is told. */
export interface Redaction {
  text(value: string): string;
  cause(value: unknown): unknown;
}

/** `SpanStatusCode.ERROR` of OpenTelemetry. */
const ERROR_STATUS = 2;

/**
 * No call fails of what a tracer throws: a task that is paid for must not be lost with its span. And none is made twice,
 * whenever and however often a tracer begins the work.
 */
export function createTrace(tracer: Tracer | undefined, redaction: Redaction): Trace {
  if (tracer === undefined) return (_name, _attributes, work) => work();
  return <Result>(name: string, attributes: SpanAttributes, work: () => Promise<Result>) => {
    let result: Promise<Result> | undefined;
    const once = () => {
      result ??= work();
      return result;
    };
    const open = async () =>
      tracer.startActiveSpan(
        `async-music ${name}`,
        { attributes: withoutKey(attributes, redaction) },
        (span) => within(span, once, redaction).catch(() => {}),
      );
    open().catch(() => {});
    return once();
  };
}

/** What a caller gives may be the key in a wrong place, also where it is refused. */
function withoutKey(attributes: SpanAttributes, { text }: Redaction): SpanAttributes {
  const entries = Object.entries(attributes);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === "string" ? text(value) : value]),
  );
}

async function within(span: Span, work: () => Promise<unknown>, redaction: Redaction): Promise<void> {
  try {
    await work();
  } catch (error) {
    noteFailure(span, error instanceof AsyncMusicError ? error : redaction.cause(error));
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

/** Our own errors never hold the key; what else may be thrown comes without it. */
function noteFailure(span: Span, error: unknown): void {
  const isError = error instanceof Error;
  span.setAttribute("error.type", isError ? error.name : typeof error);
  span.setStatus({ code: ERROR_STATUS, ...(isError ? { message: error.message } : {}) });
  if (isError) span.recordException(error);
}
