import { context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import type { Tracer } from "async-music";

/** A provider of OpenTelemetry itself, whose spans have the parents of their context, and the spans that have ended. */
export function createSpans() {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  context.disable();
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  return { provider, spans: () => exporter.getFinishedSpans() };
}

/** A tracer that records nothing. `onCall` receives the name of each method that is called, and may throw. */
export function createTracerDouble(onCall: (method: string) => void = () => {}) {
  const methods = ["end", "setAttribute", "setStatus", "recordException"];
  const span = Object.fromEntries(methods.map((name) => [name, () => onCall(name)]));
  const startActiveSpan = (_name: string, _options: object, work: (its: unknown) => unknown) => {
    onCall("startActiveSpan");
    return work(span);
  };
  return { startActiveSpan } as Tracer;
}

/** Throws when the method of this name is called. */
export const failIn = (broken: string) => (method: string) => {
  if (method === broken) throw new Error("the exporter is full");
};
