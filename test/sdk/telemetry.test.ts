import { SpanStatusCode } from "@opentelemetry/api";
import {
  type AsyncMusic,
  AuthenticationError,
  type ClientEvents,
  type ClientOptions,
  InvalidOptionError,
  memoryJournal,
  SubmissionOutcomeUnknownError,
  type Tracer,
} from "async-music";
import { expect, test } from "vitest";
import { expectNoKey } from "../support/leaks.js";
import { createLog } from "../support/log.js";
import { createOwnPacer } from "../support/own-pacer.js";
import { rejection } from "../support/rejection.js";
import {
  accepted,
  acceptedAnew,
  balance,
  limited,
  lost,
  ok,
  refusal,
  SONG_REQUEST,
  succeeded,
  TASK_ID,
  task,
} from "../support/responses.js";
import { createTestClock, turns } from "../support/test-clock.js";
import { createSpans, createTracerDouble, failIn } from "../support/tracing.js";
import { watchUnhandledRejections } from "../support/unhandled.js";
import { API_KEY, BASE_URL, createWorld, inTurn } from "../support/world.js";

// Events, log lines and spans of a client.

const EVENTS = ["attempt", "response", "wait", "retry", "pause", "task"] as const;

/** All events of a client, in order. */
function listenTo(client: AsyncMusic) {
  const events: { name: keyof ClientEvents; event: object }[] = [];
  for (const name of EVENTS) client.on(name, (event) => events.push({ name, event }));
  return events;
}

test("an attempt, its response and a retry are events with one request ID", async () => {
  const { client } = createWorld(
    inTurn(refusal(503, "internal_error"), balance({}, { "X-RateLimit-Remaining": "17" })),
    { random: () => 0.5 },
  );
  const events = listenTo(client);
  await client.account.balance({ requestId: "my-request" });

  expect(events.map(({ name }) => name)).toEqual(["attempt", "response", "retry", "attempt", "response"]);
  const attempt = {
    requestId: "my-request",
    method: "GET",
    url: `${BASE_URL}/api/v1/account/balance`,
    taskId: null,
  };
  expect(events[0]?.event).toEqual(attempt);
  expect(events[1]?.event).toEqual({
    ...attempt,
    status: 503,
    failure: null,
    durationMs: 0,
    remaining: null,
  });
  expect(events[2]?.event).toMatchObject({ retry: 1, waitMs: expect.any(Number), error: { status: 503 } });
  expect(events[4]?.event).toEqual({ ...attempt, status: 200, failure: null, durationMs: 0, remaining: 17 });
});

test("a 429 is a pause event, and a request that waits for its end is a wait event", async () => {
  const { client, clock } = createWorld(inTurn(limited(30), balance()));
  const events = listenTo(client);
  const until = new Date(clock.now() + 30_000);
  const first = client.account.balance();
  await clock.sleep(1000);
  await Promise.all([first, client.account.usage().catch(() => {})]);
  expect(events).toContainEqual({ name: "pause", event: { forMs: 30_000, until } });
  const event = {
    kind: "account",
    purpose: "read the usage",
    tenant: null,
    taskId: null,
    waitedMs: 29_000,
  };
  expect(events.filter(({ name }) => name === "wait")).toEqual([{ name: "wait", event }]);
});

test("each request is an admission with its kind and its tenant, before its attempt", async () => {
  const { client } = createWorld(inTurn(accepted(), ok(succeeded()), ok(succeeded()), balance()));
  const events: object[] = [];
  client.on("admission", ({ kind, tenant, taskId, waitedMs }) =>
    events.push([kind, tenant, taskId, waitedMs]),
  );
  client.on("attempt", ({ taskId }) => events.push([taskId]));
  await client.tasks.run(SONG_REQUEST, { tenant: "acme" });
  await client.tasks.retrieve(TASK_ID, { tenant: "globex" });
  await client.account.balance();
  expect(events).toEqual([
    ["create", "acme", null, 0],
    [null],
    ["poll", "acme", TASK_ID, 0],
    [TASK_ID],
    ["read", "globex", TASK_ID, expect.any(Number)],
    [TASK_ID],
    ["account", null, null, 0],
    [null],
  ]);
});

test("a function that is added twice is called twice, and each removal removes one", async () => {
  const { client } = createWorld(() => balance());
  let calls = 0;
  const listener = () => void calls++;
  const [stopFirst, stopSecond] = [client.on("attempt", listener), client.on("attempt", listener)];
  await client.account.balance();
  expect(calls).toBe(2);
  stopFirst();
  stopFirst();
  await client.account.balance();
  expect(calls).toBe(3);
  stopSecond();
  await client.account.balance();
  expect(calls).toBe(3);
});

test("a listener that another one removes is not called, and one that it adds is called from the next event on", async () => {
  const { client } = createWorld(() => balance());
  const calls: string[] = [];
  client.on("attempt", () => {
    calls.push("first");
    stopSecond();
    if (calls.length === 1) client.on("attempt", () => calls.push("third"));
  });
  const stopSecond = client.on("attempt", () => calls.push("second"));
  await client.account.balance();
  expect(calls).toEqual(["first"]);
  await client.account.balance();
  expect(calls).toEqual(["first", "first", "third"]);
});

test("a submission has its tenant, journal key, credits and task, and a completion its tenant and task", async () => {
  const { client } = createWorld(inTurn(accepted(), ok(succeeded()), lost, acceptedAnew()));
  const submissions: object[] = [];
  const completions: object[] = [];
  client.on("submission", (event) => submissions.push(event));
  client.on("completion", (event) => completions.push(event));
  await client.tasks.run(SONG_REQUEST, { tenant: "acme" });
  const error = await rejection(client.tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError);
  await client.tasks.create(SONG_REQUEST, { journal: memoryJournal(), journalKey: "order-1" });
  const requested = { model: "provider_a", taskType: "music", journalKey: null };
  const created = {
    ...requested,
    outcome: "created",
    tenant: "acme",
    taskId: TASK_ID,
    credits: 10,
    error: null,
  };
  expect(submissions).toEqual([
    created,
    { ...requested, outcome: "unknown", tenant: null, taskId: null, credits: null, error },
    { ...created, tenant: null, journalKey: "order-1", taskId: expect.not.stringContaining(TASK_ID) },
  ]);
  expect(completions).toEqual([
    {
      task: expect.objectContaining({ task_id: TASK_ID }),
      tenant: "acme",
      date: null,
      receivedAt: expect.any(Number),
    },
  ]);
});

test("a connection that breaks is an answer event without a status", async () => {
  const { client } = createWorld(lost, { maxRetries: 0 });
  const events = listenTo(client);
  await client.account.balance().catch(() => {});
  expect(events.map(({ name }) => name)).toEqual(["attempt", "response"]);
  expect(events[1]?.event).toMatchObject({ status: null, failure: "connection_lost", remaining: null });
});

test("a wait emits each change of its task once, and each poll with the task ID", async () => {
  const { client } = createWorld(
    inTurn(
      ok(task({ status: "pending" })),
      ok(task({ status: "pending" })),
      ok(task({ status: "running" })),
      ok(succeeded()),
    ),
  );
  const events = listenTo(client);
  await client.tasks.wait(TASK_ID);
  const tasks = events.flatMap(({ event }) => ("task" in event ? [event.task] : []));
  expect(tasks.map((task) => Reflect.get(Object(task), "status"))).toEqual(["pending", "running", "success"]);
  const polls = events.filter(({ name }) => name === "attempt");
  expect(polls).toHaveLength(4);
  for (const { event } of polls) expect(event).toMatchObject({ taskId: TASK_ID });
});

test("a wait emits a retry for each failed read, and counts from 1 after a successful read", async () => {
  const log = createLog();
  const { client } = createWorld(
    inTurn(lost, refusal(503, "internal_error"), ok(task()), limited(60), ok(succeeded())),
    { random: () => 0, logger: log },
  );
  const events = listenTo(client);
  await client.tasks.wait(TASK_ID);
  const retries = events.flatMap(({ name, event }) => (name === "retry" ? [event] : []));
  expect(retries).toMatchObject([
    { retry: 1, error: { taskId: TASK_ID, name: "ConnectionError" } },
    { retry: 2, error: { taskId: TASK_ID, status: 503 } },
    { retry: 1, waitMs: 60_000, error: { taskId: TASK_ID, status: 429 } },
  ]);
  const lines = log.lines.map(({ level, message }) => `${level} ${message}`);
  expect(lines[0]).toMatch(/^warn Failed to wait for task .* Retry 1 follows in \d+ ms\.$/);
});

test("no retry is emitted if the wait ends before it", async () => {
  const { client } = createWorld(() => refusal(503, "internal_error"));
  const events = listenTo(client);
  await client.tasks.wait(TASK_ID, { maxWaitMs: 9000, pollIntervalMs: 10_000 }).catch(() => {});
  expect(events.map(({ name }) => name)).toEqual(["attempt", "response"]);
});

test("download events have the URL and no request ID", async () => {
  const { client } = createWorld(() => new Response("audio", { headers: { "Content-Type": "audio/mpeg" } }));
  const events = listenTo(client);
  await client.audio.download("https://cdn.example/a.mp3");
  const attempt = { requestId: null, method: "GET", url: "https://cdn.example/a.mp3", taskId: null };
  expect(events.map(({ event }) => event)).toEqual([
    attempt,
    { ...attempt, status: 200, failure: null, durationMs: 0, remaining: null },
  ]);
});

test("a listener that throws changes nothing, and a removed listener is not called", async () => {
  const { client } = createWorld(() => balance());
  const calls: string[] = [];
  client.on("attempt", () => {
    throw new Error("a bug in a listener");
  });
  const stop = client.on("attempt", () => calls.push("left"));
  client.on("attempt", () => calls.push("stays"));
  stop();
  await client.account.balance();
  expect(calls).toEqual(["stays"]);
});

test("a listener and a logger that reject leave no unhandled rejection", async () => {
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

test("an unknown event and a listener that is not a function are refused by name", () => {
  const { client } = createWorld(() => balance());
  expect(() => client.on("retries" as "retry", () => {})).toThrow(
    /^`name` must be one of attempt, response, wait/,
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
  ["response", "debug", /^\d+ after /],
  ["wait", "debug", /^waited \d+ ms /],
  ["task", "info", /^task .* is (running|running, 40%|success, 100%)$/],
  ["retry", "warn", /Retry 1 follows in 30000 ms\.$/],
  ["pause", "warn", /^rate limited: nothing is sent with this key until /],
];

/** A log of a read that is rate limited, of another read that waits for it, and of a wait for a task. */
async function logOf(logLevel: ClientOptions["logLevel"], laterMs = 1000) {
  const log = createLog();
  const queued = task({ output: { task_type: "music", status: "queued", result: null } });
  const running = task({
    output: { task_type: "music", status: "processing", progress: "40%", result: null },
  });
  const { client, clock } = createWorld(
    inTurn(limited(30), balance(), balance(), ok(queued), ok(running), ok(succeeded())),
    { logger: log, logLevel },
  );
  const events = listenTo(client);
  const read = client.account.balance();
  await clock.sleep(laterMs);
  await Promise.all([read, client.account.balance()]);
  await client.tasks.wait(TASK_ID);
  return { lines: log.lines, events };
}

test.each(["debug", "info", "warn", "error", "off", undefined] as const)(
  "at the log level %s, each line is logged from its own level up",
  async (logLevel) => {
    const { lines } = await logOf(logLevel);
    const levels = ["debug", "info", "warn", "error", "off"];
    const expected = LINES.filter(([, level]) => levels.indexOf(level) >= levels.indexOf(logLevel ?? "warn"));
    const kinds = lines.map(({ level, message }) =>
      LINES.find(([, lineLevel, line]) => lineLevel === level && line.test(message)),
    );
    expect(new Set(kinds)).toEqual(new Set(expected));
  },
);

test("each line has the fields of its event; a pause and a task have a summary", async () => {
  const { lines, events } = await logOf("debug");
  const progress: Record<string, string> = { running: "40%", success: "100%" };
  let changes = 0;
  const shortOf = ({ name, event }: (typeof events)[number]) => {
    if (name === "pause") return { forMs: 30_000 };
    if (name !== "task") return event;
    const { status } = Object(event).task;
    return { task_id: TASK_ID, status, progress: changes++ === 0 ? null : progress[status] };
  };
  expect(lines.map(({ fields }) => fields)).toEqual(events.map(shortOf));
  expect(new Set(events.map(({ name }) => name))).toEqual(new Set(EVENTS));
});

test("the text of each kind of line, in whole milliseconds", async () => {
  const { lines } = await logOf("debug", 1000.45);
  const messages = lines.map(({ message }) => message);
  expect(messages.slice(0, 4)).toEqual([
    `sends GET ${BASE_URL}/api/v1/account/balance`,
    `429 after 0 ms to GET ${BASE_URL}/api/v1/account/balance`,
    "rate limited: nothing is sent with this key until 2026-01-01T00:00:30.000Z",
    expect.stringMatching(/^Failed to read the balance: .*Retry 1 follows in 30000 ms\.$/),
  ]);
  expect(messages).toContainEqual("waited 29000 ms for the rate limit, to read the balance");
  expect(messages).toContain(`task ${TASK_ID} is running, 40%`);
  expect(messages.at(-1)).toMatch(/ is success/);
});

test.each([
  [0.7, 0],
  [49, 0],
  [50, 2],
  [51, 2],
])("a read and a poll that wait %f ms each emit %i `wait` events", async (waitMs, count) => {
  const clock = createTestClock();
  const { pacer } = createOwnPacer();
  const admit = ({ notBefore = 0 }) =>
    clock.sleep(Math.max(0, notBefore - clock.now()) + waitMs).then(() => true);
  const { client } = createWorld(inTurn(balance(), ok(succeeded())), { clock, pacer: { ...pacer, admit } });
  const waits: number[] = [];
  client.on("wait", ({ waitedMs }) => waits.push(waitedMs));
  await client.account.balance();
  await client.tasks.wait(TASK_ID, { pollIntervalMs: 1000 });
  expect(waits).toEqual(Array(count).fill(waitMs));
});

test("no event and no line contains a key that the server echoes", async () => {
  const log = createLog();
  const echo = () =>
    refusal(500, "internal_error", { "X-Request-Id": API_KEY }, { message: `key ${API_KEY}` });
  const { client } = createWorld(
    inTurn(echo, ok(task({ error: API_KEY })), ok(succeeded({ title: API_KEY }))),
    { logger: log, logLevel: "debug" },
  );
  const events = listenTo(client);
  await client.account.balance().catch(() => {});
  await client.tasks.wait(TASK_ID);
  await client.audio.download(`https://cdn.example/${API_KEY}`).catch(() => {});
  expect(events.length).toBeGreaterThan(5);
  expectNoKey(events, API_KEY);
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
  const { provider, spans } = createSpans();
  return { tracer: provider.getTracer("test"), spans };
}

test("each call is an OpenTelemetry span, and a run is the parent of its create and its wait", async () => {
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

test("spans have a task's id in lower case", async () => {
  const { tracer, spans } = createTracing();
  const { client } = createWorld(() => ok(succeeded()), { tracer });
  const id = TASK_ID.toUpperCase();
  await client.tasks.retrieve(id);
  await client.tasks.wait(id);
  for await (const _ of client.tasks.watch(id));
  expect(spans().map(({ attributes }) => attributes)).toEqual(
    Array.from({ length: 3 }, () => ({ "async_music.task_id": TASK_ID })),
  );
});

const REFUSED_KEY = { "error.type": "AuthenticationError", "async_music.error_code": "invalid_api_key" };

test("a watch is one span until it ends, fails or its loop is left", async () => {
  for (const [answer, leaves, failure] of [
    [() => ok(succeeded()), false, {}],
    [() => ok(task()), true, {}],
    [() => refusal(401, "invalid_api_key"), false, REFUSED_KEY],
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
    expect(spans()[0]?.attributes).toEqual({ "async_music.task_id": TASK_ID, ...failure });
  }
});

test("the span of a failed call has the error, without the key", async () => {
  const { tracer, spans } = createTracing();
  const { client } = createWorld(() => refusal(401, "invalid_api_key", {}, { message: API_KEY }), { tracer });
  await rejection(client.account.balance(), Error).catch(() => {});
  const [span] = spans();
  expect(span?.attributes).toEqual(REFUSED_KEY);
  expect(span?.status.code).toBe(SpanStatusCode.ERROR);
  expect(span?.events).toHaveLength(1);
  expect(JSON.stringify([span?.status, span?.events])).not.toContain(API_KEY);
});

test("a run that loses the race for its journal key has no failed span, and continues with the task", async () => {
  const { tracer, spans } = createTracing();
  const journal = memoryJournal();
  const first = createWorld(inTurn(accepted));
  await first.client.tasks.create(SONG_REQUEST, { journal, journalKey: "order-1" });
  let reads = 0;
  const late = { ...journal, get: async (key: string) => (reads++ === 0 ? null : journal.get(key)) };
  const { client } = createWorld(() => ok(succeeded()), { tracer });
  await client.tasks.run(SONG_REQUEST, { journal: late, journalKey: "order-1" });
  expect(spans().filter(({ status }) => status.code === SpanStatusCode.ERROR)).toEqual([]);
});

test("an abort whose reason is the error of another create is no unknown outcome in the log", async () => {
  const logger = createLog();
  const { client, requests } = createWorld(lost, { logger });
  const first = await rejection(client.tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError);
  const errors = () => logger.at("error").length;
  expect(errors()).toBe(1);
  const outcomes: string[] = [];
  client.on("submission", ({ outcome }) => void outcomes.push(outcome));
  const second = client.tasks.create(SONG_REQUEST, { signal: AbortSignal.abort(first) });
  expect(await rejection(second, SubmissionOutcomeUnknownError)).toBe(first);
  expect([errors(), outcomes, requests.length]).toEqual([1, ["not_created"], 1]);
});

test("no span contains a key that a caller passes as an ID or throws", async () => {
  const { tracer, spans } = createTracing();
  const pacer = createOwnPacer().pacer;
  pacer.admit = () => Promise.reject(new Error(`no budget for ${API_KEY}`));
  const { client } = createWorld(() => ok(task()), { tracer, pacer });
  await client.tasks.retrieve(API_KEY).catch(() => {});
  await client.account.balance().catch(() => {});
  const ended = spans().map(({ attributes, status, events }) => ({ attributes, status, events }));
  expect(ended).toHaveLength(2);
  expect(JSON.stringify(ended)).not.toContain(API_KEY);
});

const METHODS = ["startActiveSpan", "end", "setAttribute", "setStatus", "recordException"];
test.each(METHODS)("a tracer that throws in %s loses no task and hides no error", async (broken) => {
  const { client, requests } = createWorld(
    inTurn(accepted(), ok(succeeded()), refusal(401, "invalid_api_key")),
    { tracer: createTracerDouble(failIn(broken)) },
  );
  const song = await client.tasks.run(SONG_REQUEST, { journal: memoryJournal(), journalKey: "rain" });
  expect(song.task_id).toBe(TASK_ID);
  await rejection(client.account.balance(), AuthenticationError);
  const watching = client.tasks.watch(TASK_ID)[Symbol.asyncIterator]().next();
  await rejection(watching, AuthenticationError);
  expect(requests).toHaveLength(4);
});

test.each([0, 1, 2])("a tracer that starts the work late and %i times runs it once", async (times) => {
  const { startActiveSpan } = createTracerDouble();
  const startLate = async (...given: Parameters<typeof startActiveSpan>) => {
    await Promise.resolve();
    for (let time = 0; time < times; time++) void startActiveSpan(...given);
  };
  const answers = [() => accepted(), () => ok(succeeded()), () => refusal(401, "invalid_api_key")];
  const tracer = { startActiveSpan: startLate } as unknown as Tracer;
  const { client, requests } = createWorld(inTurn(...answers), { tracer });
  expect((await client.tasks.run(SONG_REQUEST)).task_id).toBe(TASK_ID);
  await rejection(client.account.balance(), AuthenticationError);
  expect(requests.map(({ method }) => method)).toEqual(["POST", "GET", "GET"]);
});
