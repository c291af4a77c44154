import {
  AsyncMusic,
  ConnectionError,
  InvalidRequestError,
  RequestTimeoutError,
  SubmissionOutcomeUnknownError,
} from "async-music";
import { describe, expect, test } from "vitest";
import { SONG_REQUEST, submission, TASK_ID } from "../support/answers.js";
import { connect } from "../support/connect.js";
import { expectNoKey } from "../support/leaks.js";
import { cutAfter, cutting, listen, reply, replying, type Treatment } from "../support/loopback.js";
import { reasonOf, rejection } from "../support/rejection.js";
import { createTimeLimit } from "../support/time-limit.js";
import { API_KEY, createWorld, never } from "../support/world.js";

// POST /api/v1/task: an uncertain outcome is never followed by a second POST.

const HEAD = "HTTP/1.1 202 Accepted\r\nContent-Type: application/json\r\n";
const ACCEPTED = JSON.stringify({ code: 202, data: submission() });

/** How the server treats the one POST, and the status that the error shows. */
const UNKNOWN_OUTCOMES: [what: string, treat: Treatment, status: number | null][] = [
  ["a 500", replying(500, { code: 500, error_code: "internal_error", message: "no" }), 500],
  ["a 502", replying(502, { code: 502, error_code: "upstream_provider_error", message: "no" }), 502],
  ["a 503 with Retry-After", replying(503, "", { "Retry-After": "1" }), 503],
  ["a 504 in HTML", replying(504, "<h1>Gateway Timeout</h1>", { "Content-Type": "text/html" }), 504],
  ["a 599", replying(599, "{}"), 599],
  ["a 500 that calls itself rate_limited", replying(500, { code: 500, error_code: "rate_limited" }), 500],
  ["a 500 that calls itself invalid", replying(500, { code: 500, error_code: "invalid_task_input" }), 500],
  ["a 500 whose body is cut", cutting("HTTP/1.1 500 No\r\nContent-Length: 99\r\n\r\n{"), 500],
  ["a connection cut before the head", cutting(""), null],
  ["a connection cut in the status line", cutting("HTTP/1.1 20"), null],
  ["a connection cut in the headers", cutting(`${HEAD}Content-Le`), null],
  ["a connection cut behind the head", cutting(`${HEAD}Content-Length: 500\r\n\r\n`), 202],
  ["a connection cut in the body", cutting(`${HEAD}Content-Length: 500\r\n\r\n{"code":202,"da`), 202],
  ["a chunked body cut", cutting(`${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\n{"cod\r\n`), 202],
  ["what is no HTTP", cutting("SSH-2.0-OpenSSH_9.2\r\n"), null],
  ["a header that is none", cutting(`${HEAD}broken header\r\n\r\n`), null],
  ["a 202 with cut JSON", replying(202, ACCEPTED.slice(0, 20)), 202],
  ["an empty 202", replying(202, ""), 202],
  ["a 202 in HTML", replying(202, "<p>Accepted</p>", { "Content-Type": "text/html" }), 202],
  ...[undefined, null, "", 7].map((id): [string, Treatment, number] => [
    `a 202 whose id is ${JSON.stringify(id)}`,
    replying(202, { code: 202, data: submission({ task_id: id }) }),
    202,
  ]),
  ["a 202 without data", replying(202, { code: 202 }), 202],
  ["a 202 of null", replying(202, "null"), 202],
  ["a 202 that is a list", replying(202, "[]"), 202],
  ["a 200 without an id", replying(200, { code: 200, data: {} }), 200],
  ["a 204", (to) => to.writeHead(204).end(), 204],
];

test.each(UNKNOWN_OUTCOMES)(
  "after %s the outcome of a create is unknown, and one POST arrived",
  async (_, treat, status) => {
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
  },
);

describe("a request that its caller changes while it is on its way", () => {
  const changing = () => ({ ...SONG_REQUEST, input: { gpt_description_prompt: "rain in Lisbon" } });

  test("stands in the error as it was sent", async () => {
    const request = changing();
    const { client } = createWorld(() => {
      request.input.gpt_description_prompt = "the next song";
      return new Response("", { status: 500 });
    });
    const error = await rejection(client.tasks.create(request), SubmissionOutcomeUnknownError);
    expect(error.request).toEqual(SONG_REQUEST);
  });

  test("stands so too in the error of a run that is left", async () => {
    const request = changing();
    const controller = new AbortController();
    const { client } = createWorld((arrived) => {
      request.input.gpt_description_prompt = "the next song";
      controller.abort();
      return never(arrived);
    });
    const run = client.tasks.run(request, { signal: controller.signal });
    expect((await rejection(run, SubmissionOutcomeUnknownError)).request).toEqual(SONG_REQUEST);
  });

  test.each([202, 500])("loses no task when it can't be read any more, after a %i", async (status) => {
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

test("a create that nobody answers in time has an unknown outcome", async () => {
  const { timeoutMs, pass } = createTimeLimit();
  const server = await listen(pass);
  const { client } = connect(server, { timeoutMs });
  const error = await rejection(client.tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError);
  expect(error.status).toBeNull();
  expect(error.cause).toBeInstanceOf(RequestTimeoutError);
  expect(error.requestId).toBe(server.arrivals[0]?.headers["x-request-id"]);
  expect(server.arrivals).toHaveLength(1);
});

test("a create whose answer stops in its body has an unknown outcome", async () => {
  const { timeoutMs, pass } = createTimeLimit();
  const server = await listen((to) => to.socket?.write(`${HEAD}Content-Length: 500\r\n\r\n{`));
  const stopping: typeof fetch = async (...request) => {
    const answer = await fetch(...request);
    setImmediate(pass);
    return answer;
  };
  const { client } = connect(server, { timeoutMs, fetch: stopping });
  const error = await rejection(client.tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError);
  expect(error.status).toBe(202);
  expect(server.arrivals).toHaveLength(1);
});

test("the unknown outcome of a 2xx without an id keeps what is wrong with it as its cause", async () => {
  const server = await listen((to) => reply(to, 202, ACCEPTED.slice(0, 20)));
  const { client } = connect(server);
  const { cause } = await rejection(client.tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError);
  expect(cause).toMatchObject({ name: "InvalidResponseError", issues: [{ path: "data.task_id" }] });
});

test("an answer that breaks off behind its head did leave, whatever its error calls itself", async () => {
  const body = () =>
    new ReadableStream({
      pull: (controller) => controller.error(Object.assign(new Error("no"), { code: "ECONNREFUSED" })),
    });
  const { client, requests } = createWorld(() => new Response(body(), { status: 202 }));
  const error = await rejection(client.tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError);
  expect(error.status).toBe(202);
  expect(requests).toHaveLength(1);
});

test.each(["a text", null])("an answer whose body yields %j in place of bytes did leave", async (piece) => {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(ACCEPTED.slice(0, -1)));
      controller.enqueue(piece);
    },
  });
  const { client, requests } = createWorld(() => new Response(body, { status: 202 }));
  const error = await rejection(client.tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError);
  expect(error).toMatchObject({ status: 202, taskId: TASK_ID });
  expect(requests).toHaveLength(1);
});

test("a keep-alive connection that the server drops under a POST does not make it leave twice", async () => {
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

describe("a task id that came is never lost", () => {
  const BROKEN: [what: string, treat: Treatment][] = [
    ["lacks everything else", replying(202, { code: 202, data: { task_id: TASK_ID } })],
    [
      "has fields of wrong types",
      replying(202, { data: submission({ credits_charged: "ten", created_at: 7 }) }),
    ],
    ["is cut JSON", replying(202, ACCEPTED.slice(0, ACCEPTED.indexOf(TASK_ID) + TASK_ID.length + 9))],
    ["was cut on the way", cutting(`${HEAD}Content-Length: 999\r\n\r\n${ACCEPTED.slice(0, -30)}`)],
    ["is a 502 with an id", replying(502, { code: 502, data: { task_id: TASK_ID } })],
  ];

  test.each(BROKEN)("an answer that %s shows the id in its error, and how to resume", async (_, treat) => {
    const server = await listen(treat);
    const { client } = connect(server);
    const error = await reasonOf(client.tasks.create(SONG_REQUEST));
    expect(error).toMatchObject({ taskId: TASK_ID });
    expect((error as Error).message).toContain(`client.tasks.wait("${TASK_ID}")`);
    expect(server.arrivals).toHaveLength(1);
  });

  test("half an id is no id", async () => {
    const server = await listen((to) => reply(to, 202, ACCEPTED.slice(0, ACCEPTED.indexOf(TASK_ID) + 20)));
    const { client } = connect(server);
    const error = await rejection(client.tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError);
    expect(error.taskId).toBeNull();
    expect(error.message).not.toContain(TASK_ID.slice(0, 20));
  });

  test("a 200 with an id is a submission", async () => {
    const server = await listen((to) => reply(to, 200, { code: 200, data: submission() }));
    const { client } = connect(server);
    await expect(client.tasks.create(SONG_REQUEST)).resolves.toEqual(submission());
  });

  test("a 202 with more than the contract knows is a submission that keeps it", async () => {
    const server = await listen((to) =>
      reply(to, 202, { code: 202, data: submission({ queue: "fast" }), extra: 1 }),
    );
    const { client } = connect(server);
    await expect(client.tasks.create(SONG_REQUEST)).resolves.toEqual(submission({ queue: "fast" }));
  });
});

describe("what certainly never left", () => {
  test("a refused connection is a ConnectionError, for a create too", async () => {
    const server = await listen(() => {});
    await server.close();
    const { client } = connect(server);
    const error = await rejection(
      client.tasks.create(SONG_REQUEST, { requestId: "order-2" }),
      ConnectionError,
    );
    expect(error).not.toBeInstanceOf(RequestTimeoutError);
    expect(error.requestId).toBe("order-2");
    expect(error.cause).toBeInstanceOf(Error);
    expectNoKey(error, API_KEY);
  });

  test("a name that does not resolve is a ConnectionError, for a create too", async () => {
    const { client } = connect({ url: "http://does-not-exist.invalid" });
    const error = await rejection(client.tasks.create(SONG_REQUEST), ConnectionError);
    expectNoKey(error, API_KEY);
  });
});

test("a POST to a port that fetch forbids certainly never left", async () => {
  const client = new AsyncMusic({ apiKey: API_KEY, baseUrl: "http://127.0.0.1:9" });
  const error = await rejection(client.tasks.create(SONG_REQUEST), ConnectionError);
  expect(error.message).toContain("nothing was sent");
});

test.each([429, 400])(
  "a %i that names a task is not sent again, and its error carries the task's id",
  async (status) => {
    const { client, requests } = createWorld(
      () =>
        new Response(JSON.stringify({ code: 202, data: submission() }), {
          status,
          headers: { "Retry-After": "1" },
        }),
    );
    const error = await rejection(client.tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError);
    expect(error).toMatchObject({ taskId: TASK_ID, status });
    expect(requests).toHaveLength(1);
  },
);

test("a request that nests too deeply to be copied is refused before anything is sent", async () => {
  const { client, requests } = createWorld(() => new Response("no", { status: 500 }));
  let extra: unknown = 1;
  for (let level = 0; level < 3000; level++) extra = [extra];
  const request = { ...SONG_REQUEST, input: { ...SONG_REQUEST.input, extra } };
  const error = await rejection(client.tasks.create(request), InvalidRequestError);
  expect(error).toMatchObject({ errorCode: "invalid_request_body" });
  expect(requests).toEqual([]);
});
