import { context, SpanStatusCode } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import {
  type AsyncMusic,
  AuthenticationError,
  type ClientEvents,
  InvalidOptionError,
  memoryJournal,
  type Tracer,
} from "async-music";
import { expect, test } from "vitest";
import {
  accepted,
  balance,
  limited,
  lost,
  ok,
  refusal,
  SONG_REQUEST,
  succeeded,
  TASK_ID,
  task,
} from "../support/answers.js";
import { expectNoKey } from "../support/leaks.js";
import { createLog } from "../support/log.js";
import { createOwnPacer } from "../support/own-pacer.js";
import { rejection } from "../support/rejection.js";
import { createTestClock, turns } from "../support/test-clock.js";
import { watchUnhandledRejections } from "../support/unhandled.js";
import { API_KEY, BASE_URL, createWorld, inTurn } from "../support/world.js";

// What a client tells of its doing: events, log lines, spans.

const EVENTS = ["attempt", "answer", "wait", "retry", "pause", "task"] as const;

/** Everything that a client tells, in its order. */
function listenTo(client: AsyncMusic) {
  const told: { name: keyof ClientEvents; event: object }[] = [];
  for (const name of EVENTS) client.on(name, (event) => told.push({ name, event }));
  return told;
}

test("every attempt, its answer and every retry are told, under one request id", async () => {
  const { client } = createWorld(
    inTurn(refusal(503, "internal_error"), balance({}, { "X-RateLimit-Remaining": "17" })),
    { random: () => 0.5 },
  );
  const told = listenTo(client);
  await client.account.balance({ requestId: "my-request" });

  expect(told.map(({ name }) => name)).toEqual(["attempt", "answer", "retry", "attempt", "answer"]);
  const attempt = {
    requestId: "my-request",
    method: "GET",
    url: `${BASE_URL}/api/v1/account/balance`,
    taskId: null,
  };
  expect(told[0]?.event).toEqual(attempt);
  expect(told[1]?.event).toEqual({ ...attempt, status: 503, durationMs: 0, remaining: null });
  expect(told[2]?.event).toMatchObject({ retry: 1, waitMs: expect.any(Number), error: { status: 503 } });
  expect(told[4]?.event).toEqual({ ...attempt, status: 200, durationMs: 0, remaining: 17 });
});

test("a 429 is told as a pause, and who waits for its end as a wait", async () => {
  const { client, clock } = createWorld(inTurn(limited(30), balance()));
  const told = listenTo(client);
  const start = clock.now();
  const first = client.account.balance();
  await clock.sleep(1000);
  const second = client.account.usage().catch(() => {});
  await Promise.all([first, second]);
  expect(told.find(({ name }) => name === "pause")?.event).toEqual({
    forMs: 30_000,
    until: new Date(start + 30_000),
  });
  expect(told.filter(({ name }) => name === "wait").map(({ event }) => event)).toEqual([
    { purpose: "read the usage", taskId: null, waitedMs: 29_000 },
  ]);
});

test("a connection that breaks is told as an answer without a status", async () => {
  const { client } = createWorld(lost, { maxRetries: 0 });
  const told = listenTo(client);
  await client.account.balance().catch(() => {});
  expect(told.map(({ name }) => name)).toEqual(["attempt", "answer"]);
  expect(told[1]?.event).toMatchObject({ status: null, remaining: null });
});

test("a wait tells each change of its task once, and each poll with its task's id", async () => {
  const { client } = createWorld(
    inTurn(
      ok(task({ status: "pending" })),
      ok(task({ status: "pending" })),
      ok(task({ status: "running" })),
      ok(succeeded()),
    ),
  );
  const told = listenTo(client);
  await client.tasks.wait(TASK_ID);
  const tasks = told.flatMap(({ event }) => ("task" in event ? [event.task] : []));
  expect(tasks.map((task) => Reflect.get(Object(task), "status"))).toEqual(["pending", "running", "success"]);
  const polls = told.filter(({ name }) => name === "attempt");
  expect(polls).toHaveLength(4);
  for (const { event } of polls) expect(event).toMatchObject({ taskId: TASK_ID });
});

test("a wait tells each read that fails as a retry, counted anew after one that came", async () => {
  const log = createLog();
  const { client } = createWorld(
    inTurn(lost, refusal(503, "internal_error"), ok(task()), limited(60), ok(succeeded())),
    { random: () => 0, logger: log },
  );
  const told = listenTo(client);
  await client.tasks.wait(TASK_ID);
  const retries = told.flatMap(({ name, event }) => (name === "retry" ? [event] : []));
  expect(retries).toMatchObject([
    { retry: 1, error: { taskId: TASK_ID, name: "ConnectionError" } },
    { retry: 2, error: { taskId: TASK_ID, status: 503 } },
    { retry: 1, waitMs: 60_000, error: { taskId: TASK_ID, status: 429 } },
  ]);
  const lines = log.lines.map(({ level, message }) => `${level} ${message}`);
  expect(lines[0]).toMatch(/^warn Failed to wait for task .* Retry 1 follows in \d+ ms\.$/);
});

test("no retry is told where the wait ends before it", async () => {
  const { client } = createWorld(() => refusal(503, "internal_error"));
  const told = listenTo(client);
  await client.tasks.wait(TASK_ID, { maxWaitMs: 12_000, pollIntervalMs: 10_000 }).catch(() => {});
  expect(told.map(({ name }) => name)).toEqual(["attempt", "answer"]);
});

test("downloads are told by their address, without a request id", async () => {
  const { client } = createWorld(() => new Response("audio", { headers: { "Content-Type": "audio/mpeg" } }));
  const told = listenTo(client);
  await client.audio.download("https://cdn.example/a.mp3");
  const attempt = { requestId: null, method: "GET", url: "https://cdn.example/a.mp3", taskId: null };
  expect(told.map(({ event }) => event)).toEqual([
    attempt,
    { ...attempt, status: 200, durationMs: 0, remaining: null },
  ]);
});

test("a listener that throws harms nobody, and one that has left hears nothing", async () => {
  const { client } = createWorld(() => balance());
  const heard: string[] = [];
  client.on("attempt", () => {
    throw new Error("a bug in a listener");
  });
  const stop = client.on("attempt", () => heard.push("left"));
  client.on("attempt", () => heard.push("stays"));
  stop();
  await client.account.balance();
  expect(heard).toEqual(["stays"]);
});

test("a listener and a logger that reject harm nobody: no rejection is left to end the process", async () => {
  const unhandled = watchUnhandledRejections();
  const reject = () => Promise.reject(new Error("a bug in a listener"));
  const logger = { debug: reject, info: reject, warn: reject, error: reject };
  const { client } = createWorld(inTurn(limited(1), ok(succeeded())), { logger, logLevel: "debug" });
  const listener: () => unknown = reject;
  client.on("attempt", listener);
  await client.tasks.wait(TASK_ID);
  await turns(2);
  expect(unhandled).not.toHaveBeenCalled();
});

test("a listener that is added while an event is told hears of the next one only", async () => {
  const { client } = createWorld(() => balance());
  const heard: string[] = [];
  client.on("attempt", () => {
    heard.push("first");
    if (heard.length === 1) client.on("attempt", () => heard.push("added"));
  });
  await client.account.balance();
  expect(heard).toEqual(["first"]);
  await client.account.balance();
  expect(heard).toEqual(["first", "first", "added"]);
});

test("an event that there is not, and a listener that can't be called, are refused by name", () => {
  const { client } = createWorld(() => balance());
  expect(() => client.on("retries" as "retry", () => {})).toThrow(
    /^`name` must be one of attempt, answer, wait/,
  );
  expect(() => client.on("toString" as "task", () => {})).toThrow(InvalidOptionError);
  const onKey = () => client.on(API_KEY as "task", () => {});
  expect(onKey).toThrow(InvalidOptionError);
  expect(onKey).not.toThrow(API_KEY);
  expect(() => client.on("retry", Object("x"))).toThrow(/^`listener` must be a function/);
});

/** Each kind of line, with its level and how it begins or ends. */
const LINES: [kind: string, level: string, line: RegExp][] = [
  ["attempt", "debug", /^sends GET /],
  ["answer", "debug", /^\d+ after /],
  ["wait", "debug", /^waited \d+ ms /],
  ["task", "info", /^task .* is success, 100%$/],
  ["retry", "warn", /Retry 1 follows in 30000 ms\.$/],
  ["pause", "warn", /^rate limited: nothing is sent with this key until /],
];

test.each(["debug", "info", "warn", "error", "off", undefined] as const)(
  "at the log level %s, every line is logged from its own level up, and without one from `warn` up",
  async (logLevel) => {
    const log = createLog();
    const { client, clock } = createWorld(
      ({ path }, index) => {
        if (index === 0) return limited(30);
        return path.endsWith("/balance") ? balance() : ok(succeeded());
      },
      { logger: log, logLevel },
    );
    const read = client.account.balance();
    await clock.sleep(1000);
    await Promise.all([read, client.account.usage().catch(() => {})]);
    await client.tasks.wait(TASK_ID);
    const levels = ["debug", "info", "warn", "error", "off"];
    const expected = LINES.filter(([, level]) => levels.indexOf(level) >= levels.indexOf(logLevel ?? "warn"));
    const kinds = log.lines.map(({ level, message }) =>
      LINES.find(([, lineLevel, line]) => lineLevel === level && line.test(message)),
    );
    expect(new Set(kinds)).toEqual(new Set(expected));
  },
);

test("each line has the event as its fields, and a pause and a task what is short of it", async () => {
  const log = createLog();
  let polls = 0;
  const { client, clock } = createWorld(
    ({ path }, index) => {
      if (index === 0) return limited(30);
      if (path.includes("/account/")) return balance();
      return ok(
        polls++ === 0
          ? task({ output: { task_type: "music", status: "queued", result: null } })
          : succeeded(),
      );
    },
    { logger: log, logLevel: "debug" },
  );
  const told = listenTo(client);
  const read = client.account.balance();
  await clock.sleep(1000);
  await Promise.all([read, client.account.balance()]);
  await client.tasks.wait(TASK_ID);
  const shortOf = ({ name, event }: (typeof told)[number]) => {
    if (name === "pause") return { forMs: 30_000 };
    if (name !== "task") return event;
    const { status } = Object(event).task;
    return { task_id: TASK_ID, status, progress: status === "success" ? "100%" : null };
  };
  expect(log.lines.map(({ fields }) => fields)).toEqual(told.map(shortOf));
  expect(new Set(told.map(({ name }) => name))).toEqual(
    new Set(["attempt", "answer", "pause", "retry", "wait", "task"]),
  );
});

test("each kind of line has words of its own, with whole milliseconds", async () => {
  const log = createLog();
  const output = { task_type: "music", status: "processing", progress: "40%", result: null };
  const { client, clock } = createWorld(
    inTurn(limited(30), balance(), ok(task({ output })), ok(succeeded())),
    { logger: log, logLevel: "debug" },
  );
  const read = client.account.balance();
  await clock.sleep(1000.45);
  await Promise.all([read, client.tasks.wait(TASK_ID)]);
  const lines = log.lines.map(({ message }) => message);
  expect(lines.slice(0, 4)).toEqual([
    `sends GET ${BASE_URL}/api/v1/account/balance`,
    `429 after 0 ms to GET ${BASE_URL}/api/v1/account/balance`,
    "rate limited: nothing is sent with this key until 2026-01-01T00:00:30.000Z",
    expect.stringMatching(/^Failed to read the balance: .*Retry 1 follows in 30000 ms\.$/),
  ]);
  expect(lines).toContainEqual(expect.stringMatching(/^waited \d+ ms for the rate limit, to read task /));
  expect(lines).toContain(`task ${TASK_ID} is running, 40%`);
  expect(lines.at(-1)).toMatch(/ is success/);
});

test("a wait of less than 50 ms is told to nobody", async () => {
  const clock = createTestClock();
  const { pacer } = createOwnPacer();
  for (const [waitMs, told] of [
    [0.7, 0],
    [49, 0],
    [50, 2],
  ] as const) {
    const admit = ({ notBefore = 0 }) =>
      clock.sleep(Math.max(0, notBefore - clock.now()) + waitMs).then(() => true);
    const { client } = createWorld(inTurn(balance(), ok(succeeded())), { clock, pacer: { ...pacer, admit } });
    const waits: unknown[] = [];
    client.on("wait", (event) => waits.push(event));
    await client.account.balance();
    await client.tasks.wait(TASK_ID, { pollIntervalMs: 1000 });
    expect([waitMs, waits.length]).toEqual([waitMs, told]);
  }
});

test("no event and no line holds the key, whatever a server echoes", async () => {
  const log = createLog();
  const echo = () =>
    refusal(500, "internal_error", { "X-Request-Id": API_KEY }, { message: `key ${API_KEY}` });
  const { client } = createWorld(
    inTurn(echo, ok(task({ error: API_KEY })), ok(succeeded({ title: API_KEY }))),
    { logger: log, logLevel: "debug" },
  );
  const told = listenTo(client);
  await client.account.balance().catch(() => {});
  await client.tasks.wait(TASK_ID);
  await client.audio.download(`https://cdn.example/${API_KEY}`).catch(() => {});
  expect(told.length).toBeGreaterThan(5);
  expectNoKey(told, API_KEY);
  expectNoKey(log.lines, API_KEY);
});

test.each([
  [{ logger: Object({ debug: () => {} }) }, /`logger` must have the methods debug, info, warn, error/],
  [{ logLevel: Object("loud") }, /`logLevel` must be debug, info, warn, error or off/],
  [{ tracer: Object({}) }, /`tracer` must have the methods startActiveSpan/],
])("%o is refused by name", (options, message) => {
  const create = () => createWorld(() => balance(), options);
  expect(create).toThrow(InvalidOptionError);
  expect(create).toThrow(message);
});

/** A tracer of OpenTelemetry itself, and the spans that have ended. */
function createTracing() {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  context.disable();
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  return { tracer: provider.getTracer("test"), spans: () => exporter.getFinishedSpans() };
}

test("each call is a span of OpenTelemetry, and a run holds those of its create and its wait", async () => {
  const { tracer, spans } = createTracing();
  const { client } = createWorld(inTurn(accepted(), ok(succeeded()), balance()), { tracer });
  await client.tasks.run(SONG_REQUEST);
  await client.account.balance();

  const [create, wait, run, account] = spans();
  expect(spans().map(({ name }) => name)).toEqual([
    "async-music create a task",
    "async-music wait for a task",
    "async-music run a task",
    "async-music read the balance",
  ]);
  for (const child of [create, wait]) {
    expect(child?.parentSpanContext?.spanId).toBe(run?.spanContext().spanId);
  }
  expect(account?.parentSpanContext).toBeUndefined();
  expect(run?.attributes).toEqual({ "async_music.model": "provider_a", "async_music.task_type": "music" });
  expect(wait?.attributes).toEqual({ "async_music.task_id": TASK_ID });
});

test("a watch is one span until it ends, is left or fails", async () => {
  for (const [answer, leaves, failure] of [
    [() => ok(succeeded()), false, undefined],
    [() => ok(task()), true, undefined],
    [() => refusal(401, "invalid_api_key"), false, "AuthenticationError"],
  ] as const) {
    const { tracer, spans } = createTracing();
    const { client } = createWorld(answer, { tracer });
    const watching = (async () => {
      for await (const _ of client.tasks.watch(TASK_ID)) if (leaves) break;
    })();
    expect(spans()).toEqual([]);
    await watching.catch(() => {});
    await Promise.resolve();
    expect(spans().map(({ name }) => name)).toEqual(["async-music watch a task"]);
    expect(spans()[0]?.attributes).toEqual({
      "async_music.task_id": TASK_ID,
      ...(failure === undefined ? {} : { "error.type": failure }),
    });
  }
});

test("the span of a call that fails says why, without the key", async () => {
  const { tracer, spans } = createTracing();
  const { client } = createWorld(() => refusal(401, "invalid_api_key", {}, { message: API_KEY }), { tracer });
  await rejection(client.account.balance(), Error).catch(() => {});
  const [span] = spans();
  expect(span?.attributes).toEqual({ "error.type": "AuthenticationError" });
  expect(span?.status.code).toBe(SpanStatusCode.ERROR);
  expect(span?.events).toHaveLength(1);
  expect(JSON.stringify([span?.status, span?.events])).not.toContain(API_KEY);
});

test("no span holds the key, though a caller gives it for an id, or throws it", async () => {
  const { tracer, spans } = createTracing();
  const pacer = createOwnPacer().pacer;
  pacer.admit = () => Promise.reject(new Error(`no budget for ${API_KEY}`));
  const { client } = createWorld(() => ok(task()), { tracer, pacer });
  await client.tasks.retrieve(API_KEY).catch(() => {});
  await client.account.balance().catch(() => {});
  const told = spans().map(({ attributes, status, events }) => ({ attributes, status, events }));
  expect(told).toHaveLength(2);
  expect(JSON.stringify(told)).not.toContain(API_KEY);
});

const METHODS = ["startActiveSpan", "end", "setAttribute", "setStatus", "recordException"];
test.each(METHODS)("a tracer that throws in %s costs nobody a song, and hides no error", async (broken) => {
  const act = (name: string) => {
    if (name === broken) throw new Error("the exporter is full");
  };
  const span = {
    setAttribute: () => act("setAttribute"),
    setStatus: () => act("setStatus"),
    recordException: () => act("recordException"),
    end: () => act("end"),
  };
  const tracer = {
    startActiveSpan(_name: string, _options: object, work: (its: typeof span) => unknown) {
      act("startActiveSpan");
      return work(span);
    },
  };
  const { client, requests } = createWorld(
    inTurn(accepted(), ok(succeeded()), refusal(401, "invalid_api_key")),
    { tracer: tracer as Tracer },
  );
  const song = await client.tasks.run(SONG_REQUEST, { journal: memoryJournal(), journalKey: "rain" });
  expect(song.task_id).toBe(TASK_ID);
  await rejection(client.account.balance(), AuthenticationError);
  const watching = client.tasks.watch(TASK_ID)[Symbol.asyncIterator]().next();
  await rejection(watching, AuthenticationError);
  expect(requests).toHaveLength(4);
});

test.each([0, 1, 2])("a tracer that begins the work %i times, and late, has it done once", async (times) => {
  const span = { setAttribute() {}, setStatus() {}, recordException() {}, end() {} };
  const tracer = {
    async startActiveSpan(_name: string, _options: object, work: (its: typeof span) => unknown) {
      await Promise.resolve();
      for (let time = 0; time < times; time++) void work(span);
    },
  };
  const answers = [() => accepted(), () => ok(succeeded()), () => refusal(401, "invalid_api_key")];
  const { client, requests } = createWorld(inTurn(...answers), { tracer: tracer as unknown as Tracer });
  expect((await client.tasks.run(SONG_REQUEST)).task_id).toBe(TASK_ID);
  await rejection(client.account.balance(), AuthenticationError);
  expect(requests.map(({ method }) => method)).toEqual(["POST", "GET", "GET"]);
});
