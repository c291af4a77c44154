import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { onAbort } from "../../../src/clock/on-abort.js";

// Thousands of waits may share one signal.

test("whoever waits for one signal shares a listener, which is gone with the last of them", () => {
  const { signal } = new AbortController();
  const leaves = Array.from({ length: 1000 }, () => onAbort(signal, () => {}));
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  for (const leave of leaves) leave();
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});

test("an abort calls each once, but for those who left", () => {
  const controller = new AbortController();
  const called: string[] = [];
  onAbort(controller.signal, () => called.push("first"));
  const leave = onAbort(controller.signal, () => called.push("left"));
  onAbort(controller.signal, () => called.push("last"));
  leave();
  controller.abort();
  controller.abort();
  expect(called).toEqual(["first", "last"]);
});

test("leaving twice does not take others along who came in between", () => {
  const controller = new AbortController();
  const called: string[] = [];
  const leave = onAbort(controller.signal, () => called.push("left"));
  leave();
  onAbort(controller.signal, () => called.push("stays"));
  leave();
  controller.abort();
  expect(called).toEqual(["stays"]);
});
