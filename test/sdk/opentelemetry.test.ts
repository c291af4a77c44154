import {
  context,
  propagation,
  SpanKind,
  SpanStatusCode,
  type TextMapPropagator,
  trace,
} from "@opentelemetry/api";
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from "@opentelemetry/core";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";
import * as semconv from "@opentelemetry/semantic-conventions/incubating";
import {
  AsyncMusic,
  AsyncMusicError,
  type ClientOptions,
  InvalidOptionError,
  RequestTimeoutError,
  type Tracer,
} from "async-music";
import { createEmulator } from "async-music/emulator";
import { type OpenTelemetryOptions, withOpenTelemetry } from "async-music/opentelemetry";
import { afterEach, assert, expect, test, vi } from "vitest";
import { aborted } from "../support/aborted.js";
import { all, held } from "../support/collect.js";
import { rejection } from "../support/rejection.js";
import {
  accepted,
  balance,
  done,
  failed,
  limited,
  lost,
  ok,
  refusal,
  running,
  SONG_REQUEST,
  serve,
  TASK_ID,
} from "../support/responses.js";
import { createTimeLimit } from "../support/time-limit.js";
import { createSpans, createTracerDouble, failIn } from "../support/tracing.js";
import { type Answerer, API_KEY, BASE_URL, createWorld, inTurn } from "../support/world.js";
import { brokenAfter } from "./audio/support.js";

// The spans of `withOpenTelemetry`, made by OpenTelemetry's own SDK and checked against its list of names.

const PROMPT = SONG_REQUEST.input.gpt_description_prompt;

const SERVER = {
  [semconv.ATTR_SERVER_ADDRESS]: "music.example",
  [semconv.ATTR_SERVER_PORT]: 443,
};

afterEach(unregister);

function unregister() {
  vi.unstubAllGlobals();
  context.disable();
  propagation.disable();
  trace.disable();
}

/** Registers OpenTelemetry as an application does. */
function register() {
  unregister();
  const { provider, spans } = createSpans();
  trace.setGlobalTracerProvider(provider);
  const propagators = [new W3CTraceContextPropagator(), new W3CBaggagePropagator()];
  propagation.setGlobalPropagator(new CompositePropagator({ propagators }));
  return spans;
}

/** Replaces the registered propagator. */
function injectBy(inject: TextMapPropagator["inject"]): void {
  propagation.disable();
  propagation.setGlobalPropagator({ inject, extract: (given) => given, fields: () => [] });
}

function createTracedWorld(answer: Answerer, telemetry?: OpenTelemetryOptions, options?: ClientOptions) {
  const spans = register();
  const prepare = (given: ClientOptions) => withOpenTelemetry({ ...given, ...options }, telemetry);
  const world = createWorld(answer, {}, prepare);
  const named = (name: string) => spans().filter((span) => span.name === name);
  return { ...world, spans, named };
}

const parentOf = (span: ReadableSpan | undefined) => span?.parentSpanContext?.spanId;
const idOf = (span: ReadableSpan | undefined) => span?.spanContext().spanId;
const traceparentOf = (span: ReadableSpan | undefined) =>
  `00-${span?.spanContext().traceId}-${idOf(span)}-01`;
const shown = (spans: readonly ReadableSpan[]) =>
  JSON.stringify(spans.map(({ name, attributes, status, events }) => [name, attributes, status, events]));

test("each attempt is an HTTP span of its call, with the names of the stable conventions", async () => {
  const { client, spans } = createTracedWorld(() => balance());
  await client.account.balance({ requestId: "my-request" });
  const [http, call] = spans();
  expect([call?.name, call?.kind]).toEqual(["async-music read the balance", SpanKind.INTERNAL]);
  expect([http?.name, http?.kind]).toEqual(["GET /api/v1/account/balance", SpanKind.CLIENT]);
  expect(parentOf(http)).toBe(idOf(call));
  expect(http?.attributes).toEqual({
    ...SERVER,
    [semconv.ATTR_HTTP_REQUEST_METHOD]: "GET",
    [semconv.ATTR_URL_FULL]: `${BASE_URL}/api/v1/account/balance`,
    [semconv.ATTR_URL_TEMPLATE]: "/api/v1/account/balance",
    [semconv.ATTR_HTTP_RESPONSE_STATUS_CODE]: 200,
    "async_music.request_id": "my-request",
  });
  expect(http?.status).toEqual({ code: SpanStatusCode.UNSET });
});

test("the name of a poll's span does not contain the task ID", async () => {
  const { client, named } = createTracedWorld(inTurn(accepted(), done));
  await client.tasks.run(SONG_REQUEST);
  const names = ["POST /api/v1/task", "GET /api/v1/task/{taskId}"];
  const calls = ["create", "wait for", "run"].map((verb) => `async-music ${verb} a task`);
  const [post, poll, create, wait, run] = [...names, ...calls].map((name) => named(name)[0]);
  expect([post, poll, create, wait].map(parentOf)).toEqual([create, wait, run, run].map(idOf));
  expect(poll?.attributes[semconv.ATTR_URL_FULL]).toBe(`${BASE_URL}/api/v1/task/${TASK_ID}`);
  expect(poll?.attributes[semconv.ATTR_URL_TEMPLATE]).toBe("/api/v1/task/{taskId}");
});

test("an attempt that failed is an error; those after it count the resends of this call only", async () => {
  const answers = inTurn(refusal(503, "internal_error"), lost, balance(), balance());
  const { client, named } = createTracedWorld(answers);
  await client.account.balance();
  await client.account.balance();
  const attempts = named("GET /api/v1/account/balance");
  const fields = attempts.map(({ attributes, status }) => [
    status.code === SpanStatusCode.ERROR,
    attributes[semconv.ATTR_HTTP_RESPONSE_STATUS_CODE],
    attributes[semconv.ATTR_ERROR_TYPE],
    attributes[semconv.ATTR_HTTP_REQUEST_RESEND_COUNT],
  ]);
  expect(fields).toEqual([
    [true, 503, "503", undefined],
    [true, undefined, "TypeError", 1],
    [false, 200, undefined, 2],
    [false, 200, undefined, undefined],
  ]);
});

test("two polls of one wait are no resends, and a create after a 429 is", async () => {
  const { client, named } = createTracedWorld(
    inTurn(limited(1), accepted(), running, done),
    {},
    // The requests of a world have equal ids otherwise.
    { random: undefined },
  );
  await client.tasks.run(SONG_REQUEST);
  const resends = (name: string) =>
    named(name).map(({ attributes }) => attributes[semconv.ATTR_HTTP_REQUEST_RESEND_COUNT]);
  expect(resends("POST /api/v1/task")).toEqual([undefined, 1]);
  expect(resends("GET /api/v1/task/{taskId}")).toEqual([undefined, undefined]);
});

test("the polls of a wait are no resends, although its `requestId` gives them one ID", async () => {
  const answers = inTurn(running, running, done);
  const { client, named } = createTracedWorld(answers);
  await client.tasks.wait(TASK_ID, { requestId: "order-17" });
  const polls = named("GET /api/v1/task/{taskId}");
  expect(polls.map(({ attributes }) => attributes["async_music.request_id"])).toEqual(
    Array(3).fill("order-17"),
  );
  for (const { attributes } of polls)
    expect(attributes).not.toHaveProperty(semconv.ATTR_HTTP_REQUEST_RESEND_COUNT);
});

/** Larger than the 16 MiB that are read. */
const TOO_LARGE = new Uint8Array(2 ** 24 + 1);

let firstId: string | null = null;
const ofFirst: Answerer = ({ headers }) => {
  firstId ??= headers.get("X-Request-Id");
  return new Response("{}", { headers: { "X-Request-Id": firstId ?? "" } });
};

test.each<[what: string, answer: Answerer, status: number, type: string]>([
  ["breaks off", () => new Response(brokenAfter("{")), 200, "TypeError"],
  ["breaks off after an error status", () => new Response(brokenAfter("{"), { status: 503 }), 503, "503"],
  ["is too large", () => new Response(TOO_LARGE), 200, "too_large"],
  ["is of another request", ofFirst, 200, "foreign"],
])("the span of a request whose body %s is an error", async (_, answer, status, type) => {
  const { client, named } = createTracedWorld(answer, {}, { maxRetries: 0, random: undefined });
  await client.account.usage().catch(() => {});
  await expect(client.account.balance()).rejects.toBeInstanceOf(AsyncMusicError);
  const [span] = named("GET /api/v1/account/balance");
  expect(span?.attributes).toMatchObject({
    [semconv.ATTR_HTTP_RESPONSE_STATUS_CODE]: status,
    [semconv.ATTR_ERROR_TYPE]: type,
  });
  expect(span?.status.code).toBe(SpanStatusCode.ERROR);
});

test("a body that the time limit or the caller cuts off makes its span an error", async () => {
  const { timeoutMs, pass } = createTimeLimit();
  const controller = new AbortController();
  const { client, named } = createTracedWorld(
    (_request, index) => {
      setImmediate(index === 0 ? pass : () => controller.abort());
      return new Response(new ReadableStream({ start: (to) => to.enqueue(new TextEncoder().encode("{")) }));
    },
    {},
    { maxRetries: 0 },
  );
  await rejection(client.account.balance({ timeoutMs }), RequestTimeoutError);
  await client.account.balance({ signal: controller.signal }).catch(() => {});
  const types = named("GET /api/v1/account/balance").map(({ attributes }) => attributes["error.type"]);
  expect(types).toEqual(["TimeoutError", "AbortError"]);
});

test("the polls of a watch are children of its span, whatever runs between them", async () => {
  const answers = inTurn(running, refusal(503, "internal_error"), lost, done);
  const { client, named, requests, spans } = createTracedWorld(answers);
  const tracer = trace.getTracer("application");
  const watch = client.tasks.watch(TASK_ID)[Symbol.asyncIterator]();
  for (const name of ["first", "second", "third"])
    await tracer.startActiveSpan(name, (span) => watch.next().finally(() => span.end()));
  const polls = named("GET /api/v1/task/{taskId}");
  expect(polls).toHaveLength(4);
  for (const [index, poll] of polls.entries()) {
    expect(parentOf(poll)).toBe(idOf(named("async-music watch a task")[0]));
    expect(requests[index]?.headers.get("traceparent")).toBe(traceparentOf(poll));
  }
  expect(spans()).toHaveLength(4 + 1 + 3);
});

test.each([
  ["wait", (client: AsyncMusic) => client.tasks.wait(TASK_ID)],
  ["retrieve", (client: AsyncMusic) => client.tasks.retrieve(TASK_ID)],
  ["run", (client: AsyncMusic) => client.tasks.run(SONG_REQUEST)],
  ["balance", (client: AsyncMusic) => client.account.balance()],
  ["watch", async (client: AsyncMusic) => void (await all(client.tasks.watch(TASK_ID)))],
  [
    "watch that the caller leaves",
    async ({ tasks }: AsyncMusic) => {
      for await (const _ of tasks.watch(TASK_ID)) break;
    },
  ],
])("when a %s resolves, its span has ended, so that the exporter can be flushed", async (name, call) => {
  const { client, spans } = createTracedWorld(({ method, path }) => {
    if (path.endsWith("/balance")) return balance();
    return serve({ method });
  });
  await call(client);
  const last = spans().at(-1)?.name ?? "";
  expect(last).toMatch(/^async-music /);
  expect(last).toContain(name.split(" ")[0]);
});

test("the service receives the trace context, without baggage; the host of the audio receives neither", async () => {
  const audio = () => new Response("audio", { headers: { "Content-Type": "audio/mpeg" } });
  const { client, requests, spans } = createTracedWorld(({ path }) =>
    path.startsWith("/api/") ? balance() : audio(),
  );
  const baggage = propagation.createBaggage({ user: { value: "ada" } });
  await context.with(propagation.setBaggage(context.active(), baggage), async () => {
    await client.account.balance();
    await client.audio.download(`${BASE_URL}/a.mp3`);
  });
  const [toService, toAudio] = requests.map(({ headers }) => headers);
  expect(toService?.get("traceparent")).toBe(traceparentOf(spans()[0]));
  expect(toService?.has("baggage")).toBe(false);
  expect([toAudio?.has("traceparent"), toAudio?.has("baggage")]).toEqual([false, false]);
});

test("a download is an HTTP span without the secrets of its URL", async () => {
  const { client, spans } = createTracedWorld(() => new Response("audio"));
  const url = `https://[::1]:8443/a.mp3?sig=s3cret&part=1&part=2#s3cret`;
  await client.audio.download(url);
  await client.audio.download(`https://cdn.example/${API_KEY}`);
  const [http] = spans();
  expect([http?.name, http?.attributes]).toMatchObject([
    "GET",
    {
      [semconv.ATTR_URL_FULL]: "https://[::1]:8443/a.mp3?sig=REDACTED&part=REDACTED",
      [semconv.ATTR_SERVER_ADDRESS]: "::1",
      [semconv.ATTR_SERVER_PORT]: 8443,
    },
  ]);
  expect(http?.attributes).not.toHaveProperty(semconv.ATTR_URL_TEMPLATE);
  expect(shown(spans())).not.toContain(API_KEY);
});

test("without `genAi`, no span has an attribute of these conventions; with it, no span has the prompt", async () => {
  for (const genAi of [false, true]) {
    const { client, spans } = createTracedWorld(inTurn(accepted(), done), { genAi });
    await client.tasks.run(SONG_REQUEST);
    expect([genAi, shown(spans()).includes("gen_ai.")]).toEqual([genAi, genAi]);
    expect(shown(spans())).not.toContain(PROMPT);
  }
});

test("with `genAi`, a run is one span of generative AI, with the id of its task", async () => {
  const { client, spans, named } = createTracedWorld(inTurn(accepted(), done), { genAi: true });
  await client.tasks.run(SONG_REQUEST);
  const [run] = named("generate_content provider_a");
  expect(run?.kind).toBe(SpanKind.CLIENT);
  expect(run?.attributes).toEqual({
    ...SERVER,
    [semconv.ATTR_GEN_AI_OPERATION_NAME]: semconv.GEN_AI_OPERATION_NAME_VALUE_GENERATE_CONTENT,
    [semconv.ATTR_GEN_AI_PROVIDER_NAME]: "async_music",
    [semconv.ATTR_GEN_AI_REQUEST_MODEL]: "provider_a",
    [semconv.ATTR_GEN_AI_OUTPUT_TYPE]: "music",
    [semconv.ATTR_GEN_AI_RESPONSE_ID]: TASK_ID,
    "async_music.model": "provider_a",
    "async_music.task_type": "music",
  });
  const generations = spans().filter(({ attributes }) => semconv.ATTR_GEN_AI_OPERATION_NAME in attributes);
  expect(generations).toHaveLength(1);
  const names = ["async-music create a task", "async-music wait for a task"];
  expect(names.flatMap(named).map(parentOf)).toEqual([idOf(run), idOf(run)]);
});

test("with `genAi`, a create alone is a generation; an upload is none", async () => {
  const upload = {
    model: "provider_a",
    task_type: "upload",
    input: { audio_url: "https://a.example/a.mp3" },
  };
  for (const [request, name, outputType] of [
    [SONG_REQUEST, "generate_content provider_a", "music"],
    [
      { model: "provider_a", task_type: "lyrics", input: { prompt: "rain" } },
      "generate_content provider_a",
      semconv.GEN_AI_OUTPUT_TYPE_VALUE_TEXT,
    ],
    [upload, "async-music create a task", undefined],
    [{ ...SONG_REQUEST, task_type: "constructor" }, "async-music create a task", undefined],
  ] as const) {
    const answer = () => accepted({ type: request.task_type });
    const options = { validateRequests: false };
    const { client, spans } = createTracedWorld(answer, { genAi: true }, options);
    await client.tasks.create(Object(request));
    const created = spans().at(-1);
    expect([created?.name, created?.attributes[semconv.ATTR_GEN_AI_OUTPUT_TYPE]]).toEqual([name, outputType]);
  }
});

test("the span of a generation that failed has the error's class and code", async () => {
  const { client, named } = createTracedWorld(() => refusal(402, "insufficient_credits"), { genAi: true });
  await client.tasks.run(SONG_REQUEST).catch(() => {});
  const [run] = named("generate_content provider_a");
  expect(run?.attributes[semconv.ATTR_ERROR_TYPE]).toBe("InsufficientCreditsError");
  expect(run?.attributes["async_music.error_code"]).toBe("insufficient_credits");
  expect(run?.status.code).toBe(SpanStatusCode.ERROR);
  const [post] = named("POST /api/v1/task");
  expect([post?.attributes[semconv.ATTR_ERROR_TYPE], post?.status.code]).toEqual([
    "402",
    SpanStatusCode.ERROR,
  ]);
});

test("no span has a text of the service, which may quote the prompt", async () => {
  const text = `"${PROMPT}" was refused`;
  for (const answers of [
    [accepted(), ok(failed({ error: text }))],
    [refusal(400, "invalid_task_input", {}, { message: text })],
  ]) {
    const { client, named, spans } = createTracedWorld(inTurn(...answers), { genAi: true });
    const error = await client.tasks.run(SONG_REQUEST).catch((reason: unknown) => reason);
    assert(error instanceof AsyncMusicError);
    expect(error.message).toContain(PROMPT);
    const [run] = named("generate_content provider_a");
    const { what } = error.parts;
    expect(run?.status).toEqual({ code: SpanStatusCode.ERROR, message: what });
    expect(run?.events[0]?.attributes).toEqual({
      [semconv.ATTR_EXCEPTION_TYPE]: error.name,
      [semconv.ATTR_EXCEPTION_MESSAGE]: what,
    });
    expect(shown(spans())).not.toContain(PROMPT);
  }
});

test("`http: false` makes no HTTP span and sends no trace context", async () => {
  const { client, requests, spans } = createTracedWorld(() => balance(), { http: false });
  await client.account.balance();
  expect(spans().map(({ name }) => name)).toEqual(["async-music read the balance"]);
  expect(requests[0]?.headers.has("traceparent")).toBe(false);
});

test("every attribute of every span is a name of the conventions, or of this package", async () => {
  const known = new Set<unknown>(Object.values(semconv));
  const spans = register();
  await using emulator = createEmulator();
  const client = new AsyncMusic(withOpenTelemetry(emulator.connection(), { genAi: true }));
  const song = await client.tasks.run(SONG_REQUEST);
  await client.account.usage();
  for (const clip of song.output.result) await (await client.audio.download(clip)).arrayBuffer();
  await client.tasks.retrieve("7").catch(() => {});
  const names = new Set(spans().flatMap(({ attributes }) => Object.keys(attributes)));
  expect(names.size).toBeGreaterThan(15);
  expect([...names].filter((name) => !name.startsWith("async_music.") && !known.has(name))).toEqual([]);
});

test("without a registered SDK, calls work and send no trace context", async () => {
  const { client, requests } = createWorld(
    () => balance(),
    {},
    (options) => withOpenTelemetry(options, { genAi: true }),
  );
  await client.account.balance();
  expect(requests[0]?.headers.has("traceparent")).toBe(false);
});

const BROKEN = ["startActiveSpan", "end", "setAttribute", "setStatus", "inject"];
test.each(BROKEN)("a failure in %s changes no call, and sends each request once", async (broken) => {
  register();
  const onCall = failIn(broken);
  injectBy(() => onCall("inject"));
  const { client, requests } = createWorld(
    inTurn(refusal(503, "internal_error"), balance(), accepted(), done),
    { tracer: createTracerDouble(onCall) },
    (options) => withOpenTelemetry(options, { genAi: true }),
  );
  await client.account.balance();
  expect((await client.tasks.run(SONG_REQUEST)).task_id).toBe(TASK_ID);
  expect(requests).toHaveLength(4);
});

test("a failed call of a tracer that returns promises of its own leaves no rejection behind", async () => {
  const { startActiveSpan } = createTracerDouble();
  const tracer = {
    startActiveSpan: async (...given: Parameters<typeof startActiveSpan>) => await startActiveSpan(...given),
  } as unknown as Tracer;
  const { client } = createWorld(lost, { tracer, maxRetries: 0 }, (options) => withOpenTelemetry(options));
  await expect(client.account.balance()).rejects.toThrow();
  // Vitest fails if a rejection is not handled by now.
  await new Promise((resolve) => setTimeout(resolve));
});

test("a propagator replaces no header of the request, and finds no baggage", async () => {
  const { client, requests } = createTracedWorld(() => balance());
  injectBy((active, carrier, setter) => {
    setter.set(carrier, "x-api-key", "another");
    setter.set(carrier, "X-Trace", "1");
    const user = propagation.getBaggage(active)?.getEntry("user");
    if (user !== undefined) setter.set(carrier, "ot-baggage-user", user.value);
  });
  const baggage = propagation.createBaggage({ user: { value: "ada" } });
  await context.with(propagation.setBaggage(context.active(), baggage), () => client.account.balance());
  const [headers] = requests.map((request) => request.headers);
  expect(headers?.get("x-api-key")).toBe(API_KEY);
  expect(headers?.get("x-trace")).toBe("1");
  expect(headers?.has("ot-baggage-user")).toBe(false);
});

test.each([
  ["custom", (fetch: typeof globalThis.fetch) => ({ fetch })],
  [
    "global",
    (fetch: typeof globalThis.fetch) => {
      vi.stubGlobal("fetch", fetch);
      return {};
    },
  ],
])("a %s `fetch` with one parameter sees an abort in its request", async (_, use) => {
  const abort = new AbortController();
  const fetch = ((request: Request) => {
    const ended = aborted(request);
    abort.abort(new Error("the caller left"));
    return ended;
  }) as typeof globalThis.fetch;
  const spans = register();
  const options = { apiKey: API_KEY, baseUrl: BASE_URL, ...use(fetch) };
  const client = new AsyncMusic(withOpenTelemetry(options));
  await expect(client.account.balance({ signal: abort.signal })).rejects.toThrow("the caller left");
  await vi.waitFor(() => expect(spans()).toHaveLength(2));
  for (const span of spans()) expect(span.attributes[semconv.ATTR_ERROR_TYPE]).toBe("Error");
});

test("the span of a request ends at its time limit, although a custom `fetch` ignores its signal", async () => {
  const spans = register();
  const { timeoutMs, pass } = createTimeLimit();
  const fetch = () => {
    setImmediate(pass);
    return new Promise<Response>(() => {});
  };
  const options = { apiKey: API_KEY, baseUrl: BASE_URL, maxRetries: 0, timeoutMs, fetch };
  const client = new AsyncMusic(withOpenTelemetry(options));
  await rejection(client.account.balance(), RequestTimeoutError);
  expect(spans().map(({ name, attributes }) => [name, attributes["error.type"]])).toEqual([
    ["GET /api/v1/account/balance", "TimeoutError"],
    ["async-music read the balance", "RequestTimeoutError"],
  ]);
});

test("the late response of a custom `fetch` that ignores its signal is canceled", async () => {
  register();
  const { timeoutMs, pass } = createTimeLimit();
  const { given: response, give: respond } = held<Response>();
  const fetch = () => {
    setImmediate(pass);
    return response;
  };
  const options = { apiKey: API_KEY, baseUrl: BASE_URL, maxRetries: 0, timeoutMs, fetch };
  await rejection(new AsyncMusic(withOpenTelemetry(options)).account.balance(), RequestTimeoutError);
  const cancel = vi.fn();
  respond(new Response(new ReadableStream({ cancel })));
  await vi.waitFor(() => expect(cancel).toHaveBeenCalledOnce());
});

test("a `fetch` that returns something unusual, or throws the key, fails as without spans", async () => {
  const hostile = Object.assign(new Error("no"), { name: API_KEY });
  const unreadable = Object.defineProperty(new Error("no"), "name", {
    get: () => {
      throw new Error("a bug in an error");
    },
  });
  const spans = register();
  for (const result of [
    () => undefined,
    () => Promise.reject(hostile),
    () => Promise.reject(unreadable),
    // Only a server can send this status, or a reason phrase in Latin-1: the constructor of `Response` refuses both.
    () => Object.defineProperty(new Response("busy"), "status", { value: 999 }),
    () =>
      Object.defineProperty(new Response("busy", { status: 402 }), "statusText", { value: "Refus\ufffd" }),
    () => new Response(new ReadableStream({ start: (to) => to.enqueue("no bytes") })),
    async () => {
      const response = refusal(402, "insufficient_credits");
      await response.text();
      return response;
    },
  ]) {
    const options = { apiKey: API_KEY, baseUrl: BASE_URL, maxRetries: 0, fetch: Object(result) };
    const [plain, traced] = await Promise.all(
      [options, withOpenTelemetry(options)].map((each) =>
        new AsyncMusic(each).account.balance({ requestId: "mine" }).catch(String),
      ),
    );
    expect(traced).toBe(plain);
  }
  expect(spans()).toHaveLength(14);
  expect(spans().map(({ attributes }) => attributes[semconv.ATTR_ERROR_TYPE])).not.toContain("null");
  expect(shown(spans())).not.toContain(API_KEY);
});

test("a browser is allowed with `dangerouslyAllowBrowser: true` only", () => {
  for (const [name, value] of Object.entries({ window: {}, document: {} })) vi.stubGlobal(name, value);
  const create = (options: ClientOptions) =>
    new AsyncMusic(withOpenTelemetry({ apiKey: API_KEY, baseUrl: BASE_URL, ...options }));
  expect(() => create({})).toThrow(/^This is a browser/);
  expect(create({ dangerouslyAllowBrowser: true }).baseUrl).toBe(BASE_URL);
});

test("a pacer's factory is called once", () => {
  const pacers: unknown[] = [];
  const pacer = (...args: unknown[]) => {
    pacers.push(args[1]);
    return { admit: async () => true, report() {}, learn() {}, rateLimit: () => Object({}) };
  };
  void new AsyncMusic(withOpenTelemetry({ apiKey: API_KEY, baseUrl: BASE_URL, pacer: Object(pacer) }));
  expect(pacers).toEqual([API_KEY]);
});

test.each([
  [{}, { http: "no" }, /^`http` must be true or false/],
  [{}, { genai: true }, /^Unknown option `genai`\. Did you mean `genAi`\?/],
  [{}, { tracer: {} }, /^`tracer` is not an option here\. Pass it to `new AsyncMusic`/],
  [{ tracer: {} }, {}, /^`tracer` must have the methods startActiveSpan/],
  [{ fetch: "no" }, {}, /^`fetch` must be a function/],
  [{ apiKey: BASE_URL }, {}, /^`apiKey` looks like a URL/],
])("options %o and %o are refused by name", (options, telemetry, message) => {
  const prepare = () =>
    withOpenTelemetry({ apiKey: API_KEY, baseUrl: BASE_URL, ...Object(options) }, Object(telemetry));
  expect(prepare).toThrow(InvalidOptionError);
  expect(prepare).toThrow(message);
});
