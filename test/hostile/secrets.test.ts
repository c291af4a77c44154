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
import { CALLS } from "../support/calls.js";
import { connect } from "../support/connect.js";
import { expectNoKey } from "../support/leaks.js";
import { cutting, listen, replying } from "../support/loopback.js";
import { reasonOf, rejection } from "../support/rejection.js";
import { accepted, failed, ok, refusal, SONG_REQUEST, TASK_ID, task } from "../support/responses.js";
import { API_KEY, clientOf, createWorld } from "../support/world.js";

test("a printed client does not show its key", () => {
  const client = new AsyncMusic({ apiKey: API_KEY, baseUrl: "https://music.example" });
  for (const part of [client, client.tasks, client.account, client.audio, { client }])
    expectNoKey(part, API_KEY);
});

describe.each(CALLS)("if a server echoes the key, the error of %s", (_, call) => {
  test.each([400, 401, 402, 403, 404, 418, 429, 500, 502])("does not show it after a %i", async (status) => {
    const message = `no such key: ${API_KEY}. ${API_KEY}`;
    const body = { code: status, error_code: `bad_${API_KEY}`, message };
    const headers = { "X-Request-Id": `id-${API_KEY}`, "X-Echo": API_KEY, "Set-Cookie": `key=${API_KEY}` };
    const { client } = connect(await listen(replying(status, body, headers)));
    const error = await reasonOf(call(client));
    expect(error).toBeInstanceOf(AsyncMusicError);
    expect(error).toMatchObject({ requestId: "id-[redacted]" });
    expectNoKey(error, API_KEY);
  });

  test("does not show a part of it where the message is cut", async () => {
    for (let before = 285; before < 300; before += 7) {
      const message = `${"x".repeat(before)}${API_KEY}`;
      const { client } = connect(await listen(replying(400, { error_code: "invalid_json", message })));
      const error = await reasonOf(call(client));
      expect(String(error)).not.toContain(API_KEY.slice(0, 6));
    }
  });

  test.each([
    ["response", replying(200, { [API_KEY]: API_KEY, data: API_KEY }, { "X-Request-Id": API_KEY })],
    ["header", cutting(`HTTP/1.1 200 OK\r\nX-Key ${API_KEY}\r\n\r\n`)],
  ])("does not show it after an invalid %s", async (_, treat) => {
    const { client } = connect(await listen(treat));
    expectNoKey(await reasonOf(call(client)), API_KEY);
  });
});

test("a task in an error does not show the key", async () => {
  const input = { note: API_KEY };
  const failing = createWorld(() => ok(failed({ error: `refused ${API_KEY}`, input }))).client;
  const failure = await rejection(failing.tasks.wait(TASK_ID), TaskFailedError);
  expect(failure.task).toMatchObject({ error: "refused [redacted]", input: { note: "[redacted]" } });
  expectNoKey(failure, API_KEY);

  const { client } = createWorld(() => ok(task({ input })));
  const timeout = await rejection(client.tasks.wait(TASK_ID, { maxWaitMs: 20_000 }), WaitTimeoutError);
  expect(timeout.task?.input).toEqual({ note: "[redacted]" });
  expectNoKey(timeout, API_KEY);
});

test("an invalid response to a create with the key as its task ID does not show it", async () => {
  for (const id of [API_KEY, `task-${API_KEY}`, API_KEY.toUpperCase()]) {
    const { client } = createWorld(() => new Response(`{"data":{"task_id":"${id}","ty`, { status: 202 }));
    expectNoKey(await reasonOf(client.tasks.create(SONG_REQUEST)), id);
  }
});

test("a key in a request is not in the error of its unknown outcome", async () => {
  const request = { ...SONG_REQUEST, input: { gpt_description_prompt: `rain ${API_KEY}` } };
  const { client } = createWorld(() => refusal(500, "internal_error"));
  const controller = new AbortController();
  const aborting = createWorld(() => {
    controller.abort("left");
    return accepted();
  }).client;
  for (const call of [
    () => client.tasks.create(request),
    () => client.tasks.run(request, { journal: memoryJournal(), journalKey: "rain" }),
    () => aborting.tasks.run(request, { signal: controller.signal }),
  ]) {
    const error = await rejection(call(), SubmissionOutcomeUnknownError);
    expect(error.request).toEqual({ ...SONG_REQUEST, input: { gpt_description_prompt: "rain [redacted]" } });
    expectNoKey(error, API_KEY);
  }
});

test("a key that is passed as a task ID is not shown", async () => {
  const { client } = createWorld(() => refusal(404, "task_not_found"));
  expectNoKey(await reasonOf(client.tasks.retrieve(API_KEY)), API_KEY);
  expectNoKey(await reasonOf(client.tasks.wait(API_KEY)), API_KEY);
  expectNoKey(await reasonOf(client.tasks.wait(API_KEY, { maxWaitMs: 10 })), API_KEY);
});

const circular = new Error("round");
circular.cause = circular;
const thrown = [circular, undefined, null, "no", 7, { code: "ECONNREFUSED" }, Symbol("no")];

test.each([
  ...thrown.map((reason) => ["throws", reason, () => Promise.reject(reason)] as const),
  ...[undefined, null, {}, "ok"].map((value) => ["returns", value, async () => value] as const),
])("a fetch that %s %s fails like any other", async (_, __, fetch) => {
  const client = clientOf(fetch as typeof globalThis.fetch);
  await expect(client.account.balance()).rejects.toMatchObject({ name: "ConnectionError" });
  const created = client.tasks.create(SONG_REQUEST);
  await expect(created).rejects.toMatchObject({ name: "SubmissionOutcomeUnknownError" });
});

test("`withResponse` does not show the key in headers and request ID", async () => {
  const headers = { "X-Echo": API_KEY, "X-Request-Id": API_KEY };
  const { client } = createWorld(() => accepted({}, headers));
  const result = await client.tasks.create(SONG_REQUEST).withResponse();
  expect(result.requestId).toBe("[redacted]");
  expectNoKey(result, API_KEY);
});

test("the error of a client option does not show the key", () => {
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

const OPTIONS = "timeoutMs maxRetries requestId signal headers pollIntervalMs maxWaitMs onUpdate onSubmitted";

test.each(OPTIONS.split(" "))("the error of `%s` of a call does not show the key", async (option) => {
  const { client, requests } = createWorld(() => accepted());
  const secret = `${API_KEY} `;
  for (const value of [secret, [secret, secret]]) {
    const error = await rejection(client.tasks.run(SONG_REQUEST, { [option]: value }), InvalidOptionError);
    expect(error.option).toBe(option);
    expectNoKey(error, API_KEY);
  }
  expect(requests).toEqual([]);
});

test("a header named after the key, and the key in percent-encoding, are redacted", async () => {
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
