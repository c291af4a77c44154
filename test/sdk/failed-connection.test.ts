import { AsyncMusic, AudioDownloadError, ConnectionError, WaitTimeoutError } from "async-music";
import { createEmulator } from "async-music/emulator";
import { expect, test, vi } from "vitest";
import { expectNoKey } from "../support/leaks.js";
import { reasonOf, rejection } from "../support/rejection.js";
import { SONG_REQUEST, TASK_ID } from "../support/responses.js";
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
  expect(message).toContain("no readable response came from music.example (ECONNRESET).");
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
    expect(message).toContain("no readable response came from music.example.");
  }
});

test("the key is redacted from a host and a code", async () => {
  const apiKey = "Key-4f9a1c77";
  const hosted = failing(coded("ENOTFOUND"), { apiKey, baseUrl: `https://${apiKey}.example` });
  expectNoKey(await rejection(hosted.account.balance(), ConnectionError), apiKey.toLowerCase());
  const client = failing(coded("KEY_4F9A1C77E2B04D0C9E51"));
  expectNoKey(await rejection(client.account.balance(), ConnectionError), API_KEY.toUpperCase());
});

test("a download without a connection names the system's reason, and the `fetch` that an in-process emulator needs", async () => {
  const messageOf = async (url: string, code: string) =>
    (await rejection(failing(coded(code)).audio.download(url), AudioDownloadError)).message;
  const [emulated, real] = ["https://api.async-music.test/audio/1", "https://music.example/audio/1"];
  expect(await messageOf(emulated, "ENOTFOUND")).toMatch(
    /the connection failed \(ENOTFOUND\)\. .* pass all of `emulator\.connection\(\)`, including `fetch`\.$/,
  );
  expect(await messageOf(real, "ENOTFOUND")).toBe(
    `Failed to download audio: the connection failed (ENOTFOUND). Download ${real} again.`,
  );
  expect(await messageOf(emulated, "ECONNRESET")).toBe(
    `Failed to download audio: the connection was lost (ECONNRESET). Download ${emulated} again.`,
  );
});

test("a time limit names fake timers, which may end it early", async () => {
  const calls = ["download", "balance", "create"] as const;
  const messageOf = async (call: (typeof calls)[number], run: () => Promise<unknown>) => {
    const { client } = createWorld(() => new Promise(() => {}), { maxRetries: 0, timeoutMs: 40 });
    const sent = {
      download: () => client.audio.download("https://music.example/audio/1"),
      balance: () => client.account.balance(),
      create: () => client.tasks.create(SONG_REQUEST),
    }[call]();
    const [error] = await Promise.all([reasonOf(sent), run()]);
    return String(error);
  };
  for (const call of calls) {
    expect(await messageOf(call, async () => {})).toMatch(/no response came within 40 ms\. /);
    vi.useFakeTimers();
    const message = await messageOf(call, () => vi.advanceTimersByTimeAsync(40)).finally(() =>
      vi.useRealTimers(),
    );
    expect(message).toMatch(
      /no response came within 40 ms of fake time\. Wait in real time before each step\. /,
    );
  }
});

test("the base URL of an in-process emulator suggests passing its whole connection", async () => {
  const { baseUrl, apiKey } = createEmulator().connection();
  const fetch = () => Promise.reject(coded("ENOTFOUND"));
  const client = new AsyncMusic({ baseUrl, apiKey, fetch, maxRetries: 0 });
  const { message } = await rejection(client.account.balance(), ConnectionError);
  expect(message).toContain("pass all of `emulator.connection()`, including `fetch`. (request ID");
  const waiting = createWorld(fetch, { baseUrl, apiKey }).client.tasks.wait(TASK_ID, { maxWaitMs: 5000 });
  expect((await rejection(waiting, WaitTimeoutError)).cause).toMatchObject({
    message: expect.stringMatching(/including `fetch`\. .*client\.tasks\.wait/),
  });
});
