import { readFileSync } from "node:fs";
import * as semconv from "@opentelemetry/semantic-conventions";
import { type AsyncMusic, type ClientOptions, InvalidOptionError } from "async-music";
import { type MetricsOptions, recordMetrics } from "async-music/opentelemetry";
import { expect, test } from "vitest";
import { METRICS } from "../../src/opentelemetry/declared-metrics.js";
import { createMeter, totals } from "../support/metrics.js";
import {
  accepted,
  balance,
  limited,
  lost,
  ok,
  refusal,
  SONG_REQUEST,
  submission,
  succeeded,
  TASK_ID,
  task,
  taskIdIn,
} from "../support/responses.js";
import { START } from "../support/test-clock.js";
import { type Answerer, API_KEY, createWorld, inTurn } from "../support/world.js";
import { runWorld } from "./world.js";

function createMeteredWorld(answer: Answerer, given?: MetricsOptions, options?: ClientOptions) {
  const { meter, read } = createMeter();
  const world = createWorld(answer, options as object);
  const stop = recordMetrics(world.client, { meter, ...given });
  return { ...world, stop, read };
}

const failed = (id: string, code: string) => task({ task_id: id, status: "failure", error_code: code });

test("a world measures each declared metric, by its name, its unit and its attributes", async () => {
  const { series } = await runWorld(1);
  for (const { name, unit, kind, attributes } of Object.values(METRICS)) {
    // The world ends long after its last request, when nothing is known about the window.
    if (kind === "gauge") continue;
    const own = series.filter((each) => each.name === name);
    expect([name, own.length > 0, new Set(own.map((each) => each.unit))]).toEqual([
      name,
      true,
      new Set([unit]),
    ]);
    const used = new Set(own.flatMap((each) => Object.keys(each.attributes)));
    expect([...used].sort(), name).toEqual([...attributes].sort());
  }
});

test("the names of HTTP are those of the semantic conventions", () => {
  const known = new Set<unknown>(Object.values(semconv));
  const { name, attributes } = METRICS.attemptDuration;
  // In the conventions, the template is in development.
  const stable = attributes.filter((attribute) => attribute !== "url.template");
  expect([name, ...stable].filter((each) => !known.has(each))).toEqual([]);
});

test("the table of the guide has the declared metrics", () => {
  const guide = readFileSync("docs/opentelemetry.md", "utf8");
  const rows = guide.match(/(?<=^\| Metric \|.*\n.*\n)(?:\|.*\n)+/m)?.[0];
  const code = (text: string) => `\`${text}\``;
  const expected = Object.values(METRICS).map(({ name, kind, unit, attributes }) => {
    const cells = [code(name), kind, code(unit), attributes.map(code).join(", ")];
    return `|${cells.map((cell) => (cell === "" ? " " : ` ${cell} `)).join("|")}|\n`;
  });
  expect(rows).toBe(expected.join(""));
});

test("attempts have the method, the route, and the status or the failure", async () => {
  const answers = inTurn(limited(1), refusal(503, "internal_error"), lost, balance());
  const { client, read } = createMeteredWorld(answers, {}, { maxRetries: 3 });
  await client.account.balance();
  const labels = ["http.request.method", "url.template", "http.response.status_code", "error.type"];
  expect(totals(await read(), "async_music.attempts", ...labels)).toEqual({
    "GET /api/v1/account/balance 429 429": 1,
    "GET /api/v1/account/balance 503 503": 1,
    "GET /api/v1/account/balance - connection_lost": 1,
    "GET /api/v1/account/balance 200 -": 1,
  });
});

test("a status beyond those that are recorded has no number, and is never a text", async () => {
  const { client, read } = createMeteredWorld(
    (_, index) => new Response("", { status: 440 + index }),
    {},
    { maxRetries: 0 },
  );
  for (let count = 0; count < 30; count++) await client.account.balance().catch(() => {});
  for (const name of ["async_music.attempts", "http.client.request.duration"]) {
    const series = (await read()).filter((each) => each.name === name).map(({ attributes }) => attributes);
    expect(series).toHaveLength(21);
    const statuses = series.map((attributes) => attributes["http.response.status_code"]);
    expect(statuses.map((status) => typeof status)).toEqual([...Array(20).fill("number"), "undefined"]);
    expect(series.at(-1)).toMatchObject({ "error.type": "other" });
  }
});

test("a 429 is the time in the queue of the next request", async () => {
  const { client, clock, read } = createMeteredWorld(inTurn(limited(30), balance()));
  const first = client.account.balance();
  await clock.sleep(1000);
  await Promise.all([first, client.account.usage().catch(() => {})]);
  const [queue] = (await read()).filter(({ name }) => name === "async_music.queue.duration");
  expect(queue?.attributes).toEqual({ "async_music.request.kind": "account" });
  expect(queue?.sum).toBe(29);
});

test("an audio download is an attempt on its own server, without a template", async () => {
  const { client, read } = createMeteredWorld(() => new Response("audio"));
  await client.audio.download("https://cdn.example/a.mp3");
  const [duration] = (await read()).filter(({ name }) => name === "http.client.request.duration");
  expect(duration?.attributes).toEqual({
    "http.request.method": "GET",
    "http.response.status_code": 200,
    "server.address": "cdn.example",
    "server.port": 443,
  });
});

test("downloads from endless servers and ports are at most 21 time series", async () => {
  const { client, read } = createMeteredWorld(() => new Response("audio"));
  for (let port = 1000; port < 1040; port++) await client.audio.download(`https://cdn.example:${port}/a.mp3`);
  const servers = (await read()).filter(({ name }) => name === "http.client.request.duration");
  expect(servers).toHaveLength(21);
  expect(servers.at(-1)?.attributes).toMatchObject({ "server.address": "other" });
  expect(servers.at(-1)?.attributes).not.toHaveProperty("server.port");
});

test.each([
  ["the client's clock, which agrees with `Date`", 0, 5300],
  ["`Date`, if the client's clock is behind", -3_600_000, 5000],
  ["the last millisecond of the second in `Date`, if the client's clock is ahead", 3_600_000, 5999],
])("the time to discovery comes from `completed_at` and %s", async (_, skewMs, expectedMs) => {
  const completed = new Date(START + 1000 - skewMs).toISOString();
  const date = new Date(START + 6000 - skewMs).toUTCString();
  const { client, clock, read } = createMeteredWorld(() =>
    ok(succeeded({ completed_at: completed }), { Date: date }),
  );
  await clock.advance(6300);
  await client.tasks.wait(TASK_ID);
  const [delay] = (await read()).filter(({ name }) => name === "async_music.discovery.duration");
  expect(delay?.sum).toBeCloseTo(expectedMs / 1000, 3);
});

test("a task counts once, however often its end is found, and a retrieve does not count", async () => {
  const { client, read } = createMeteredWorld(() => ok(succeeded()));
  await client.tasks.retrieve(TASK_ID);
  expect(totals(await read(), "async_music.tasks", "async_music.outcome")).toEqual({});
  await Promise.all([client.tasks.wait(TASK_ID), client.tasks.wait(TASK_ID)]);
  await client.tasks.wait(TASK_ID);
  expect(totals(await read(), "async_music.tasks", "async_music.outcome")).toEqual({ success: 1 });
});

test.each([
  ["created", () => accepted(), "-"],
  ["not_created", () => refusal(402, "insufficient_credits"), "insufficient_credits"],
  ["unknown", lost, "SubmissionOutcomeUnknownError"],
  ["created", () => accepted({ credits_charged: null }), "InvalidResponseError"],
])("a submission is %s", async (outcome, answer, type) => {
  const { client, read } = createMeteredWorld(answer);
  await client.tasks.create(SONG_REQUEST).catch(() => {});
  const found = totals(await read(), "async_music.submissions", "async_music.outcome", "error.type");
  expect(found).toEqual({ [`${outcome} ${type}`]: 1 });
});

test("credits have a tenant only where it was asked for", async () => {
  for (const tenants of [false, true]) {
    const { client, read } = createMeteredWorld(inTurn(accepted(), ok(succeeded())), { tenants });
    await client.tasks.run(SONG_REQUEST, { tenant: "acme" });
    const name = tenants ? "acme" : "-";
    const labels = ["async_music.credit.state", "async_music.tenant"];
    expect(totals(await read(), "async_music.credits", ...labels)).toEqual({
      [`frozen ${name}`]: 10,
      [`settled ${name}`]: 10,
    });
  }
});

test("a service that names endless models, types and codes makes few series", async () => {
  const { client, read } = createMeteredWorld(({ path }) => {
    const id = taskIdIn({ path });
    return ok({ ...failed(id, `code-${id}`), model: `model-${id}`, type: `type-${id}` });
  });
  for (let id = 0; id < 60; id++) await client.tasks.wait(`task-${id}`).catch(() => {});
  const series = await read();
  const models = totals(series, "async_music.tasks", "async_music.model");
  expect(Object.keys(models)).toHaveLength(21);
  expect(models["other"]).toBe(40);
  expect(Object.keys(totals(series, "async_music.tasks", "async_music.task_type"))).toHaveLength(21);
  expect(Object.keys(totals(series, "async_music.tasks", "error.type"))).toHaveLength(21);
});

test("a listed model keeps its name after endless others", async () => {
  const { client, read } = createMeteredWorld(({ path }, index) => {
    const id = taskIdIn({ path });
    return ok(
      index < 40 ? succeeded({ task_id: id, model: `model-${id}` as never }) : succeeded({ task_id: id }),
    );
  });
  for (let id = 0; id <= 40; id++) await client.tasks.wait(`task-${id}`);
  expect(totals(await read(), "async_music.tasks", "async_music.model")["provider_a"]).toBe(1);
});

test("no series contains a task ID, a prompt or a key that the service echoes", async () => {
  const echo = { task_id: TASK_ID, status: "failure", model: API_KEY, type: API_KEY, error_code: API_KEY };
  const answers = inTurn(accepted(submission()), ok({ ...task(), ...echo }));
  const { client, read } = createMeteredWorld(answers, { tenants: true });
  await client.tasks.run(SONG_REQUEST, { requestId: "my-request" }).catch(() => {});
  const seen = JSON.stringify(await read());
  const prompt = SONG_REQUEST.input.gpt_description_prompt;
  for (const secret of [API_KEY, TASK_ID, prompt, "my-request"]) expect(seen).not.toContain(secret);
});

test("nothing is recorded after the end, and the meter keeps no callback", async () => {
  const { client, stop, read } = createMeteredWorld((_, index) =>
    balance({}, { "X-RateLimit-Remaining": String(17 - index) }),
  );
  const remaining = async () => totals(await read(), METRICS.remaining.name, "unused");
  await client.account.balance();
  expect(await remaining()).toEqual({ "-": 17 });
  stop();
  await client.account.balance();
  expect(client.rateLimit.remaining).toBe(16);
  expect(totals(await read(), "async_music.attempts", "http.request.method")).toEqual({ GET: 1 });
  expect(await remaining()).toEqual({ "-": 17 });
});

test("`http: false` records no duration, and all other metrics", async () => {
  const { client, read } = createMeteredWorld(() => balance(), { http: false });
  await client.account.balance();
  const names = (await read()).map(({ name }) => name);
  expect(names).toContain("async_music.attempts");
  expect(names).not.toContain("http.client.request.duration");
});

test("a meter that throws changes no call", async () => {
  const broken = () => {
    throw new Error("the exporter is full");
  };
  const instrument = { add: broken, record: broken, addCallback() {}, removeCallback() {} };
  const create = () => instrument;
  const meter = { createCounter: create, createHistogram: create, createObservableGauge: create };
  const { client } = createWorld(inTurn(accepted(), ok(succeeded())));
  recordMetrics(client, { meter: Object(meter) });
  expect((await client.tasks.run(SONG_REQUEST)).task_id).toBe(TASK_ID);
});

test.each([
  [{ meter: {} }, /`meter` must have the methods createCounter, createHistogram, createObservableGauge/],
  [{ tenants: "acme" }, /`tenants` must be true or false/],
  [{ http: 1 }, /`http` must be true or false/],
])("%o is refused by name", (options, message) => {
  const { client } = createWorld(() => balance());
  const record = (of: AsyncMusic) => () => recordMetrics(of, Object(options));
  expect(record(client)).toThrow(InvalidOptionError);
  expect(record(client)).toThrow(message);
  expect(record(Object({}))).toThrow(/`client` must be a client/);
});
