import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { Aborter, onAbort } from "../../../src/time/abort.js";

// Thousands of waits may share one signal.

test("whoever waits for one signal shares a listener, which is gone with the last of them", () => {
  const { signal } = new AbortController();
  const calls = Array.from({ length: 1000 }, () => onAbort(signal, () => {}));
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  for (const call of calls) call.leave();
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});

test("an abort calls each once, but for those who left", () => {
  const controller = new AbortController();
  const called: string[] = [];
  onAbort(controller.signal, () => called.push("first"));
  const left = onAbort(controller.signal, () => called.push("left"));
  onAbort(controller.signal, () => called.push("last"));
  left.leave();
  controller.abort();
  controller.abort();
  expect(called).toEqual(["first", "last"]);
});

test("leaving twice does not take others along who came in between", () => {
  const controller = new AbortController();
  const called: string[] = [];
  const left = onAbort(controller.signal, () => called.push("left"));
  left.leave();
  onAbort(controller.signal, () => called.push("stays"));
  left.leave();
  controller.abort();
  expect(called).toEqual(["stays"]);
});

test("an aborter calls who waits for it without a listener, and is an abort controller to everybody else", () => {
  const aborter = new Aborter();
  const called: string[] = [];
  onAbort(aborter.signal, () => called.push("left")).leave();
  onAbort(aborter.signal, () => called.push("waits"));
  expect(getEventListeners(aborter.signal, "abort")).toHaveLength(0);
  aborter.signal.addEventListener("abort", () => called.push("listens"));
  aborter.abort("enough");
  aborter.abort("again");
  expect(called).toEqual(["listens", "waits"]);
  expect(aborter.signal.reason).toBe("enough");
});
