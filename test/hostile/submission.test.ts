import { ConnectionError, RequestTimeoutError, SubmissionOutcomeUnknownError } from "async-music";
import { describe, expect, test } from "vitest";
import { connect } from "../support/connect.js";
import { expectNoKey } from "../support/leaks.js";
import { cutAfter, cutting, listen, reply, replying, type Treatment } from "../support/loopback.js";
import { reasonOf, rejection } from "../support/rejection.js";
import { OTHER_TASK_ID, refusal, SONG_REQUEST, submission, TASK_ID } from "../support/responses.js";
import { createTimeLimit } from "../support/time-limit.js";
import { API_KEY, createWorld, never } from "../support/world.js";

// POST /api/v1/task: an uncertain outcome is never followed by a second POST.

const HEAD = "HTTP/1.1 202 Accepted\r\nContent-Type: application/json\r\n";
const ACCEPTED = JSON.stringify({ code: 202, data: submission() });

/** How the server responds to the one POST, and the status in the error. */
const UNKNOWN_OUTCOMES: [what: string, treat: Treatment, status: number | null][] = [
  ["a 500", replying(500, { code: 500, error_code: "internal_error", message: "no" }), 500],
  ["a 502", replying(502, { code: 502, error_code: "upstream_provider_error", message: "no" }), 502],
  ["a 503 with Retry-After", replying(503, "", { "Retry-After": "1" }), 503],
  ["a 504 in HTML", replying(504, "<h1>Gateway Timeout</h1>", { "Content-Type": "text/html" }), 504],
  ["a 599", replying(599, "{}"), 599],
  ["a 500 that calls itself rate_limited", replying(500, { code: 500, error_code: "rate_limited" }), 500],
  ["a 500 that calls itself invalid", replying(500, { code: 500, error_code: "invalid_task_input" }), 500],
  ["a 500 whose body is cut", cutting("HTTP/1.1 500 No\r\nContent-Length: 99\r\n\r\n{"), 500],
  ["a connection cut before the headers", cutting(""), null],
  ["a connection cut in the status line", cutting("HTTP/1.1 20"), null],
  ["a connection cut in the headers", cutting(`${HEAD}Content-Le`), null],
  ["a connection cut after the headers", cutting(`${HEAD}Content-Length: 500\r\n\r\n`), 202],
  ["a connection cut in the body", cutting(`${HEAD}Content-Length: 500\r\n\r\n{"code":202,"da`), 202],
  ["a chunked body cut", cutting(`${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\n{"cod\r\n`), 202],
  ["a response that is not HTTP", cutting("SSH-2.0-OpenSSH_9.2\r\n"), null],
  ["an invalid header", cutting(`${HEAD}broken header\r\n\r\n`), null],
  ["a 202 with cut JSON", replying(202, ACCEPTED.slice(0, 20)), 202],
  ["an empty 202", replying(202, ""), 202],
  ["a 202 in HTML", replying(202, "<p>Accepted</p>", { "Content-Type": "text/html" }), 202],
  ["a 202 without data", replying(202, { code: 202 }), 202],
  ["a 202 of null", replying(202, "null"), 202],
  ["a 202 that is a list", replying(202, "[]"), 202],
  ["a 200 without an ID", replying(200, { code: 200, data: {} }), 200],
  ["a 204", (to) => to.writeHead(204).end(), 204],
];

test.each(UNKNOWN_OUTCOMES)("after %s the outcome of one POST is unknown", async (_, treat, status) => {
  const server = await listen(treat);
  const { client, clock } = connect(server);
  const error = await rejection(
    client.tasks.create(SONG_REQUEST, { requestId: "order-1", maxRetries: 5 }),
    SubmissionOutcomeUnknownError,
  );
  expect(server.arrivals).toMatchObject([{ method: "POST", path: "/api/v1/task" }]);
  expect(error).toMatchObject({ request: SONG_REQUEST, requestId: "order-1", status });
  expect(error.message).toContain("order-1");
  expect(clock.sleeps).toEqual([]);
  expectNoKey(error, API_KEY);
});

describe("a request that its caller changes while it is in flight", () => {
  const changing = () => ({ ...SONG_REQUEST, input: { gpt_description_prompt: "rain in Lisbon" } });

  test.each(["create", "run"] as const)("is in the error of %s as it was sent", async (method) => {
    const request = changing();
    const controller = new AbortController();
    const { client } = createWorld((seen) => {
      request.input.gpt_description_prompt = "the next song";
      if (method === "create") return new Response("", { status: 500 });
      controller.abort();
      return never(seen);
    });
    const call = client.tasks[method](request, { signal: controller.signal });
    expect((await rejection(call, SubmissionOutcomeUnknownError)).request).toEqual(SONG_REQUEST);
  });

  test.each([202, 500])("loses no task after a %i if it can no longer be read", async (status) => {
    let isGone = false;
    const read = () => {
      if (isGone) throw new Error("gone");
      return "provider_a" as const;
    };
    const request = Object.defineProperty(changing(), "model", { get: read, enumerable: true });
    const { client } = createWorld(() => {
      isGone = true;
      return new Response(ACCEPTED, { status });
    });
    const created = client.tasks.create(request);
    if (status === 202) await expect(created).resolves.toMatchObject({ task_id: TASK_ID });
    else expect((await rejection(created, SubmissionOutcomeUnknownError)).taskId).toBe(TASK_ID);
  });
});

test("a create without a response in time has an unknown outcome", async () => {
  const { timeoutMs, pass } = createTimeLimit();
  const server = await listen(pass);
  const { client } = connect(server, { timeoutMs });
  const error = await rejection(client.tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError);
  expect(error.status).toBeNull();
  expect(error.cause).toBeInstanceOf(RequestTimeoutError);
  expect(error.requestId).toBe(server.arrivals[0]?.headers["x-request-id"]);
  expect(server.arrivals).toHaveLength(1);
});

test("a create whose response stops in its body has an unknown outcome", async () => {
  const { timeoutMs, pass } = createTimeLimit();
  const server = await listen((to) => to.socket?.write(`${HEAD}Content-Length: 500\r\n\r\n{`));
  const stopping: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    setImmediate(pass);
    return response;
  };
  const { client } = connect(server, { timeoutMs, fetch: stopping });
  const error = await rejection(client.tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError);
  expect(error.status).toBe(202);
  expect(server.arrivals).toHaveLength(1);
});

test("a 2xx without a task ID is the cause of the unknown outcome", async () => {
  const { client } = connect(await listen(replying(202, ACCEPTED.slice(0, 20))));
  const { cause } = await rejection(client.tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError);
  expect(cause).toMatchObject({ name: "InvalidResponseError", issues: [{ path: "data.task_id" }] });
});

test.each([
  ["fails with ECONNREFUSED", Object.assign(new Error("no"), { code: "ECONNREFUSED" })],
  ["yields a string", "a string"],
  ["yields null", null],
])("a response whose body %s leaves the outcome unknown, and names the task", async (_, piece) => {
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(ACCEPTED.slice(0, -1))),
    pull: (controller) => (piece instanceof Error ? controller.error(piece) : controller.enqueue(piece)),
  });
  const { client, requests } = createWorld(() => new Response(body, { status: 202 }));
  const error = await rejection(client.tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError);
  expect(error).toMatchObject({ status: 202, taskId: TASK_ID });
  expect(error.message).toContain(`The bytes that arrived name task ${TASK_ID}. Resume with`);
  expect(requests).toHaveLength(1);
});

test("a POST is not sent again if the server closes its keep-alive connection", async () => {
  const server = await listen((to, _, index) =>
    index === 0
      ? reply(to, 200, { code: 200, data: { available: 1, frozen: 0, total: 1 } })
      : cutAfter(to, ""),
  );
  const { client } = connect(server);
  await client.account.balance();
  await rejection(client.tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError);
  expect(server.arrivals.map(({ method }) => method)).toEqual(["GET", "POST"]);
});

describe("a task ID in a response is never lost", () => {
  const BROKEN: [what: string, treat: Treatment][] = [
    ["lacks everything else", replying(202, { code: 202, data: { task_id: TASK_ID } })],
    [
      "has fields of wrong types",
      replying(202, { data: submission({ credits_charged: "ten", created_at: 7 }) }),
    ],
    ["is cut JSON", replying(202, ACCEPTED.slice(0, ACCEPTED.indexOf(TASK_ID) + TASK_ID.length + 9))],
    ["breaks off", cutting(`${HEAD}Content-Length: 999\r\n\r\n${ACCEPTED.slice(0, -30)}`)],
    ["is a 502 with an ID", replying(502, { code: 502, data: { task_id: TASK_ID } })],
  ];

  test.each(BROKEN)("if it %s, the error has the ID, and how to resume", async (_, treat) => {
    const server = await listen(treat);
    const { client } = connect(server);
    const error = await reasonOf(client.tasks.create(SONG_REQUEST));
    expect(error).toMatchObject({ taskId: TASK_ID });
    expect((error as Error).message).toContain(`client.tasks.wait("${TASK_ID}")`);
    expect(server.arrivals).toHaveLength(1);
  });

  const OTHER = JSON.stringify({ task_id: OTHER_TASK_ID });
  test.each<[what: string, body: string]>([
    ["the input of an echoed request", `{"code":500,"request":{"input":${OTHER}}}`],
    ["the body itself", OTHER],
    ["a cut echo of the request", `{"code":202,"request":{"model":"provider_a","input":${OTHER}},"da`],
    ["a cut list before its data", `{"code":202,"other":[${OTHER}],"data":{"type":"music"`],
  ])("an ID in %s is not that of the task", async (_, body) => {
    const { client } = createWorld(() => new Response(body, { status: 500 }));
    const error = await rejection(client.tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError);
    expect(error.taskId).toBeNull();
  });

  test("an ID in its data is that of the task, whatever else the response names", async () => {
    const body = { request: { input: { task_id: OTHER_TASK_ID } }, data: { task_id: TASK_ID } };
    const { client } = createWorld(() => Response.json(body, { status: 500 }));
    const error = await rejection(client.tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError);
    expect(error.taskId).toBe(TASK_ID);
  });

  test("an incomplete ID is not reported", async () => {
    const half = ACCEPTED.slice(0, ACCEPTED.indexOf(TASK_ID) + 20);
    const { client } = connect(await listen(replying(202, half)));
    const error = await rejection(client.tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError);
    expect(error.taskId).toBeNull();
    expect(error.message).not.toContain(TASK_ID.slice(0, 20));
  });

  test.each([
    [200, {}],
    [202, { queue: "fast" }],
  ])("a %i with an ID and %j is a submission with all its fields", async (status, fields) => {
    const { client } = connect(await listen(replying(status, { data: submission(fields), extra: 1 })));
    await expect(client.tasks.create(SONG_REQUEST)).resolves.toEqual(submission(fields));
  });
});

test.each([
  ["to an address that refuses connections", null],
  ["to a host name that does not resolve", "http://does-not-exist.invalid"],
  ["to a port that fetch forbids", "http://127.0.0.1:9"],
])("a create %s is a ConnectionError: nothing was sent", async (_, address) => {
  const server = await listen(() => {});
  await server.close();
  const { client } = connect({ url: address ?? server.url });
  const create = client.tasks.create(SONG_REQUEST, { requestId: "order-2" });
  const error = await rejection(create, ConnectionError);
  expect(error).not.toBeInstanceOf(RequestTimeoutError);
  expect(error.message).toContain("nothing was sent");
  expect(error.requestId).toBe("order-2");
  expect(error.cause).toBeInstanceOf(Error);
  expectNoKey(error, API_KEY);
});

test.each(
  [400, 404, 409, 429].flatMap((status) =>
    ["internal_error", "upstream_provider_error"].map((code) => [status, code] as const),
  ),
)("after a %i with the code %s of a 5xx, the outcome of one POST is unknown", async (status, code) => {
  const { client, requests } = createWorld(() => refusal(status, code, { "Retry-After": "1" }));
  const error = await rejection(client.tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError);
  expect(error).toMatchObject({ status, taskId: null });
  expect(requests).toHaveLength(1);
});

test.each([429, 400])("a create with a %i that names a task is not retried", async (status) => {
  const headers = { "Retry-After": "1" };
  const { client, requests } = createWorld(() => new Response(ACCEPTED, { status, headers }));
  const error = await rejection(client.tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError);
  expect(error).toMatchObject({ taskId: TASK_ID, status });
  expect(requests).toHaveLength(1);
});
