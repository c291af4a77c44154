import { afterEach, expect, test, vi } from "vitest";
import { exchange } from "../../../src/http/attempt.js";
import type { Call } from "../../../src/http/context.js";
import { createContext } from "../../support/context.js";

const READ: Call = { method: "GET", path: "/api/v1/account/balance", kind: "account", purpose: "read" };
const URL_ASKED = `https://music.example${READ.path}`;

const run = (fetch: typeof globalThis.fetch, signal?: AbortSignal, call = READ) =>
  exchange(createContext({ fetch }), call, {}, "request-1", signal);

/** A body that comes in pieces, and then ends or breaks off. */
const inPieces = (pieces: Uint8Array<ArrayBuffer>[], failure?: Error) =>
  new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      const piece = pieces.shift();
      if (piece !== undefined) controller.enqueue(piece);
      else if (failure === undefined) controller.close();
      else controller.error(failure);
    },
  });

const bytes = (text: string) => new TextEncoder().encode(text);

afterEach(() => void vi.unstubAllGlobals());

test("a caller who has left before sends nothing", async () => {
  const fetch = vi.fn(async () => new Response("{}"));
  const outcome = await run(fetch, AbortSignal.abort("left"));
  expect(outcome).toEqual({
    kind: "aborted_before_sending",
    url: URL_ASKED,
    timeoutMs: 30_000,
    status: null,
    text: "",
    cause: "left",
  });
  expect(fetch).not.toHaveBeenCalled();
});

test("a caller who leaves when the request has left is told so, with what came of the answer", async () => {
  const controller = new AbortController();
  const body = new ReadableStream({
    start: (stream) => stream.enqueue(bytes('{"code"')),
    pull: () => controller.abort("left"),
  });
  const fetch = async () => new Response(body, { status: 202 });
  expect(await run(fetch, controller.signal)).toEqual({
    kind: "aborted",
    url: URL_ASKED,
    timeoutMs: 30_000,
    status: 202,
    text: '{"code"',
    cause: "left",
  });
});

test("a connection that breaks in a body has lost its answer, and says why", async () => {
  const failure = new Error("reset");
  const fetch = async () => new Response(inPieces([bytes('{"co'), bytes("de")], failure), { status: 200 });
  expect(await run(fetch)).toEqual({
    kind: "lost",
    url: URL_ASKED,
    timeoutMs: 30_000,
    status: 200,
    text: '{"code',
    cause: failure,
  });
});

test("what fetch throws is the cause, as it was thrown", async () => {
  const failure = new TypeError("fetch failed");
  const outcome = await run(() => Promise.reject(failure));
  expect(outcome).toMatchObject({ kind: "lost", status: null, cause: failure });
});

test("an answer of error whose body breaks off is an answer all the same", async () => {
  const fetch = async () => new Response(inPieces([bytes("{")], new Error("reset")), { status: 500 });
  const outcome = await run(fetch);
  expect(outcome).toMatchObject({ kind: "answered", response: { status: 500, text: "{" } });
});

test.each([undefined, null, {}, { headers: {} }, "200"])(
  "a fetch that answers %j is at fault, by its name",
  async (answer) => {
    const outcome = await run(async () => answer as never);
    expect(outcome).toMatchObject({ kind: "lost", cause: expect.any(TypeError) });
    expect(String("cause" in outcome && outcome.cause)).toContain("`fetch` answered");
  },
);

test("a character may come in two pieces, and what is left of one at the end shows", async () => {
  const [first = 0, second = 0] = bytes("é");
  const pieces = [Uint8Array.of(first), Uint8Array.of(second, first)];
  const outcome = await run(async () => new Response(inPieces(pieces)));
  expect(outcome).toMatchObject({ kind: "answered", response: { text: "é\uFFFD" } });
});

test("an answer without a body is an empty text", async () => {
  const outcome = await run(async () => new Response(null, { status: 204 }));
  expect(outcome).toMatchObject({ kind: "answered", response: { status: 204, text: "" } });
});

test.each(["Node", "Deno", "any other runtime"])("a body arrives whole on %s", async (runtime) => {
  if (runtime === "Deno") vi.stubGlobal("Deno", {});
  if (runtime === "any other runtime") vi.stubGlobal("process", undefined);
  const arrived: [method: string, text: string][] = [];
  const fetch = async (input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(input, init);
    arrived.push([request.method, await request.text()]);
    return new Response("{}");
  };
  expect((await run(fetch)).kind).toBe("answered");
  const post: Call = { ...READ, method: "POST", body: '{"a":"ü"}' };
  expect((await run(fetch, undefined, post)).kind).toBe("answered");
  expect(arrived).toEqual([
    ["GET", ""],
    ["POST", '{"a":"ü"}'],
  ]);
});
