import { InsufficientCreditsError } from "async-music";
import { expect, test, vi } from "vitest";
import { send } from "../../../src/http/client.js";
import type { Call, InFlight, RequestOptions } from "../../../src/http/context.js";
import { judgeRead } from "../../../src/http/failure.js";
import { createContext } from "../../support/context.js";
import { createOwnPacer } from "../../support/own-pacer.js";
import { rejection } from "../../support/rejection.js";

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
  const fetch = vi.fn<typeof globalThis.fetch>((request) => answer(new Request(request)));
  const context = createContext({ fetch, pacer });
  const sendCall = (call: Partial<Call>, options: RequestOptions = {}) =>
    send(context, { ...CREATE, inFlight: { call: null }, ...call }, options, judgeRead);
  return { send: sendCall, fetch, told, emitter: context.emitter };
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
  const [request] = fetch.mock.calls[0] ?? [];
  expect(request instanceof Request && request.headers.get("X-Team")).toBe("radio");
  expect(request instanceof Request && request.signal.aborted).toBe(false);
});

test("its flight is under way from when an attempt leaves until something has come of it", async () => {
  const inFlight: InFlight = { call: null };
  const seen: boolean[] = [];
  const { send, emitter } = createSender(async () => {
    seen.push(inFlight.call !== null);
    return new Response("{}", { status: 402 });
  });
  for (const name of ["attempt", "answer"] as const)
    emitter.on(name, () => seen.push(inFlight.call !== null));
  await rejection(send({ inFlight }), InsufficientCreditsError);
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
  expect(await rejection(send({ inFlight: undefined }, { signal: controller.signal }), Error)).toBe(left);
});
