import { getEventListeners } from "node:events";
import {
  AsyncMusic,
  InsufficientCreditsError,
  InvalidOptionError,
  type RequestOptions,
  RequestTimeoutError,
} from "async-music";
import { describe, expect, test } from "vitest";
import { rejection } from "../support/rejection.js";
import {
  accepted,
  acceptedAnew,
  balance,
  limited,
  ok,
  refusal,
  SONG_REQUEST,
  succeeded,
  TASK_ID,
  task,
  usage,
} from "../support/responses.js";
import { turns } from "../support/test-clock.js";
import { API_KEY, BASE_URL, createWorld, inTurn, type World } from "../support/world.js";

// Authentication 1 and 7: the headers of every request.

type Call = (client: AsyncMusic, options?: RequestOptions) => Promise<unknown>;

const CALLS: [name: string, call: Call, answer: () => Response][] = [
  ["create", (client, options) => client.tasks.create(SONG_REQUEST, options), () => acceptedAnew()],
  ["retrieve", (client, options) => client.tasks.retrieve(TASK_ID, options), () => ok(task())],
  ["balance", (client, options) => client.account.balance(options), () => balance()],
  ["usage", (client, options) => client.account.usage(options), () => usage()],
];

const SAFE_ID = /^[A-Za-z0-9._:-]{1,128}$/;

const idsOf = ({ requests }: World) => requests.map(({ headers }) => headers.get("X-Request-Id"));

describe.each(CALLS)("%s", (_, call, answer) => {
  test("carries the key and a request ID of its own", async () => {
    const world = createWorld(answer, { random: Math.random });
    await call(world.client);
    await call(world.client);
    for (const { headers, method } of world.requests) {
      expect(headers.get("x-api-key")).toBe(API_KEY);
      expect(headers.get("Accept")).toBe("application/json");
      expect(headers.get("Content-Type")).toBe(method === "POST" ? "application/json" : null);
    }
    const ids = idsOf(world);
    for (const id of ids) expect(id).toMatch(SAFE_ID);
    expect(new Set(ids).size).toBe(2);
  });

  const GOOD_IDS = ["a", "order-7", "A.b_c:d-9", "x".repeat(128)];
  test.each(GOOD_IDS)("carries the caller's id %j", async (requestId) => {
    const world = createWorld(answer);
    await call(world.client, { requestId });
    expect(idsOf(world)).toEqual([requestId]);
  });

  test("keeps its id when it is sent again", async () => {
    const world = createWorld(inTurn(limited(1), answer));
    await call(world.client);
    expect(idsOf(world)).toHaveLength(2);
    expect(new Set(idsOf(world)).size).toBe(1);
  });

  const BAD_OPTIONS: [option: string, value: unknown][] = [
    ["requestId", ""],
    ["requestId", "a b"],
    ["requestId", "a\r\nx-api-key: other"],
    ["requestId", "é"],
    ["requestId", "x".repeat(129)],
    ["requestId", 7],
    ["timeoutMs", 0],
    ["timeoutMs", -5],
    ["timeoutMs", "5"],
    ["timeoutMs", Number.NaN],
    ["maxRetries", -1],
    ["maxRetries", 0.5],
    ["maxRetries", "1"],
    ["signal", {}],
    ["signal", new AbortController()],
    ["headers", { "a b": "c" }],
    ["headers", { a: "b\r\nc: d" }],
    ["headers", 7],
  ];

  test.each(BAD_OPTIONS)("refuses the option %s: %o, and sends nothing", async (option, value) => {
    const { client, requests } = createWorld(answer);
    const error = await rejection(call(client, { [option]: value }), InvalidOptionError);
    expect(error.option).toBe(option);
    expect(error.message).toContain(`\`${option}\``);
    expect(requests).toEqual([]);
  });

  test("sends the caller's headers, which can't replace the key, the id or the type", async () => {
    const { client, requests } = createWorld(answer);
    const headers = {
      "X-Api-Key": "other",
      "x-request-id": "other",
      "content-type": "text/plain",
      "X-Mine": "kept",
      "X-Emulator-Outcome": '{"outcome":"failure"}',
    };
    await call(client, { headers, requestId: "mine" });
    const sent = requests[0]?.headers;
    expect(sent?.get("x-api-key")).toBe(API_KEY);
    expect(sent?.get("x-request-id")).toBe("mine");
    expect(sent?.get("x-mine")).toBe("kept");
    expect(sent?.get("x-emulator-outcome")).toBe('{"outcome":"failure"}');
    if (requests[0]?.method === "POST") expect(sent?.get("content-type")).toBe("application/json");
  });

  test("ends at once, and sends nothing, when it was aborted before", async () => {
    const { client, requests } = createWorld(answer);
    const reason = new Error("never mind");
    await expect(call(client, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(requests).toEqual([]);
  });

  test("ends with the signal's reason when it is aborted between two attempts", async () => {
    const controller = new AbortController();
    const { client, requests, clock } = createWorld(() => limited(60));
    const result = call(client, { signal: controller.signal });
    const reason = { why: "the user left" };
    while (clock.sleeps.length === 0) await new Promise((resolve) => setImmediate(resolve));
    controller.abort(reason);
    await expect(result).rejects.toBe(reason);
    expect(requests).toHaveLength(1);
  });
});

test("an error response as JSON has name, message, status, code, request ID and headers", async () => {
  const { client } = createWorld(() => refusal(402, "insufficient_credits", { "X-Gateway": "eu-1" }));
  const error = await rejection(client.account.balance(), InsufficientCreditsError);
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    name: "InsufficientCreditsError",
    message: error.message,
    status: 402,
    errorCode: "insufficient_credits",
    requestId: error.requestId,
    taskId: null,
    headers: { "content-type": "application/json", "x-gateway": "eu-1" },
  });
});

test.each([200, 404, 500])("an abort during the body of a %i rejects with its reason", async (status) => {
  const controller = new AbortController();
  const reason = new Error("enough");
  const body = () =>
    new ReadableStream({
      pull() {
        controller.abort(reason);
        return new Promise(() => {});
      },
    });
  const { client, requests } = createWorld(() => new Response(body(), { status }));
  await expect(client.tasks.retrieve(TASK_ID, { signal: controller.signal })).rejects.toBe(reason);
  expect(requests).toHaveLength(1);
});

test.each<[string, (note: (request: Request) => void) => typeof fetch]>([
  ["passes on only the request", (note) => (request) => unanswered(() => note(new Request(request)))],
  [
    "forwards all arguments",
    (note) =>
      (...all) =>
        unanswered(() => note(new Request(...all))),
  ],
])("a custom fetch that %s receives the abort", async (_, fetchWith) => {
  const seen: Request[] = [];
  const fetch = fetchWith((request) => seen.push(request));
  const client = new AsyncMusic({ apiKey: API_KEY, baseUrl: BASE_URL, fetch, maxRetries: 0 });
  await rejection(client.account.balance({ timeoutMs: 1 }), RequestTimeoutError);
  const controller = new AbortController();
  const reading = client.account.usage({ signal: controller.signal });
  while (seen.length < 2) await turns(1);
  controller.abort("enough");
  await expect(reading).rejects.toBe("enough");
  expect(seen.map(({ signal }) => signal.aborted)).toEqual([true, true]);
});

/** Records a request and never responds. */
function unanswered(note: () => void): Promise<Response> {
  note();
  return new Promise(() => {});
}

test("a signal has no listeners after its calls have ended", async () => {
  const { signal } = new AbortController();
  const { client } = createWorld(({ method, path }) => {
    if (path === "/song") return new Response("la", { headers: { "Content-Type": "audio/mpeg" } });
    return method === "POST" ? accepted() : ok(succeeded());
  });
  await client.tasks.run(SONG_REQUEST, { signal });
  await client.tasks.retrieve(TASK_ID, { signal });
  await Promise.all([client.tasks.wait(TASK_ID, { signal }), client.tasks.wait(TASK_ID, { signal })]);
  const audio = await client.audio.download("https://audio.example/song", { signal });
  await audio.arrayBuffer();
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("each poll of a wait has its own request ID, unless the caller passed one", async () => {
  const answers = inTurn(ok(task()), ok(task()), ok(succeeded()));
  const own = createWorld(answers, { random: Math.random });
  await own.client.tasks.wait(TASK_ID);
  expect(new Set(idsOf(own)).size).toBe(3);

  const given = createWorld(answers);
  await given.client.tasks.wait(TASK_ID, { requestId: "wait-1" });
  expect(idsOf(given)).toEqual(["wait-1", "wait-1", "wait-1"]);
});

test("the request ID of a run is sent with its POST, not with its polls", async () => {
  const world = createWorld(inTurn(accepted(), ok(succeeded())));
  await world.client.tasks.run(SONG_REQUEST, { requestId: "order-1" });
  const [post, poll] = idsOf(world);
  expect(post).toBe("order-1");
  expect(poll).not.toBe("order-1");
});

test("the same random numbers make the same request IDs, which are UUIDs", async () => {
  const ids = async (seed: number) => {
    let state = seed;
    const random = () => {
      state = (state * 16_807) % 2_147_483_647;
      return state / 2_147_483_647;
    };
    const world = createWorld(() => balance(), { random });
    await world.client.account.balance();
    return idsOf(world)[0];
  };
  expect(await ids(1)).toBe(await ids(1));
  expect(await ids(1)).not.toBe(await ids(2));
  expect(await ids(1)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
