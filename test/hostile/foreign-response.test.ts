import { createServer, connect as openSocket, type Socket } from "node:net";
import {
  AsyncMusic,
  InvalidResponseError,
  memoryJournal,
  SubmissionOutcomeUnknownError,
  type TaskSubmission,
} from "async-music";
import { createEmulator } from "async-music/emulator";
import { describe, expect, onTestFinished, test } from "vitest";
import { REMEMBERED_IDS, RecentIds } from "../../src/http/attempt.js";
import {
  accepted,
  balance,
  limited,
  OTHER_TASK_ID,
  ok,
  refusal,
  SONG_REQUEST,
  submission,
  succeeded,
  TASK_ID,
  task,
} from "../support/answers.js";
import { connect } from "../support/connect.js";
import { listen, reply } from "../support/loopback.js";
import { createOwnPacer } from "../support/own-pacer.js";
import { rejection } from "../support/rejection.js";
import { createWorld, type SeenRequest } from "../support/world.js";

// A response that belongs to another request is never accepted.

const idOf = ({ headers }: SeenRequest) => headers.get("X-Request-Id") ?? "";

/** A world in which each request has an id of its own, and a first create has received `TASK_ID`. */
async function afterCreate(answer: (request: SeenRequest, firstId: string, index: number) => Response) {
  let firstId = "";
  const world = createWorld(
    (request, index) => {
      if (index > 0) return answer(request, firstId, index - 1);
      firstId = idOf(request);
      return accepted({}, { "X-Request-Id": firstId });
    },
    { random: Math.random },
  );
  await world.client.tasks.create(SONG_REQUEST);
  return world;
}

const withId = (status: number, id: string) => ({ status, headers: { "X-Request-Id": id } });

describe("a response to a create", () => {
  test.each<[what: string, answer: (firstId: string) => Response]>([
    ["the 202 of an earlier create", (id) => accepted({}, { "X-Request-Id": id })],
    ["a 202 that names a new task", (id) => accepted({ task_id: OTHER_TASK_ID }, { "X-Request-Id": id })],
    ["a 202 in another case", (id) => accepted({}, { "X-Request-Id": id.toUpperCase() })],
    ["a 202 with an id of a gateway beside", (id) => accepted({}, { "X-Request-Id": `gw-1, ${id}` })],
    ["a 400", (id) => refusal(400, "invalid_model", { "X-Request-Id": id })],
    ["a 401", (id) => refusal(401, "invalid_api_key", { "X-Request-Id": id })],
    ["a 402", (id) => refusal(402, "insufficient_credits", { "X-Request-Id": id })],
    ["a 429", (id) => refusal(429, "rate_limited", { "X-Request-Id": id, "Retry-After": "1" })],
    ["a 500 that names a task", (id) => Response.json({ task_id: OTHER_TASK_ID }, withId(500, id))],
  ])("that carries the id of another request leaves the outcome unknown: %s", async (_, answer) => {
    const { client, requests, clock } = await afterCreate((_, firstId) => answer(firstId));
    const error = await rejection(client.tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError);
    expect(error).toMatchObject({ taskId: null, status: null });
    expect(error.requestId).toBe(requests[1]?.headers.get("X-Request-Id"));
    expect(error.message).toContain("X-Request-Id");
    expect(requests).toHaveLength(2);
    expect(clock.sleeps).toEqual([]);
    expect(client.rateLimit.heldUntil).toBeNull();
  });

  test.each<[what: string, fields: object, headers: (id: string) => Record<string, string>]>([
    ["without a request id", {}, () => ({})],
    ["with the id of a gateway", {}, () => ({ "X-Request-Id": "gateway-7" })],
    ["with the id of this request", {}, (id) => ({ "X-Request-Id": id })],
    ["in another case", { task_id: TASK_ID.toUpperCase() }, () => ({})],
  ])("that names the task of another create leaves the outcome unknown: %s", async (_, fields, headers) => {
    const { client, requests } = await afterCreate((request) =>
      accepted({ ...fields }, headers(idOf(request))),
    );
    const error = await rejection(client.tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError);
    expect(error).toMatchObject({ taskId: null, status: null });
    expect(requests).toHaveLength(2);
  });

  test("that is an error and names the task of another create names no task", async () => {
    const { client } = await afterCreate(() => Response.json({ data: submission() }, { status: 502 }));
    const error = await rejection(client.tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError);
    expect(error).toMatchObject({ taskId: null, status: 502 });
  });

  test("that breaks off and carries the id of another request names no task", async () => {
    const body = (firstId: string) => {
      const stream = new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode(`{"task_id":"${OTHER_TASK_ID}"`)),
        pull: (controller) => controller.error(new Error("reset")),
      });
      return new Response(stream, { status: 202, headers: { "X-Request-Id": firstId } });
    };
    const { client } = await afterCreate((_, firstId) => body(firstId));
    const error = await rejection(client.tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError);
    expect(error.taskId).toBeNull();
  });

  test.each<[what: string, headers: (ownId: string) => Record<string, string>]>([
    ["the id of a gateway", () => ({ "X-Request-Id": "gateway-7" })],
    ["no id", () => ({})],
    ["two ids that the client never sent", () => ({ "X-Request-Id": "gateway-7, gateway-8" })],
    ["its own id in another case", (id) => ({ "X-Request-Id": id.toUpperCase() })],
  ])("that carries %s is accepted", async (_, headers) => {
    const { client } = await afterCreate((request) =>
      accepted({ task_id: OTHER_TASK_ID }, headers(idOf(request))),
    );
    await expect(client.tasks.create(SONG_REQUEST)).resolves.toMatchObject({ task_id: OTHER_TASK_ID });
  });

  test("to its second attempt, after a 429, carries the id of the first and is accepted", async () => {
    const { client, requests } = createWorld((request, index) => {
      const headers = { "X-Request-Id": idOf(request) };
      return index === 0
        ? refusal(429, "rate_limited", { ...headers, "Retry-After": "1" })
        : accepted({}, headers);
    });
    await expect(client.tasks.create(SONG_REQUEST)).resolves.toMatchObject({ task_id: TASK_ID });
    expect(new Set(requests.map(idOf)).size).toBe(1);
  });

  test("is accepted where the caller gives several creates one request id, but each task only once", async () => {
    const ids = [TASK_ID, OTHER_TASK_ID, TASK_ID];
    const { client } = createWorld((request, index) =>
      accepted({ task_id: ids[index] }, { "X-Request-Id": idOf(request) }),
    );
    const create = () => client.tasks.create(SONG_REQUEST, { requestId: "trace-1" });
    await expect(create()).resolves.toMatchObject({ task_id: TASK_ID });
    await expect(create()).resolves.toMatchObject({ task_id: OTHER_TASK_ID });
    await rejection(create(), SubmissionOutcomeUnknownError);
  });
});

describe("a run whose create receives the response to another", () => {
  const other = { ...SONG_REQUEST, input: { gpt_description_prompt: "snow" } };

  test("records no task in the journal, and calls no onSubmitted", async () => {
    const submitted: string[] = [];
    const journal = memoryJournal();
    const { client, requests } = createWorld(
      ({ method }) => (method === "POST" ? accepted() : ok(succeeded())),
      { random: Math.random },
    );
    const run = (request: typeof SONG_REQUEST | typeof other, journalKey: string) =>
      client.tasks.run(request, {
        journal,
        journalKey,
        onSubmitted: ({ task_id }) => void submitted.push(`${journalKey} ${task_id}`),
      });
    await run(SONG_REQUEST, "a");
    const error = await rejection(run(other, "b"), SubmissionOutcomeUnknownError);
    expect(error).toMatchObject({ journalKey: "b", taskId: null });
    expect(submitted).toEqual([`a ${TASK_ID}`]);
    expect(await journal.get("a")).toMatchObject({ state: "submitted", task_id: TASK_ID });
    expect(await journal.get("b")).toMatchObject({ state: "intent" });
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(2);
  });

  test("is a failure of runAll, beside the success of the other", async () => {
    const { client } = createWorld(({ method }) => (method === "POST" ? accepted() : ok(succeeded())), {
      random: Math.random,
    });
    const results = [];
    for await (const result of client.tasks.runAll([SONG_REQUEST, other], { concurrency: 1 }))
      results.push(result);
    expect(results).toMatchObject([
      { index: 0, task: { task_id: TASK_ID } },
      { index: 1, error: { name: "SubmissionOutcomeUnknownError" } },
    ]);
  });
});

describe("a read", () => {
  test("that is answered with another task is sent again, with backoff", async () => {
    const { client, requests, clock } = createWorld(
      (_, index) => ok(index === 0 ? succeeded({ task_id: OTHER_TASK_ID }) : task()),
      { random: () => 0.5 },
    );
    await expect(client.tasks.retrieve(TASK_ID)).resolves.toMatchObject({ task_id: TASK_ID });
    expect(requests).toHaveLength(2);
    expect(clock.sleeps[0]?.ms).toBe(250);
  });

  test("that is always answered with another task is an InvalidResponseError after the retries", async () => {
    const { client, requests } = createWorld(() => ok(succeeded({ task_id: OTHER_TASK_ID })));
    const error = await rejection(client.tasks.retrieve(TASK_ID, { maxRetries: 2 }), InvalidResponseError);
    expect(error.issues).toEqual([{ path: "data.task_id", message: expect.any(String) }]);
    expect(error.taskId).toBe(TASK_ID);
    expect(requests).toHaveLength(3);
  });

  test("whose task id comes back in another case is accepted", async () => {
    const { client, requests } = createWorld(() => ok(task({ task_id: TASK_ID.toUpperCase() })));
    await client.tasks.retrieve(TASK_ID);
    expect(requests).toHaveLength(1);
  });

  type Read = (client: AsyncMusic) => Promise<unknown>;
  test.each<[name: string, read: Read, answer: (headers: Record<string, string>) => Response]>([
    ["balance", (client) => client.account.balance(), (headers) => balance({}, headers)],
    ["retrieve", (client) => client.tasks.retrieve(TASK_ID), (headers) => ok(task(), headers)],
  ])("that receives the response to another request is sent again: %s", async (_, read, answer) => {
    const { client, requests } = await afterCreate((request, firstId, index) =>
      answer({ "X-Request-Id": index === 0 ? firstId : idOf(request) }),
    );
    await read(client);
    expect(requests).toHaveLength(3);
  });
});

describe("a wait", () => {
  test("does not settle by the result of another task", async () => {
    const { client, requests } = createWorld((_, index) =>
      ok(index < 3 ? succeeded({ task_id: OTHER_TASK_ID }) : succeeded()),
    );
    await expect(client.tasks.wait(TASK_ID)).resolves.toMatchObject({ task_id: TASK_ID });
    expect(requests).toHaveLength(4);
  });

  test.each([
    [401, "invalid_api_key"],
    [404, "task_not_found"],
  ])("does not end by the %i of another request", async (status, code) => {
    const { client, requests } = await afterCreate((_, firstId, index) =>
      index === 0 ? refusal(status, code, { "X-Request-Id": firstId }) : ok(succeeded()),
    );
    await expect(client.tasks.wait(TASK_ID)).resolves.toMatchObject({ status: "success" });
    expect(requests).toHaveLength(3);
  });

  test("does not hold the key by the 429 of another request", async () => {
    const { client } = await afterCreate((_, firstId, index) => {
      if (index > 0) return ok(succeeded());
      const answer = limited(3600);
      answer.headers.set("X-Request-Id", firstId);
      return answer;
    });
    await client.tasks.wait(TASK_ID, { maxWaitMs: 60_000 });
    expect(client.rateLimit.heldUntil).toBeNull();
  });
});

test("a client that stays in use over a reset of the emulator receives the same task ids again", async () => {
  await using emulator = createEmulator();
  const client = new AsyncMusic(emulator.connection());
  const first = await client.tasks.create(SONG_REQUEST);
  emulator.reset();
  const again = await client.tasks.create(SONG_REQUEST);
  expect(again.task_id).toBe(first.task_id);
});

test("a client remembers a bounded number of ids", () => {
  const ids = new RecentIds();
  for (let id = 0; id < 10 * REMEMBERED_IDS; id++) expect(ids.add(`id-${id}`)).toBe(true);
  const remembered = Array.from({ length: 10 * REMEMBERED_IDS }, (_, id) => ids.has(`id-${id}`));
  expect(remembered.slice(-REMEMBERED_IDS)).not.toContain(false);
  expect(remembered.filter(Boolean).length).toBeLessThanOrEqual(2 * REMEMBERED_IDS);
});

describe("on a keep-alive connection", () => {
  test("a stale duplicate that arrives first is not taken for the response to the next create", async () => {
    let last = "";
    let created = 0;
    const { url, requests } = await listenRaw((requestId) => {
      const duplicate = last;
      last = rawAccepted(requestId, `00000000-0000-4000-8000-00000000000${created++}`);
      return duplicate + last;
    });
    const { client } = connect({ url }, { random: Math.random });
    const first = await client.tasks.create(SONG_REQUEST);
    const error = await rejection(client.tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError);
    expect(first.task_id).toMatch(/0$/);
    expect(error).toMatchObject({ taskId: null, status: null });
    expect(requests).toEqual([expect.any(String), error.requestId]);
  });

  test("through a proxy that repeats bytes, no create and no read takes what belongs to another", async () => {
    const tasks = new Map<string, string>();
    const server = await listen((to, { method, path, headers }) => {
      const requestId = String(headers["x-request-id"]);
      const echo = { "X-Request-Id": requestId };
      if (method !== "POST")
        return reply(to, 200, { code: 200, data: task({ task_id: path.split("/").at(-1) }) }, echo);
      tasks.set(requestId, crypto.randomUUID());
      reply(to, 202, { code: 202, data: submission({ task_id: tasks.get(requestId) }) }, echo);
    });
    const proxy = await repeatBytes(new URL(server.url));
    const { pacer } = createOwnPacer();
    const { client } = connect(proxy, { pacer, timeoutMs: 2000, random: Math.random });

    const successes: TaskSubmission[] = [];
    const wrong: unknown[] = [];
    const failures = new Set<string>();
    await Promise.all(
      Array.from({ length: 8 }, async (_, worker) => {
        for (let round = 0; round < 40; round++) {
          const requestId = `create-${worker}-${round}`;
          try {
            const created = await client.tasks.create(SONG_REQUEST, { requestId });
            successes.push(created);
            if (created.task_id !== tasks.get(requestId)) wrong.push(created);
            const read = await client.tasks.retrieve(created.task_id);
            if (read.task_id !== created.task_id) wrong.push(read);
          } catch (error) {
            failures.add((error as Error).name);
          }
        }
      }),
    );
    expect(wrong).toEqual([]);
    expect(new Set(successes.map(({ task_id }) => task_id)).size).toBe(successes.length);
    expect(successes.length).toBeGreaterThan(100);
    expect(failures).toContain("SubmissionOutcomeUnknownError");
    expect([...failures].filter((name) => !EXPECTED.includes(name))).toEqual([]);
  });
});

const EXPECTED = [
  "SubmissionOutcomeUnknownError",
  "ConnectionError",
  "InvalidResponseError",
  "RequestTimeoutError",
];

function rawAccepted(requestId: string, taskId: string): string {
  const body = JSON.stringify({ code: 202, data: submission({ task_id: taskId }) });
  return `HTTP/1.1 202 Accepted\r\nContent-Type: application/json\r\nX-Request-Id: ${requestId}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/** A server that writes to each whole request the bytes that it is told, on a connection that stays open. */
async function listenRaw(
  answer: (requestId: string) => string,
): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = [];
  const url = await listenTcp((socket) => {
    let text = "";
    socket.on("data", (piece) => {
      text += piece.toString("latin1");
      const length = /content-length: (\d+)/i.exec(text)?.[1];
      const [head = "", body] = text.split("\r\n\r\n");
      if (length === undefined || body === undefined || body.length < Number(length)) return;
      text = "";
      const requestId = /x-request-id: (\S+)/i.exec(head)?.[1] ?? "";
      requests.push(requestId);
      socket.write(answer(requestId));
    });
  });
  return { url, requests };
}

/** A proxy that sends every fifth piece from the server once more, in front of the piece that follows it. */
async function repeatBytes({ hostname, port }: URL): Promise<{ url: string }> {
  let pieces = 0;
  const url = await listenTcp((client) => {
    const server = openSocket(Number(port), hostname);
    let repeated: Buffer | null = null;
    server.on("data", (piece: Buffer) => {
      if (repeated !== null) client.write(repeated);
      repeated = ++pieces % 5 === 0 ? piece : null;
      client.write(piece);
    });
    client.on("data", (piece) => server.write(piece));
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on("close", () => other.destroy());
      one.on("error", () => other.destroy());
    }
  });
  return { url };
}

async function listenTcp(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  );
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
}
