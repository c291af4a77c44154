import { AsyncMusic, SubmissionOutcomeUnknownError } from "async-music";
import { createEmulator } from "async-music/emulator";
import { afterEach, describe, expect, test, vi } from "vitest";
import { RANGES } from "../../emulator/core/ranges.js";
import { createLog } from "../support/log.js";
import { reasonOf, rejection } from "../support/rejection.js";
import { balance, SONG_REQUEST, TASK_ID } from "../support/responses.js";
import { API_KEY, BASE_URL, createWorld } from "../support/world.js";

const HTML = "<!DOCTYPE html><html><title>Welcome</title></html>";

describe("an HTML page at baseUrl", () => {
  test.each([
    [200, "This is HTML, not the service: check `baseUrl`."],
    [404, "This is HTML, not the service: check `baseUrl`."],
    [502, "This is HTML, not the service, perhaps of a gateway that failed: check `baseUrl`."],
  ])("with the status %i is named on every call", async (status, advice) => {
    const page = () => new Response(HTML, { status, headers: { "Content-Type": "text/html" } });
    const { client } = createWorld(page, { maxRetries: 0 });
    for (const call of [
      client.account.balance(),
      client.account.usage(),
      client.tasks.retrieve(TASK_ID),
      client.tasks.create(SONG_REQUEST),
    ]) {
      const error = (await reasonOf(call)) as Error;
      expect(error.message).toContain(advice);
    }
    const created = await reasonOf(client.tasks.create(SONG_REQUEST));
    expect(created instanceof SubmissionOutcomeUnknownError).toBe(status !== 404);
  });
});

describe("in an environment that imitates a browser", () => {
  afterEach(() => void vi.unstubAllGlobals());

  test("the key of an emulator is allowed, and the refusal of another names test environments", () => {
    vi.stubGlobal("window", {});
    vi.stubGlobal("document", {});
    expect(new AsyncMusic({ apiKey: "emu_1", baseUrl: BASE_URL })).toBeInstanceOf(AsyncMusic);
    expect(() => new AsyncMusic({ apiKey: API_KEY, baseUrl: BASE_URL })).toThrow(/jsdom or happy-dom/);
  });
});

test("an unknown outcome is logged once at the level `error`, with every log level but `off`", async () => {
  for (const [logLevel, count] of [
    [undefined, 1],
    ["debug", 1],
    ["info", 1],
    ["warn", 1],
    ["error", 1],
    ["off", 0],
  ] as const) {
    const log = createLog();
    const options = { logger: log, logLevel };
    const { client } = createWorld(() => new Response("{}", { status: 500 }), options);
    const { message } = await rejection(client.tasks.create(SONG_REQUEST), SubmissionOutcomeUnknownError);
    expect(log.at("error")).toEqual(Array(count).fill(message));
    // Nothing else is logged from this level up.
    if (logLevel === "error" || logLevel === "off") expect(log.lines).toHaveLength(count);
  }
});

test.each([
  ["a page of a gateway", HTML, 502, 119],
  ["a page of a firewall", HTML, 403, 119],
  ["a page of a firewall with status 200", HTML, 200, 119],
  ["a redirect", "", 302, 119],
  ["an error of a firewall", '{"code":403,"message":"blocked"}', 403, 119],
  ["a refusal of the service", '{"code":403,"error_code":"account_suspended","message":"m"}', 403, 4998],
  ["an error of a gateway", '{"message":"no upstream"}', 503, 119],
  ["an error of the service", '{"code":500,"error_code":"internal_error","message":"m"}', 500, 4998],
])("%s changes the known rate limit only if it is the service's", async (_, body, status, remaining) => {
  const headers = { "X-RateLimit-Remaining": "4998" };
  const { client } = createWorld(() => new Response(body, { status, headers }), { maxRetries: 0 });
  await reasonOf(client.account.balance());
  expect(client.rateLimit.remaining).toBe(remaining);
});

test("a number of remaining requests that no service has is ignored", async () => {
  const headers = { "X-RateLimit-Remaining": "9".repeat(400) };
  const { client } = createWorld(() => balance({}, headers));
  await client.account.balance();
  expect(client.rateLimit.remaining).toBe(119);
});

test("a response of a firewall with a million remaining requests delays no song", async () => {
  const lastEnd = async (headers: Record<string, string>) => {
    await using emulator = createEmulator({ seed: 3, credits: 1000 });
    emulator.providers.provider_a.always({ queue_seconds: 1, process_seconds: 40 });
    const connection = emulator.connection();
    const began = emulator.clock.now();
    let reads = 0;
    const fetch: typeof connection.fetch = async (input, init) => {
      const isRead = Object(input).method === "GET";
      const response = await connection.fetch(input, init);
      return isRead && ++reads === 20 ? new Response(HTML, { status: 403, headers }) : response;
    };
    const client = new AsyncMusic({ ...connection, fetch });
    await Promise.all(Array.from({ length: 30 }, () => client.tasks.run(SONG_REQUEST)));
    return emulator.clock.now() - began;
  };
  expect(await lastEnd({ "X-RateLimit-Remaining": "999999" })).toBe(await lastEnd({}));
});

// A test, or a benchmark, that switches the emulator's limit off must not be paced.
test.each([[1_000_000], [RANGES.requests[1]]])("a limit of %i requests slows no call", async (requests) => {
  await using emulator = createEmulator({ limits: { requests } });
  const began = emulator.clock.now();
  const client = new AsyncMusic(emulator.connection());
  for (let call = 0; call < 300; call++) await client.account.balance();
  expect(emulator.clock.now()).toBe(began);
  expect(client.rateLimit.remaining).toBe(requests - 300);
});

test("a response that breaks off still reports the remaining rate limit", async () => {
  const body = new ReadableStream({ pull: (controller) => controller.error(new Error("broken")) });
  const headers = { "X-RateLimit-Remaining": "7" };
  const { client } = createWorld(() => new Response(body, { headers }), { maxRetries: 0 });
  await reasonOf(client.account.balance());
  expect(client.rateLimit.remaining).toBe(7);
});
