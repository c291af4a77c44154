import { AsyncMusic, ConnectionError, WaitTimeoutError } from "async-music";
import { createEmulator } from "async-music/emulator";
import { expect, test } from "vitest";
import { SONG_REQUEST, TASK_ID } from "../support/answers.js";
import { expectNoKey } from "../support/leaks.js";
import { rejection } from "../support/rejection.js";
import { API_KEY, createWorld } from "../support/world.js";

// A connection that fails names its host and the system's reason, and never the key.

const failing = (failure: unknown, options = {}) =>
  createWorld(() => Promise.reject(failure), { maxRetries: 0, ...options }).client;

const coded = (code: string) =>
  new TypeError("fetch failed", { cause: Object.assign(new Error("no"), { code }) });

test("a connection that can't be made names the host and the system's reason", async () => {
  const client = failing(coded("ENOTFOUND"), { baseUrl: "https://musik.example:8443" });
  for (const call of [client.account.balance(), client.tasks.create(SONG_REQUEST)]) {
    const { message } = await rejection(call, ConnectionError);
    expect(message).toContain("the connection to musik.example:8443 failed (ENOTFOUND); nothing was sent.");
    expect(message).not.toContain("emulator");
  }
});

test("a connection that breaks names them too", async () => {
  const { message } = await rejection(failing(coded("ECONNRESET")).account.balance(), ConnectionError);
  expect(message).toContain("the connection to music.example was lost (ECONNRESET).");
});

test("the reason is found up to eight causes deep", async () => {
  const below = (levels: number): Error =>
    levels === 0 ? (coded("ECONNRESET").cause as Error) : new Error("outer", { cause: below(levels - 1) });
  const messageOf = async (levels: number) =>
    (await rejection(failing(below(levels)).account.balance(), ConnectionError)).message;
  expect(await messageOf(8)).toContain("(ECONNRESET)");
  expect(await messageOf(9)).not.toContain("ECONNRESET");
});

test("a forbidden port has undici's reason", async () => {
  const failure = new TypeError("fetch failed", { cause: new Error("bad port") });
  const { message } = await rejection(failing(failure).account.balance(), ConnectionError);
  expect(message).toContain("(bad port)");
});

test("without a code, or with one that is prose, there is no reason in parentheses", async () => {
  const listed = Object.assign(new Error("no"), { code: ["ECONNRESET"] });
  for (const failure of [new TypeError("no"), coded("no such host"), listed, "no", undefined]) {
    const { message } = await rejection(failing(failure).account.balance(), ConnectionError);
    expect(message).toContain("the connection to music.example was lost.");
  }
});

test("the key is redacted from a host and a code", async () => {
  const apiKey = "Key-4f9a1c77";
  const hosted = failing(coded("ENOTFOUND"), { apiKey, baseUrl: `https://${apiKey}.example` });
  expectNoKey(await rejection(hosted.account.balance(), ConnectionError), apiKey.toLowerCase());
  const client = failing(coded("KEY_4F9A1C77E2B04D0C9E51"));
  expectNoKey(await rejection(client.account.balance(), ConnectionError), API_KEY.toUpperCase());
});

test("the base URL of an in-process emulator suggests passing its whole connection", async () => {
  const { baseUrl, apiKey } = createEmulator().connection();
  const fetch = () => Promise.reject(coded("ENOTFOUND"));
  const client = new AsyncMusic({ baseUrl, apiKey, fetch, maxRetries: 0 });
  const { message } = await rejection(client.account.balance(), ConnectionError);
  expect(message).toContain(
    "pass all of `emulator.connection()` to the client, including `fetch`. (request id",
  );
  const waiting = createWorld(fetch, { baseUrl, apiKey }).client.tasks.wait(TASK_ID, { maxWaitMs: 5000 });
  expect((await rejection(waiting, WaitTimeoutError)).cause).toMatchObject({
    message: expect.stringMatching(/including `fetch`\. .*client\.tasks\.wait/),
  });
});
