import { InsufficientCreditsError } from "async-music";
import { expect, test, vi } from "vitest";
import type { Call, Flight, RequestOptions } from "../../../src/http/call.js";
import { createEmitter } from "../../../src/http/emitter.js";
import { createKnownIds } from "../../../src/http/known-ids.js";
import { createRedactor } from "../../../src/http/redactor.js";
import { createTrace } from "../../../src/http/tracer.js";
import { createTransport } from "../../../src/http/transport.js";
import { judgeRead } from "../../../src/http/verdict.js";
import { createOwnPacer } from "../../support/own-pacer.js";
import { rejection } from "../../support/rejection.js";
import { createTestClock } from "../../support/test-clock.js";
import { API_KEY } from "../../support/world.js";

// A call that outlives an abort: a POST that may be paid for is waited for, whoever has left.

const CREATE: Call = {
  method: "POST",
  path: "/api/v1/task",
  kind: "create",
  body: "{}",
  purpose: "create the task",
};

function createSender(answer: (request: Request) => Promise<Response>) {
  const { pacer, told } = createOwnPacer();
  const emitter = createEmitter();
  const fetch = vi.fn<typeof globalThis.fetch>((request) => answer(new Request(request)));
  const transport = createTransport({
    baseUrl: "https://music.example",
    apiKey: API_KEY,
    fetch,
    timeoutMs: 30_000,
    maxRetries: 0,
    retryBudgetMs: 0,
    clock: createTestClock(),
    random: () => 0.5,
    pacer,
    redactor: createRedactor(API_KEY),
    ids: createKnownIds(),
    emitter,
    trace: createTrace(undefined, String),
    warn: () => {},
  });
  const send = (call: Partial<Call>, options: RequestOptions = {}) =>
    transport.send({ ...CREATE, flight: { underWay: null }, ...call }, options, judgeRead);
  return { send, fetch, told, emitter };
}

const accepted = async () => new Response("{}", { status: 202 });

test("it is sent with all that its caller asked for, and an abort while it is on its way changes nothing", async () => {
  const controller = new AbortController();
  const { send, fetch } = createSender(async () => {
    controller.abort(new Error("left"));
    return accepted();
  });
  const options = { headers: { "X-Team": "radio" }, requestId: "first", signal: controller.signal };
  expect(await send({}, options)).toMatchObject({ status: 202, requestId: "first" });
  const [, init] = fetch.mock.calls[0] ?? [];
  expect(new Headers(init?.headers).get("X-Team")).toBe("radio");
  expect(init?.signal?.aborted).toBe(false);
});

test("its flight is under way from when an attempt leaves until something has come of it", async () => {
  const flight: Flight = { underWay: null };
  const seen: boolean[] = [];
  const { send, emitter } = createSender(async () => {
    seen.push(flight.underWay !== null);
    return new Response("{}", { status: 402 });
  });
  for (const name of ["attempt", "answer"] as const)
    emitter.on(name, () => seen.push(flight.underWay !== null));
  await rejection(send({ flight }), InsufficientCreditsError);
  expect(seen).toEqual([false, true, false]);
});

test("without an abort it is a call like any other", async () => {
  const { send, told } = createSender(accepted);
  expect(await send({})).toMatchObject({ status: 202 });
  expect(told).toHaveLength(1);
});

test("an abort in the last moment before it leaves is heard, and the pacer gets its place back", async () => {
  const controller = new AbortController();
  const left = new Error("left");
  const beforeSending = async () => controller.abort(left);
  const { send, fetch, told } = createSender(accepted);
  expect(await rejection(send({ beforeSending }, { signal: controller.signal }), Error)).toBe(left);
  expect(fetch).not.toHaveBeenCalled();
  expect(told).toMatchObject([{ remaining: null, heldForMs: null }]);
});

test("one that doesn't outlive an abort ends with it", async () => {
  const controller = new AbortController();
  const left = new Error("left");
  const { send } = createSender(async () => {
    controller.abort(left);
    return accepted();
  });
  expect(await rejection(send({ flight: undefined }, { signal: controller.signal }), Error)).toBe(left);
});
