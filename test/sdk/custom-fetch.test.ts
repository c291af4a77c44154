import {
  AsyncMusic,
  ConnectionError,
  InvalidResponseError,
  SubmissionOutcomeUnknownError,
} from "async-music";
import { afterEach, expect, test, vi } from "vitest";
import { rejection } from "../support/rejection.js";
import { acceptedAnew, SONG_REQUEST } from "../support/responses.js";
import { streamOf } from "../support/stream.js";
import { API_KEY } from "../support/world.js";

// A custom `fetch`, or one that replaces the global one, receives one request that it can inspect.

const BALANCE = { code: 200, data: { available: 1, frozen: 0, total: 1 } };

afterEach(() => void vi.unstubAllGlobals());

function createFetch() {
  const seen: { input: unknown; init: RequestInit | undefined }[] = [];
  const own = async (input: RequestInfo | URL, init?: RequestInit) => {
    seen.push({ input, init });
    return Response.json(BALANCE);
  };
  return { own, seen };
}

const createClient = (fetch?: typeof globalThis.fetch) =>
  new AsyncMusic({ apiKey: API_KEY, baseUrl: "https://music.example", fetch });

const WAYS = ["passed to the client", "that replaces the global one later"];
test.each(WAYS)("a fetch %s receives one Request and the signal", async (how) => {
  const { own, seen } = createFetch();
  const client = createClient(how === "passed to the client" ? own : undefined);
  vi.stubGlobal("fetch", own);
  await client.account.balance({ headers: { "X-Team": "radio" } });
  const [{ input, init } = { input: null, init: undefined }] = seen;
  expect(input).toBeInstanceOf(Request);
  if (!(input instanceof Request)) return;
  expect([input.method, input.url]).toEqual(["GET", "https://music.example/api/v1/account/balance"]);
  expect(input.headers.get("X-Team")).toBe("radio");
  expect(input.redirect).toBe("manual");
  expect(init?.signal).toBeInstanceOf(AbortSignal);
  expect(seen).toHaveLength(1);
});

const NO_RESPONSES = [undefined, null, {}, { headers: {} }, "200", Response.error()];
test.each(NO_RESPONSES)("a fetch that returns %j is named in the cause of the error", async (returned) => {
  const client = createClient(async () => returned as never);
  const { cause } = await rejection(client.account.balance({ maxRetries: 0 }), ConnectionError);
  expect(cause).toBeInstanceOf(TypeError);
  expect(String(cause)).toContain("`fetch` returned something other");
});

test("a character may arrive in two chunks, and half a character at the end is an invalid response", async () => {
  const bytes = [
    ...new TextEncoder().encode(JSON.stringify({ ...BALANCE, data: { ...BALANCE.data, note: "é" } })),
  ];
  const pieces = bytes.map((byte) => Uint8Array.of(byte));
  const client = createClient(async () => new Response(streamOf(pieces)));
  expect(await client.account.balance()).toMatchObject({ note: "é" });
  const cut = createClient(async () => new Response(streamOf([...pieces, Uint8Array.of(0xc3)])));
  await rejection(cut.account.balance(), InvalidResponseError);
});

test.each(["Node", "Deno", "any other runtime"])("a body arrives complete on %s", async (runtime) => {
  if (runtime === "Deno") vi.stubGlobal("Deno", {});
  if (runtime === "any other runtime") vi.stubGlobal("process", undefined);
  const arrived: string[] = [];
  const client = createClient(async (...given) => {
    const request = new Request(...given);
    arrived.push(await request.text());
    return request.method === "POST" ? acceptedAnew() : Response.json(BALANCE);
  });
  const request = { ...SONG_REQUEST, input: { gpt_description_prompt: "ü" } };
  await client.tasks.create(request);
  await client.account.balance();
  expect(arrived).toEqual([JSON.stringify(request), ""]);
});

test("the body that a fetch has not read can be read once the call has ended, but not after its time limit", async () => {
  const requests: Request[] = [];
  const client = createClient(async (input) => {
    if (input instanceof Request) requests.push(input);
    return requests.length === 1 ? acceptedAnew() : new Promise<never>(() => {});
  });
  await client.tasks.create(SONG_REQUEST);
  const late = rejection(client.tasks.create(SONG_REQUEST, { timeoutMs: 1 }), SubmissionOutcomeUnknownError);
  vi.spyOn(Date, "now").mockReturnValue(Date.now() + 86_400_000);
  expect(await requests[0]?.json()).toEqual(SONG_REQUEST);
  await late;
  await expect(requests[1]?.json()).rejects.toThrow();
  vi.restoreAllMocks();
});

test("a create whose response breaks off has an unknown outcome, also if its `cancel` returns nothing", async () => {
  const body = { getReader: () => ({ read: () => Promise.reject(new Error("broken")), cancel() {} }) };
  const response = { status: 202, ok: true, headers: new Headers(), body } as unknown as Response;
  const created = createClient(async () => response).tasks.create(SONG_REQUEST);
  await rejection(created, SubmissionOutcomeUnknownError);
});
