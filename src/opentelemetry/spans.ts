import { context, propagation, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { Fetch } from "../contract/fetch.js";
import { HEADERS, isTaskType, type TaskType } from "../contract/service.js";
import { isError } from "../contract/thrown.js";
import { checkOptions, flagRule } from "../errors/options.js";
import type { Redactor } from "../errors/redactor.js";
import { byteStream } from "../http/byte-stream.js";
import { withoutSecrets } from "../http/shown-url.js";
import { inSpan, type Span, type SpanAttributes, type Tracer } from "../http/tracing.js";
import { type ClientOptions, checkClientOptions } from "../options.js";
import { serverAttributes, templateOf } from "./http-attributes.js";

/** Which spans a client makes besides one per call. */
export interface OpenTelemetryOptions {
  /**
   * Make a span for each HTTP attempt, and send the trace context (`traceparent`) to the service with the registered
   * propagator. Set it to `false` if an instrumentation of `fetch` already does both.
   *
   * @defaultValue true
   */
  http?: boolean | undefined;
  /**
   * Name the span of a song or lyrics `generate_content …`, and add `gen_ai.*` attributes. These conventions are
   * experimental: names may change in a minor version. No attribute contains a prompt or lyrics.
   *
   * @defaultValue false
   */
  genAi?: boolean | undefined;
}

/**
 * Returns the options of a client that traces its calls. Its tracer is the option `tracer`; by default
 * `trace.getTracer("async-music")` of `@opentelemetry/api`. Errors of the tracer are ignored. No span contains the API key.
 *
 * @throws `InvalidOptionError` an option is missing or out of range, as by `new AsyncMusic`
 *
 * @example
 * ```ts
 * import { AsyncMusic } from "async-music";
 * import { withOpenTelemetry } from "async-music/opentelemetry";
 *
 * const client = new AsyncMusic(withOpenTelemetry({ apiKey, baseUrl }, { genAi: true }));
 * ```
 */
export function withOpenTelemetry(
  options: ClientOptions = {},
  telemetry: OpenTelemetryOptions = {},
): ClientOptions {
  const { redactor, ...checked } = checkClientOptions(options);
  const rules = { http: flagRule, genAi: flagRule };
  const { http = true, genAi = false } = checkOptions(telemetry, rules, redactor);
  const tracer = checked.tracer ?? trace.getTracer("async-music");
  return {
    ...checked,
    dangerouslyAllowBrowser: options.dangerouslyAllowBrowser,
    tracer: genAi ? genAiTracer(tracer, new URL(checked.baseUrl)) : tracer,
    fetch: http ? tracedFetch(tracer, checked.fetch, redactor) : checked.fetch,
  };
}

/** A `fetch` that makes a span for each request. */
function tracedFetch(tracer: Tracer, fetch: Fetch | undefined, redactor: Redactor): Fetch {
  /** The last request within the span of a call that has not succeeded: the attempts of one call share its ID. */
  const lastRequests = new WeakMap<object, { id: string; resendCount: number }>();
  const countResends = (call: object, id: string) => {
    const last = lastRequests.get(call);
    const resendCount = last?.id === id ? last.resendCount + 1 : 0;
    lastRequests.set(call, { id, resendCount });
    return resendCount;
  };

  // With one parameter, so that the SDK passes a `Request` that contains everything, its signal included.
  return (input) => {
    const send = () => (fetch ?? globalThis.fetch)(input);
    if (!(input instanceof Request)) return send();
    const { method, headers, signal } = input;
    const url = new URL(input.url);
    const requestId = headers.get(HEADERS.requestId);
    const call = trace.getActiveSpan();
    const resendCount = call === undefined ? 0 : countResends(call, requestId ?? input.url);
    // The SDK sends the key to the service only, and the trace context must not reach other hosts either.
    const isService = headers.has(HEADERS.apiKey);
    const template = isService ? templateOf(url) : null;
    const attributes = {
      "http.request.method": method,
      ...serverAttributes(url),
      // A `Request` has no user name and no password in its URL.
      "url.full": redactor.text(withoutSecrets(url)),
      ...(template !== null && { "url.template": template }),
      ...(requestId !== null && { "async_music.request_id": redactor.text(requestId) }),
      ...(resendCount > 0 && { "http.request.resend_count": resendCount }),
    };
    const name = template === null ? method : `${method} ${template}`;
    return new Promise((resolve, reject) => {
      let received: Response | undefined;
      // The span begins before the request is sent, so that the trace context names it. The span of a request to the service ends
      // with the body, which the SDK reads to its end or cancels.
      const sendInContext = async () => {
        if (isService) quietly(() => addTraceContext(headers));
        received = await Promise.race([cancelingLate(send, signal), abortOf(signal)]);
        const body = isService ? watchBody(received, signal) : null;
        // A new `Response` would refuse a status or a reason phrase that only `fetch` itself accepts.
        if (body !== null) Object.defineProperty(received, "body", { value: body.stream });
        resolve(received);
        await body?.ended;
        // The next poll of a wait is no resend, although it may have the same ID.
        if (call !== undefined && isService && received.ok) lastRequests.delete(call);
      };
      const notes = {
        result: (span: Span) => noteResponse(span, received),
        failure: (span: Span, error: unknown) => noteFailure(span, received, error, redactor),
      };
      const options = { kind: SpanKind.CLIENT, attributes };
      inSpan(tracer, name, options, sendInContext, notes).catch(reject);
    });
  };
}

/** A body, and a promise that settles when it ends. `null`: it is not watched. A custom `fetch` may return anything. */
function watchBody(response: Response, signal: AbortSignal) {
  if (!(response instanceof Response) || response.body === null || response.body.locked) return null;
  const reader = response.body.getReader();
  let end = (_error?: unknown) => {};
  const ended = new Promise<void>((resolve, reject) => {
    end = (error) => (error === undefined ? resolve() : reject(error));
  });
  const stream = byteStream({
    async pull(to) {
      try {
        const { done, value } = await reader.read();
        if (!done) return to.enqueue(value);
        end();
        to.close();
      } catch (error) {
        end(error);
        throw error;
      }
    },
    cancel(reason) {
      // The SDK refuses a response, and the reason names why, or the body is none of bytes.
      end(signal.aborted ? signal.reason : Object.assign(new Error(), { name: String(reason ?? "_OTHER") }));
      return reader.cancel(reason);
    },
  });
  return { stream, ended };
}

/** Cancels the response of a custom `fetch` that ignores its signal, if it is late. */
async function cancelingLate(send: () => Promise<Response>, signal: AbortSignal): Promise<Response> {
  const response = await send();
  if (signal.aborted) quietly(() => void response.body?.cancel().catch(() => {}));
  return response;
}

/** Rejects when a signal is aborted. */
function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** Notes a complete response. A custom `fetch` may return anything. */
function noteResponse(span: Span, response: Response | undefined): void {
  if (response === undefined) return;
  span.setAttribute("http.response.status_code", response.status);
  if (response.status >= 400) fail(span, String(response.status));
}

/** Notes that no response came, or no complete one. */
function noteFailure(span: Span, response: Response | undefined, error: unknown, redactor: Redactor): void {
  noteResponse(span, response);
  if (response !== undefined && response.status >= 400) return;
  fail(span, isError(error) ? redactor.text(String(error.name)) : typeof error);
}

function fail(span: Span, type: string): void {
  span.setAttribute("error.type", type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Baggage may hold data about the application's users, and stays here. What the request states already is not replaced. */
function addTraceContext(headers: Headers): void {
  propagation.inject(propagation.deleteBaggage(context.active()), headers, {
    set: (carrier, name, value) => {
      if (!carrier.has(name)) carrier.set(name, value);
    },
  });
}

/** What a generative model makes for a task, by its type; `null` if no such model makes it. */
const OUTPUT_TYPES: Readonly<Record<TaskType, string | null>> = {
  music: "music",
  lyrics: "text",
  upload: null,
  concat: null,
};

/** A tracer that turns the span of a generation into one of generative AI. */
function genAiTracer(tracer: Tracer, baseUrl: URL): Tracer {
  const generations = new WeakSet<object>();
  return {
    startActiveSpan<Work extends (span: Span) => unknown>(
      name: string,
      options: { attributes?: SpanAttributes },
      work: Work,
    ): ReturnType<Work> {
      const {
        "async_music.model": model,
        "async_music.task_type": taskType,
        "async_music.task_id": taskId,
      } = options.attributes ?? {};
      const caller = trace.getActiveSpan();
      const isPart = caller !== undefined && generations.has(caller);
      if (isPart && taskId !== undefined) caller.setAttribute("gen_ai.response.id", taskId);
      const outputType = isTaskType(taskType) ? OUTPUT_TYPES[taskType] : null;
      if (isPart || model === undefined || outputType === null)
        return tracer.startActiveSpan(name, options, work);

      const attributes = {
        ...options.attributes,
        ...serverAttributes(baseUrl),
        "gen_ai.operation.name": "generate_content",
        "gen_ai.provider.name": "async_music",
        "gen_ai.request.model": model,
        "gen_ai.output.type": outputType,
      };
      const within = (span: Span) => {
        generations.add(span);
        return work(span) as ReturnType<Work>;
      };
      const generation = { ...options, kind: SpanKind.CLIENT, attributes };
      return tracer.startActiveSpan(`generate_content ${model}`, generation, within);
    },
  };
}

function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // Tracing must not fail a call.
  }
}
