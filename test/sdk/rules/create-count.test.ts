import { AsyncMusicError, SubmissionOutcomeUnknownError } from "async-music";
import { expect, test } from "vitest";
import { createCount } from "../../../src/tasks/calls.js";

const unknown = (taskId?: string) =>
  new SubmissionOutcomeUnknownError("lost", { request: {}, requestId: "request-1", status: null, taskId });

test("a submission is open until it ends, and then accepted", async () => {
  const count = createCount();
  expect(count.now()).toEqual({ accepted: 0, open: 0, unknown: 0 });
  let answer = (_: string) => {};
  const first = count.during(new Promise<string>((resolve) => (answer = resolve)));
  const second = count.during(Promise.resolve("second"));
  expect(count.now()).toEqual({ accepted: 0, open: 2, unknown: 0 });
  await expect(second).resolves.toBe("second");
  expect(count.now()).toEqual({ accepted: 1, open: 1, unknown: 0 });
  answer("first");
  await expect(first).resolves.toBe("first");
  expect(count.now()).toEqual({ accepted: 2, open: 0, unknown: 0 });
});

test.each<[string, unknown, { accepted: number; unknown: number }]>([
  ["a refusal", new AsyncMusicError("refused"), { accepted: 0, unknown: 0 }],
  ["an abort", "left", { accepted: 0, unknown: 0 }],
  [
    "a broken answer that names its task",
    new AsyncMusicError("broken", { taskId: "task-1" }),
    { accepted: 1, unknown: 0 },
  ],
  ["an outcome that nobody knows", unknown(), { accepted: 0, unknown: 1 }],
  ["an answer that was cut off after the name of its task", unknown("task-1"), { accepted: 1, unknown: 0 }],
  [
    "a stranger's error that names a task",
    Object.assign(new Error("no"), { taskId: "task-1" }),
    { accepted: 0, unknown: 0 },
  ],
])("%s is counted by what it says of the task", async (_, error, counted) => {
  const count = createCount();
  await expect(count.during(Promise.reject(error))).rejects.toBe(error);
  expect(count.now()).toEqual({ open: 0, ...counted });
});

test("an abort is no outcome, whatever its reason is", async () => {
  const count = createCount();
  for (const reason of [unknown(), unknown("task-1"), new AsyncMusicError("failed", { taskId: "task-1" })]) {
    const signal = AbortSignal.abort(reason);
    await expect(count.during(Promise.reject(reason), signal)).rejects.toBe(reason);
  }
  expect(count.now()).toEqual({ accepted: 0, open: 0, unknown: 0 });
});
