import {
  AsyncMusic,
  AuthenticationError,
  ConnectionError,
  InvalidOptionError,
  memoryJournal,
} from "async-music";
import { createEmulator, type Emulator } from "async-music/emulator";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { createRedactor } from "../../src/errors/redactor.js";
import { expectNoKey } from "../support/leaks.js";
import { createLog } from "../support/log.js";
import { createOwnPacer } from "../support/own-pacer.js";
import { reasonOf, rejection } from "../support/rejection.js";
import { SONG_REQUEST } from "../support/responses.js";

const UNKNOWN_TASK = "11111111-1111-4111-8111-111111111111";

let emulator: Emulator;
beforeEach(() => {
  emulator = createEmulator({ seed: 1, credits: 5000 });
  return () => emulator[Symbol.asyncDispose]();
});

/** The keys of an account, the current one last. */
function createKeys() {
  const { account_id: accountId, key_id: id, api_key: first } = emulator.accounts.create({ credits: 5000 });
  const values = [first];
  const ids = new Map([[first, id]]);
  const current = () => values.at(-1) ?? "";
  const add = () => {
    const key = emulator.accounts.createKey(accountId);
    ids.set(key.api_key, key.key_id);
    values.push(key.api_key);
  };
  const deleteOld = () => {
    for (const value of values.slice(0, -1)) {
      const old = ids.get(value);
      if (old !== undefined && ids.delete(value)) emulator.accounts.deleteKey(accountId, old);
    }
  };
  return { values, current, add, deleteOld };
}

const statuses = (method: string) =>
  emulator.requests.filter((request) => request.method === method).map(({ status }) => status);

test("100 waits and 20 creates survive rotations of the key: nothing is lost, and nothing is sent twice", async () => {
  const keys = createKeys();
  const log = createLog();
  const { apiKey: _, ...connection } = emulator.connection();
  const client = new AsyncMusic({
    ...connection,
    apiKey: async () => keys.current(),
    logger: log,
    logLevel: "debug",
  });
  const submissions = await Promise.all(Array.from({ length: 100 }, () => client.tasks.create(SONG_REQUEST)));
  const events: unknown[] = [];
  for (const name of ["attempt", "response", "wait", "retry", "pause", "task"] as const)
    client.on(name, (event) => events.push(event));
  let attempts = 0;
  client.on("attempt", ({ method }) => {
    attempts++;
    // The event comes after the key was read: this read is sent with a key that no longer exists.
    if (attempts % 100 === 99 && method === "GET") {
      keys.add();
      keys.deleteOld();
    }
  });
  const [songs, created] = await Promise.all([
    Promise.all(submissions.map((submission) => client.tasks.wait(submission))),
    Promise.all(Array.from({ length: 20 }, () => client.tasks.run(SONG_REQUEST))),
  ]);
  expect(new Set([...songs, ...created].map((song) => song.task_id)).size).toBe(120);
  expect(statuses("POST")).toEqual(Array.from({ length: 120 }, () => 202));
  expect(keys.values.length).toBeGreaterThan(3);
  expect(statuses("GET")).toContain(401);
  expect(statuses("GET")).not.toContain(429);
  expect(emulator.audit()).toEqual([]);
  expect((await client.account.usage()).tasks_created).toBe(120);
  for (const key of keys.values) for (const shown of [client, log.lines, events]) expectNoKey(shown, key);
});

test("a read that gets a 401 is sent once more if the function returns another key by then", async () => {
  const keys = createKeys();
  keys.add();
  const [old = "", current = ""] = keys.values;
  keys.deleteOld();
  const apiKey = vi.fn().mockResolvedValueOnce(old).mockResolvedValue(current);
  const client = new AsyncMusic({ ...emulator.connection(), apiKey, maxRetries: 0 });
  expect((await client.account.balance()).available).toBe(5000);
  expect(statuses("GET")).toEqual([401, 200]);
});

test("a read that gets a 401 is not sent again with the same key, nor a second time", async () => {
  const same = vi.fn(async () => "emu_unknown_key_1");
  const client = new AsyncMusic({ ...emulator.connection(), apiKey: same });
  await rejection(client.account.balance(), AuthenticationError);
  expect(statuses("GET")).toEqual([401]);
  expect(same).toHaveBeenCalledTimes(2);

  let count = 0;
  const always = new AsyncMusic({ ...emulator.connection(), apiKey: () => `emu_unknown_key_${count++}` });
  await rejection(always.account.balance(), AuthenticationError);
  expect(statuses("GET")).toEqual([401, 401, 401]);
  const error = await rejection(always.tasks.wait(UNKNOWN_TASK), AuthenticationError);
  expect(error.taskId).toBe(UNKNOWN_TASK);
  expect(statuses("GET")).toHaveLength(5);
});

test("a create that gets a 401 is not sent again, although another key is there", async () => {
  let count = 0;
  const client = new AsyncMusic({ ...emulator.connection(), apiKey: () => `emu_unknown_key_${count++}` });
  await rejection(client.tasks.create(SONG_REQUEST), AuthenticationError);
  expect(statuses("POST")).toEqual([401]);
  // The service may have created a task, and something between the two replaced the response.
  emulator.faults.add({ method: "POST", fault: { kind: "status", status: 401, when: "after" } });
  const keys = createKeys();
  const rotating = new AsyncMusic({
    ...emulator.connection(),
    apiKey: async () => {
      keys.add();
      return keys.current();
    },
  });
  await rejection(rotating.tasks.create(SONG_REQUEST), AuthenticationError);
  expect(statuses("POST")).toEqual([401, 401]);
});

describe("a function that fails", () => {
  const lost = new Error("the vault is closed");

  test("ends a create before anything is sent, and leaves its journal key free", async () => {
    const { pacer, asked, told } = createOwnPacer();
    const apiKey = () => {
      throw lost;
    };
    const journal = memoryJournal();
    const client = new AsyncMusic({ ...emulator.connection(), apiKey, pacer });
    const error = await rejection(
      client.tasks.run(SONG_REQUEST, { journal, journalKey: "order" }),
      ConnectionError,
    );
    expect(error.cause).toBe(lost);
    expect(error.message).toBe(
      `Failed to create a task: the function \`apiKey\` threw; see \`cause\`. Nothing was sent. (request ID ${error.requestId})`,
    );
    expect(emulator.requests).toEqual([]);
    expect(await journal.get("order")).toBeNull();
    expect(told).toHaveLength(asked.length);
    await new AsyncMusic(emulator.connection()).tasks.run(SONG_REQUEST, { journal, journalKey: "order" });
    expect(statuses("POST")).toEqual([202]);
  });

  test("is called again for a read, and delays a wait only", async () => {
    const submission = await new AsyncMusic(emulator.connection()).tasks.create(SONG_REQUEST);
    let calls = 0;
    const apiKey = async () => {
      if (calls++ < 2) throw lost;
      return emulator.apiKey;
    };
    const client = new AsyncMusic({ ...emulator.connection(), apiKey });
    await client.account.balance();
    calls = 0;
    await client.tasks.wait(submission);
    calls = 0;
    const error = await rejection(client.account.balance({ maxRetries: 1 }), ConnectionError);
    expect(error.cause).toBe(lost);
  });

  test.each([
    ["two words", /visible ASCII characters without spaces; got a string of length 9/],
    ["key_with_line_end\n", /visible ASCII/],
    [undefined, /visible ASCII characters without spaces; got undefined/],
    ["https://music.example", /looks like a URL/],
  ])("returns %j: the error names the rule, and nothing is sent", async (value, rule) => {
    const { pacer, asked, told } = createOwnPacer();
    const apiKey = () => value as string;
    const client = new AsyncMusic({ ...emulator.connection(), apiKey, pacer });
    for (const call of [
      () => client.tasks.create(SONG_REQUEST),
      () => client.account.balance(),
      () => client.tasks.wait(UNKNOWN_TASK),
    ]) {
      const error = await rejection(call(), InvalidOptionError);
      expect(error.message).toMatch(rule);
      expect(error.message).toContain("Nothing was sent.");
      expect(error.option).toBe("apiKey");
    }
    const ofWait = await rejection(client.tasks.wait(UNKNOWN_TASK), InvalidOptionError);
    expect(ofWait.taskId).toBe(UNKNOWN_TASK);
    expect(emulator.requests).toEqual([]);
    expect(told).toHaveLength(asked.length);
  });

  test("never returns: the call ends after `timeoutMs`, or with the abort", async () => {
    const apiKey = () => new Promise<string>(() => {});
    const client = new AsyncMusic({ ...emulator.connection(), apiKey });
    const error = await rejection(client.tasks.create(SONG_REQUEST, { timeoutMs: 5 }), ConnectionError);
    expect(error.message).toContain("the function `apiKey` did not return within 5 ms. Nothing was sent.");
    const aborter = new AbortController();
    const aborted = reasonOf(client.tasks.create(SONG_REQUEST, { signal: aborter.signal }));
    await Promise.resolve();
    aborter.abort("enough");
    expect(await aborted).toBe("enough");
    expect(emulator.requests).toEqual([]);
  });
});

test("each attempt has the key of its moment, and a function is not called before the first one", async () => {
  const keys = createKeys();
  const apiKey = vi.fn(() => keys.current());
  const client = new AsyncMusic({ ...emulator.connection(), apiKey });
  expect(apiKey).not.toHaveBeenCalled();
  emulator.faults.add({ method: "GET", times: 1, fault: { kind: "status", status: 503, when: "before" } });
  await client.account.balance();
  expect(apiKey).toHaveBeenCalledTimes(2);
});

test("every key that the function has returned is redacted, and an audio host receives none", async () => {
  const keys = createKeys();
  keys.add();
  const [old = "old", current = "current"] = keys.values;
  const { fetch } = emulator.connection();
  const echo: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    if (!request.url.includes("/api/v1/")) {
      expect([...request.headers].join()).not.toMatch(/emu_/);
      return fetch(request);
    }
    const body = { code: 400, error_code: `no_${old}`, message: `no ${old} and no ${current}` };
    return new Response(JSON.stringify(body), { status: 400, headers: { "X-Echo": `${old} ${current}` } });
  };
  const values = [old, current, "emu_third_key"];
  const apiKey = () => values.shift() ?? "emu_third_key";
  const client = new AsyncMusic({ ...emulator.connection(), fetch: echo, apiKey });
  const errors = [];
  for (let count = 0; count < 3; count++) errors.push(await reasonOf(client.account.usage()));
  expect(errors).toHaveLength(3);
  // The second key is known only once the function has returned it.
  expectNoKey(errors[0], old);
  for (const error of errors.slice(1)) for (const key of [old, current]) expectNoKey(error, key);

  const own = new AsyncMusic({ ...emulator.connection(), apiKey: async () => current });
  const song = await own.tasks.run(SONG_REQUEST);
  const [clip] = song.output.result;
  const downloading = new AsyncMusic({ ...emulator.connection(), fetch: echo, apiKey: async () => current });
  await (await downloading.audio.download(clip?.audio_url ?? "")).blob();
});

test("a response does not show the key of its request, however many keys were read meanwhile", async () => {
  const waiting: (() => void)[] = [];
  const echo: typeof fetch = async (input, init) => {
    const key = new Request(input, init).headers.get("X-API-Key");
    await new Promise<void>((respond) => waiting.push(respond));
    const body = { code: 400, error: `wrong key ${key}`, error_code: "invalid_request_body" };
    return new Response(JSON.stringify(body), { status: 400, headers: { "X-Echo": `${key}` } });
  };
  const keys = Array.from({ length: 40 }, (_, index) => `emu_key_number_${index}_`);
  const left = [...keys];
  const client = new AsyncMusic({ ...emulator.connection(), fetch: echo, apiKey: () => left.shift() ?? "" });
  const errors = keys.map(() => reasonOf(client.account.usage()));
  while (waiting.length < keys.length) await new Promise((resolve) => setImmediate(resolve));
  for (const respond of waiting) respond();
  for (const [index, error] of (await Promise.all(errors)).entries()) expectNoKey(error, keys[index] ?? "");
});

test("a client that has had many keys knows the last 32", () => {
  const redactor = createRedactor("");
  const keys = Array.from({ length: 33 }, (_, index) => `emu_key_number_${index}_`);
  for (const key of keys) redactor.learn(key);
  for (const key of keys.slice(1)) expect(redactor.text(`a ${key} b`)).toBe("a [redacted] b");
  expect(redactor.text(`${keys[0]}`)).toBe(keys[0]);
  redactor.learn(keys[1] ?? "");
  redactor.learn("emu_another_key");
  expect(redactor.containsKey(keys[1] ?? "")).toBe(true);
  expect(redactor.containsKey(keys[2] ?? "")).toBe(false);
});

test("a factory of pacers gets the key that attempts are sent with", async () => {
  const keys = createKeys();
  const given: unknown[] = [];
  let current: () => Promise<string> = async () => "";
  const { pacer } = createOwnPacer();
  const client = new AsyncMusic({
    ...emulator.connection(),
    apiKey: async () => keys.current(),
    pacer: (_, apiKey, currentKey) => {
      given.push(apiKey);
      current = currentKey;
      return pacer;
    },
  });
  expect(given).toEqual([""]);
  expect(await current()).toBe(keys.values[0]);
  keys.add();
  await client.account.balance();
  expect(await current()).toBe(keys.values[1]);
});

test("in a browser, a function needs `dangerouslyAllowBrowser`, since it may return any key", () => {
  vi.stubGlobal("window", { document: {} });
  vi.stubGlobal("document", {});
  try {
    const apiKey = () => emulator.apiKey;
    expect(() => new AsyncMusic({ ...emulator.connection(), apiKey })).toThrow(/This is a browser/);
    new AsyncMusic({ ...emulator.connection(), apiKey, dangerouslyAllowBrowser: true });
  } finally {
    vi.unstubAllGlobals();
  }
});
