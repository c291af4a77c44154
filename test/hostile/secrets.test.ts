import {
  AsyncMusic,
  AsyncMusicError,
  BadRequestError,
  type ClientOptions,
  InvalidOptionError,
  memoryJournal,
  SubmissionOutcomeUnknownError,
  TaskFailedError,
  WaitTimeoutError,
} from "async-music";
import { describe, expect, test } from "vitest";
import { accepted, failed, refusal, SONG_REQUEST, submission, TASK_ID, task } from "../support/answers.js";
import { connect } from "../support/connect.js";
import { expectNoKey } from "../support/leaks.js";
import { cutAfter, listen, reply } from "../support/loopback.js";
import { reasonOf, rejection } from "../support/rejection.js";
import { API_KEY, clientOf, createWorld } from "../support/world.js";

const CALLS: [name: string, call: (client: AsyncMusic) => Promise<unknown>][] = [
  ["create", (client) => client.tasks.create(SONG_REQUEST)],
  ["retrieve", (client) => client.tasks.retrieve(TASK_ID)],
  ["balance", (client) => client.account.balance()],
  ["usage", (client) => client.account.usage()],
];

test("a client that is printed shows no key", () => {
  const client = new AsyncMusic({ apiKey: API_KEY, baseUrl: "https://music.example" });
  for (const part of [client, client.tasks, client.account, client.audio, { client }])
    expectNoKey(part, API_KEY);
});

describe.each(CALLS)("%s of a server that echoes the key", (_, call) => {
  test.each([400, 401, 402, 403, 404, 418, 429, 500, 502])("shows it nowhere after a %i", async (status) => {
    const server = await listen((to) => {
      const body = {
        code: status,
        error_code: `bad_${API_KEY}`,
        message: `no such key: ${API_KEY}. ${API_KEY}`,
      };
      reply(to, status, body, {
        "X-Request-Id": `id-${API_KEY}`,
        "X-Echo": API_KEY,
        "Set-Cookie": `key=${API_KEY}`,
      });
    });
    const { client } = connect(server);
    const error = await reasonOf(call(client));
    expect(error).toBeInstanceOf(AsyncMusicError);
    expect(error).toMatchObject({ requestId: "id-[redacted]" });
    expectNoKey(error, API_KEY);
  });

  test("shows it nowhere when it stands across the end of what a message keeps of the prose", async () => {
    for (let before = 285; before < 300; before += 7) {
      const message = `${"x".repeat(before)}${API_KEY}`;
      const server = await listen((to) => reply(to, 400, { code: 400, error_code: "invalid_json", message }));
      const { client } = connect(server);
      const error = await reasonOf(call(client));
      expect(String(error)).not.toContain(API_KEY.slice(0, 6));
    }
  });

  test("shows it nowhere after an answer of success that is broken", async () => {
    const server = await listen((to) =>
      reply(to, 200, { [API_KEY]: API_KEY, data: API_KEY }, { "X-Request-Id": API_KEY }),
    );
    const { client } = connect(server);
    expectNoKey(await reasonOf(call(client)), API_KEY);
  });

  test("shows it nowhere after a header that can't be parsed", async () => {
    const server = await listen((to) => cutAfter(to, `HTTP/1.1 200 OK\r\nX-Key ${API_KEY}\r\n\r\n`));
    const { client } = connect(server);
    expectNoKey(await reasonOf(call(client)), API_KEY);
  });
});

test("a task that fails with the key in its prose shows it nowhere", async () => {
  const { client } = createWorld(() =>
    Response.json({ code: 200, data: failed({ error: `refused ${API_KEY}`, input: { note: API_KEY } }) }),
  );
  const error = await rejection(client.tasks.wait(TASK_ID), TaskFailedError);
  expect(error.task.error).toBe("refused [redacted]");
  expectNoKey(error, API_KEY);
});

test("a wait that ends with the key in the task that it last saw shows it nowhere", async () => {
  const { client } = createWorld(() =>
    Response.json({ code: 200, data: task({ input: { note: API_KEY } }) }),
  );
  const error = await rejection(client.tasks.wait(TASK_ID, { maxWaitMs: 20_000 }), WaitTimeoutError);
  expect(error.task?.input).toEqual({ note: "[redacted]" });
  expectNoKey(error, API_KEY);
});

test("a broken answer to a create that names the key for its task shows it nowhere", async () => {
  for (const id of [API_KEY, `task-${API_KEY}`, API_KEY.toUpperCase()]) {
    const { client } = createWorld(() => new Response(`{"data":{"task_id":"${id}","ty`, { status: 202 }));
    expectNoKey(await reasonOf(client.tasks.create(SONG_REQUEST)), id);
  }
});

test("a key that stands in a request shows nowhere in the error of its unknown outcome", async () => {
  const { client } = createWorld(() => refusal(500, "internal_error"));
  const request = { ...SONG_REQUEST, input: { gpt_description_prompt: `rain ${API_KEY}` } };
  const place = { journal: memoryJournal(), journalKey: "rain" };
  for (const call of [client.tasks.create(request), client.tasks.run(request, place)]) {
    const error = await rejection(call, SubmissionOutcomeUnknownError);
    expect(error.request).toEqual({ ...SONG_REQUEST, input: { gpt_description_prompt: "rain [redacted]" } });
    expectNoKey(error, API_KEY);
  }
});

test("a key that stands in a request shows nowhere in the error of a run that was left", async () => {
  const controller = new AbortController();
  const { client } = createWorld(() => {
    controller.abort("left");
    return accepted();
  });
  const request = { ...SONG_REQUEST, input: { gpt_description_prompt: `rain ${API_KEY}` } };
  const run = client.tasks.run(request, { signal: controller.signal });
  expectNoKey(await rejection(run, SubmissionOutcomeUnknownError), API_KEY);
});

test("a key that is taken for a task id is shown nowhere", async () => {
  const { client } = createWorld(() =>
    Response.json({ code: 404, error_code: "task_not_found" }, { status: 404 }),
  );
  expectNoKey(await reasonOf(client.tasks.retrieve(API_KEY)), API_KEY);
  expectNoKey(await reasonOf(client.tasks.wait(API_KEY)), API_KEY);
  expectNoKey(await reasonOf(client.tasks.wait(API_KEY, { maxWaitMs: 10 })), API_KEY);
});

test("a fetch that throws the request shows no key, neither in the error nor in its causes", async () => {
  const fetch = async (input: string | URL | Request) => {
    const request = new Request(input);
    const cause = Object.assign(new Error(`sent ${API_KEY}`), { headers: [...request.headers] });
    throw Object.assign(new TypeError("fetch failed", { cause }), {
      request,
      options: { headers: request.headers },
    });
  };
  const client = clientOf(fetch);
  for (const [, call] of CALLS) expectNoKey(await reasonOf(call(client)), API_KEY);
});

const circular = new Error("round");
circular.cause = circular;
const thrown = [circular, undefined, null, "no", 7, { code: "ECONNREFUSED" }, Symbol("no")];

test.each([
  ...thrown.map((reason) => ["throws", reason, () => Promise.reject(reason)] as const),
  ...[undefined, null, {}, "ok"].map((value) => ["returns", value, async () => value] as const),
])("a fetch that %s %s fails as any other does", async (_, __, fetch) => {
  const client = clientOf(fetch as typeof globalThis.fetch);
  await expect(client.account.balance()).rejects.toMatchObject({ name: "ConnectionError" });
  const created = client.tasks.create(SONG_REQUEST);
  await expect(created).rejects.toMatchObject({ name: "SubmissionOutcomeUnknownError" });
});

test("what a call with its response answers shows no key in its headers and its request id", async () => {
  const headers = { "X-Echo": API_KEY, "X-Request-Id": API_KEY };
  const server = await listen((to) => reply(to, 202, { code: 202, data: submission() }, headers));
  const { client } = connect(server);
  const answered = await client.tasks.create(SONG_REQUEST).withResponse();
  expect(answered.requestId).toBe("[redacted]");
  expectNoKey(answered, API_KEY);
});

test("an option that is refused does not show the key", () => {
  for (const options of [
    { apiKey: `${API_KEY}\n`, baseUrl: "https://music.example" },
    { apiKey: `Bearer ${API_KEY}`, baseUrl: "https://music.example" },
    { apiKey: API_KEY, baseUrl: `https://music.example/?key=${API_KEY}` },
    { apiKey: API_KEY, baseUrl: `https://${API_KEY}@music.example` },
    { apiKey: API_KEY, baseUrl: `https://me:${API_KEY}@music.example/#x` },
    { apiKey: API_KEY, baseUrl: API_KEY },
    { apiKey: "https://music.example", baseUrl: API_KEY },
    ...["fetch", "timeoutMs", "maxRetries", "retryBudgetMs", "clock", "random", "validateRequests"].map(
      (option) => ({ apiKey: "key_other", baseUrl: "https://music.example", [option]: API_KEY }),
    ),
  ]) {
    try {
      new AsyncMusic(options as ClientOptions);
      expect.fail("Expected the options to be refused");
    } catch (error) {
      expect(error).toMatchObject({ name: "InvalidOptionError" });
      expectNoKey(error, API_KEY);
    }
  }
});

test.each([
  "timeoutMs",
  "maxRetries",
  "requestId",
  "signal",
  "headers",
  "pollIntervalMs",
  "maxWaitMs",
  "onUpdate",
  "onSubmitted",
])("a key that is given as `%s` of a call does not show in the refusal", async (option) => {
  const { client, requests } = createWorld(() => accepted());
  const secret = `${API_KEY} `;
  for (const value of [secret, [secret, secret]]) {
    const error = await rejection(client.tasks.run(SONG_REQUEST, { [option]: value }), InvalidOptionError);
    expect(error.option).toBe(option);
    expectNoKey(error, API_KEY);
  }
  expect(requests).toEqual([]);
});

test("a server that names a header after the key, or echoes it percent-encoded, does not make it show", async () => {
  const apiKey = "Key+4f9a/1c77=";
  const encoded = encodeURIComponent(apiKey);
  const { client } = createWorld(
    () => refusal(400, "invalid_json", { "X-Echo": encoded }, { message: `no such key: ${encoded}` }),
    { apiKey },
  );
  const error = await rejection(client.account.balance(), BadRequestError);
  expectNoKey(error, encoded);

  const named = createWorld(() => refusal(400, "invalid_json", { [API_KEY]: "x" }));
  expectNoKey(await rejection(named.client.account.balance(), BadRequestError), API_KEY);
});
