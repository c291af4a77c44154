import { progressOf } from "async-music";
import { expect, test } from "vitest";
import { failed, ok, succeeded, TASK_ID, task } from "../support/responses.js";
import { createWorld } from "../support/world.js";

const running = (progress: unknown) => ({ status: "running", output: { progress: progress as string } });

test.each([
  ["42%", 0.42],
  ["0%", 0],
  ["100%", 1],
  [" 7 % ", 0.07],
  ["42.5%", 0.425],
  ["42,5 %", 0.425],
  ["about 42% done", 0.42],
  ["3 of 4 clips, 75%", 0.75],
  ["42", 0.42],
  [42, 0.42],
  ["250%", 1],
  ["-5%", 0],
  ["step 3 of 10", 0],
  ["soon", 0],
  ["", 0],
  ["NaN%", 0],
  ["Infinity", 0],
  [{ toString: 1, valueOf: 2 }, 0],
  [null, 0],
  [undefined, 0],
  [{}, 0],
])("a running task whose provider reports %j is at %d", (progress, expected) => {
  expect(progressOf(running(progress))).toBeCloseTo(expected, 10);
});

test("a task without an output is at 0, and one that succeeded is at 1 whatever the provider reported", () => {
  expect(progressOf({ status: "pending", output: null })).toBe(0);
  expect(progressOf({ status: "running", output: {} })).toBe(0);
  expect(progressOf({ status: "success", output: { progress: "80%" } })).toBe(1);
  expect(progressOf({ status: "success", output: null })).toBe(1);
});

test("a failed task keeps the last progress that the provider reported", () => {
  expect(progressOf({ status: "failure", output: { progress: "80%" } })).toBe(0.8);
  expect(progressOf({ status: "timeout", output: null })).toBe(0);
});

test("it reads a task as the client returns it", async () => {
  for (const [answer, expected] of [
    [task({ output: { progress: "30%", result: null } }), 0.3],
    [succeeded(), 1],
    [failed(), 0],
  ] as const) {
    const { client } = createWorld(() => ok(answer));
    expect(progressOf(await client.tasks.retrieve(TASK_ID))).toBe(expected);
  }
});

test("a progress string of a megabyte is parsed fast, whatever its content", () => {
  for (const shape of ["9", " ", "9 ", "1.", "9%,", ","])
    expect(progressOf(running(shape.repeat(2 ** 20 / shape.length)))).toBeGreaterThanOrEqual(0);
});
