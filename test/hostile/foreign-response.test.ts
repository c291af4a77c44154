import { AsyncMusic, InvalidResponseError, memoryJournal, SubmissionOutcomeUnknownError } from "async-music";
import { createEmulator } from "async-music/emulator";
import { describe, expect, test } from "vitest";
import { REMEMBERED_IDS, RecentIds } from "../../src/http/ids.js";
import { all } from "../support/collect.js";
import { connect } from "../support/connect.js";
import { listen } from "../support/loopback.js";
import { rejection } from "../support/rejection.js";
import {
  accepted,
  balance,
  OTHER_TASK_ID,
  ok,
  refusal,
  SONG_REQUEST,
  serve,
  submission,
  succeeded,
  TASK_ID,
  task,
} from "../support/responses.js";
import { createWorld, type SeenRequest } from "../support/world.js";

// A response that belongs to another request is never accepted.

const idOf = ({ headers }: SeenRequest) => headers.get("X-Request-Id") ?? "";

/** Each request has its own ID, and a first create has received `TASK_ID`. */
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
  type AnswerTo = (firstId: string, request: SeenRequest) => Response;
  const named = (id: string) => ({ "X-Request-Id": id });
  const OF_ANOTHER_REQUEST: [what: string, answer: AnswerTo][] = [
    ["the 202 of an earlier create", (id) => accepted({}, named(id))],
    ["a 202 that names a new task", (id) => accepted({ task_id: OTHER_TASK_ID }, named(id))],
    ["a 202 in another case", (id) => accepted({}, named(id.toUpperCase()))],
    ["a 202 that also has the ID of a gateway", (id) => accepted({}, named(`gw-1, ${id}`))],
    ["a 400", (id) => refusal(400, "invalid_model", named(id))],
    ["a 401", (id) => refusal(401, "invalid_api_key", named(id))],
    ["a 402", (id) => refusal(402, "insufficient_credits", named(id))],
    ["a 429", (id) => refusal(429, "rate_limited", { ...named(id), "Retry-After": "1" })],
    ["a 500 that names a task", (id) => Response.json({ data: { task_id: OTHER_TASK_ID } }, withId(500, id))],
  ];
  const WITH_ANOTHER_TASK: [what: string, answer: AnswerTo][] = [
    ["a 202 without a request ID", () => accepted()],
    ["a 202 with the ID of a gateway", () => accepted({}, named("gateway-7"))],
    ["a 202 with the ID of this request", (_, request) => accepted({}, named(idOf(request)))],
    ["a 202 in another case", () => accepted({ task_id: TASK_ID.toUpperCase() })],
  ];

  test.each([
    ...OF_ANOTHER_REQUEST.map(([what, answer]) => ["has the ID of another request", what, answer] as const),
    ...WITH_ANOTHER_TASK.map(([what, answer]) => ["names an earlier task", what, answer] as const),
  ])("that %s leaves the outcome unknown: %s", async (reason, _, answer) => {
    const { client, requests, clock } = await afterCreate((request, firstId) => answer(firstId, request));
    const error = await rejection(client.tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError);
    expect(error).toMatchObject({ taskId: null, status: null });
    expect(error.requestId).toBe(requests[1]?.headers.get("X-Request-Id"));
    expect(error.message).toContain(reason.startsWith("has") ? "X-Request-Id" : "earlier");
    expect(requests).toHaveLength(2);
    expect(clock.sleeps).toEqual([]);
    expect(client.rateLimit.heldUntil).toBeNull();
  });

  test("that is an error gives no task ID if it names the task of another create", async () => {
    const { client } = await afterCreate(() => Response.json({ data: submission() }, { status: 502 }));
    const error = await rejection(client.tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError);
    expect(error).toMatchObject({ taskId: null, status: 502 });
  });

  test("that breaks off gives no task ID if it has the ID of another request", async () => {
    const body = () =>
      new ReadableStream({
        start: (controller) =>
          controller.enqueue(new TextEncoder().encode(`{"data":{"task_id":"${OTHER_TASK_ID}"`)),
        pull: (controller) => controller.error(new Error("reset")),
      });
    const { client } = await afterCreate((_, firstId) => new Response(body(), withId(202, firstId)));
    const error = await rejection(client.tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError);
    expect(error.taskId).toBeNull();
  });

  test.each<[what: string, headers: (ownId: string) => Record<string, string>]>([
    ["the ID of a gateway", () => ({ "X-Request-Id": "gateway-7" })],
    ["no ID", () => ({})],
    ["two IDs that the client never sent", () => ({ "X-Request-Id": "gateway-7, gateway-8" })],
    ["its own ID in another case", (id) => ({ "X-Request-Id": id.toUpperCase() })],
  ])("with %s is accepted", async (_, headers) => {
    const { client } = await afterCreate((request) =>
      accepted({ task_id: OTHER_TASK_ID }, headers(idOf(request))),
    );
    await expect(client.tasks.create(SONG_REQUEST)).resolves.toMatchObject({ task_id: OTHER_TASK_ID });
  });

  test("to the second attempt, after a 429, is accepted with the ID of the first", async () => {
    const { client, requests } = createWorld((request, index) => {
      const headers = { "X-Request-Id": idOf(request) };
      return index === 0
        ? refusal(429, "rate_limited", { ...headers, "Retry-After": "1" })
        : accepted({}, headers);
    });
    await expect(client.tasks.create(SONG_REQUEST)).resolves.toMatchObject({ task_id: TASK_ID });
    expect(new Set(requests.map(idOf)).size).toBe(1);
  });

  test("is accepted if several creates have the same `requestId`, but each task only once", async () => {
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

describe("a run that receives the response to another create", () => {
  const other = { ...SONG_REQUEST, input: { gpt_description_prompt: "snow" } };

  test("records no task in the journal, and calls no onSubmitted", async () => {
    const submitted: string[] = [];
    const journal = memoryJournal();
    const { client, requests } = createWorld(serve, { random: Math.random });
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
    const { client } = createWorld(serve, { random: Math.random });
    expect(await all(client.tasks.runAll([SONG_REQUEST, other], { concurrency: 1 }))).toMatchObject([
      { index: 0, task: { task_id: TASK_ID } },
      { index: 1, error: { name: "SubmissionOutcomeUnknownError" } },
    ]);
  });
});

describe("a read", () => {
  test("that returns another task is retried with backoff", async () => {
    const { client, requests, clock } = createWorld(
      (_, index) => ok(index === 0 ? succeeded({ task_id: OTHER_TASK_ID }) : task()),
      { random: () => 0.5 },
    );
    await expect(client.tasks.retrieve(TASK_ID)).resolves.toMatchObject({ task_id: TASK_ID });
    expect(requests).toHaveLength(2);
    expect(clock.sleeps[0]?.ms).toBe(250);
  });

  test.each([
    ["another task", OTHER_TASK_ID],
    ["an empty task ID", ""],
  ])("that always returns %s fails with InvalidResponseError after the retries", async (_, task_id) => {
    const { client, requests } = createWorld(() => ok(succeeded({ task_id })));
    const error = await rejection(client.tasks.retrieve(TASK_ID, { maxRetries: 2 }), InvalidResponseError);
    expect(error.issues).toEqual([{ path: "data.task_id", message: expect.any(String) }]);
    expect(error.taskId).toBe(TASK_ID);
    expect(requests).toHaveLength(3);
  });

  test("that returns the task ID in another case is accepted", async () => {
    const { client, requests } = createWorld(() => ok(task({ task_id: TASK_ID.toUpperCase() })));
    await client.tasks.retrieve(TASK_ID);
    expect(requests).toHaveLength(1);
  });

  type Read = (client: AsyncMusic) => Promise<unknown>;
  test.each<[name: string, read: Read, answer: (headers: Record<string, string>) => Response]>([
    ["balance", (client) => client.account.balance(), (headers) => balance({}, headers)],
    ["retrieve", (client) => client.tasks.retrieve(TASK_ID), (headers) => ok(task(), headers)],
  ])("that receives the response to another request is retried: %s", async (_, read, answer) => {
    const { client, requests } = await afterCreate((request, firstId, index) =>
      answer({ "X-Request-Id": index === 0 ? firstId : idOf(request) }),
    );
    await read(client);
    expect(requests).toHaveLength(3);
  });
});

describe("a wait", () => {
  test("does not resolve with the result of another task", async () => {
    const { client, requests } = createWorld((_, index) =>
      ok(index < 3 ? succeeded({ task_id: OTHER_TASK_ID }) : succeeded()),
    );
    await expect(client.tasks.wait(TASK_ID)).resolves.toMatchObject({ task_id: TASK_ID });
    expect(requests).toHaveLength(4);
  });

  test.each([
    [401, "invalid_api_key"],
    [404, "task_not_found"],
  ])("does not end on the %i of another request", async (status, code) => {
    const { client, requests } = await afterCreate((_, firstId, index) =>
      index === 0 ? refusal(status, code, { "X-Request-Id": firstId }) : ok(succeeded()),
    );
    await expect(client.tasks.wait(TASK_ID)).resolves.toMatchObject({ status: "success" });
    expect(requests).toHaveLength(3);
  });

  test("does not pause for the 429 of another request", async () => {
    const { client } = await afterCreate((_, firstId, index) => {
      const headers = { "X-Request-Id": firstId, "Retry-After": "3600" };
      return index === 0 ? refusal(429, "rate_limited", headers) : ok(succeeded());
    });
    await client.tasks.wait(TASK_ID, { maxWaitMs: 60_000 });
    expect(client.rateLimit.heldUntil).toBeNull();
  });
});

test("a client accepts the same task IDs again after a reset of the emulator", async () => {
  await using emulator = createEmulator();
  const client = new AsyncMusic(emulator.connection());
  const first = await client.tasks.create(SONG_REQUEST);
  emulator.reset();
  const again = await client.tasks.create(SONG_REQUEST);
  expect(again.task_id).toBe(first.task_id);
});

test("a client remembers a bounded number of IDs", () => {
  const ids = new RecentIds();
  for (let id = 0; id < 10 * REMEMBERED_IDS; id++) expect(ids.add(`id-${id}`)).toBe(true);
  const remembered = Array.from({ length: 10 * REMEMBERED_IDS }, (_, id) => ids.has(`id-${id}`));
  expect(remembered.slice(-REMEMBERED_IDS)).not.toContain(false);
  expect(remembered.filter(Boolean).length).toBeLessThanOrEqual(2 * REMEMBERED_IDS);
});

test("a stale duplicate that arrives first is not accepted as the response to the next create", async () => {
  const requestIds: unknown[] = [];
  let last = "";
  const server = await listen(({ req }, { headers }, index) => {
    const requestId = headers["x-request-id"];
    requestIds.push(requestId);
    const body = JSON.stringify({ code: 202, data: submission({ task_id: `0000-${index}` }) });
    const head = `HTTP/1.1 202 Accepted\r\nX-Request-Id: ${requestId}\r\nContent-Length: ${body.length}`;
    const response = `${head}\r\n\r\n${body}`;
    req.socket.write(last + response);
    last = response;
  });
  const { client } = connect(server, { random: Math.random });
  const first = await client.tasks.create(SONG_REQUEST);
  const error = await rejection(client.tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError);
  expect(first.task_id).toBe("0000-0");
  expect(error).toMatchObject({ taskId: null, status: null });
  expect(requestIds).toEqual([expect.any(String), error.requestId]);
});
