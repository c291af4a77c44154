import { expiresAt } from "async-music";
import { expect, test } from "vitest";

const COMPLETED = "2026-01-01T12:30:15.250Z";

test.each(["success", "failure", "timeout"])(
  "the audio of a task in %s expires after seven days",
  (status) => {
    expect(expiresAt({ status, completed_at: COMPLETED })).toEqual(new Date("2026-01-08T12:30:15.250Z"));
  },
);

test("each of the seven days has 24 hours, whatever the time zone offset", () => {
  const task = { status: "success", completed_at: "2026-03-27T23:00:00+01:00" };
  expect(expiresAt(task)).toEqual(new Date("2026-04-03T22:00:00Z"));
});

test.each([
  ["is unfinished", { status: "running", completed_at: null }],
  ["is unfinished but has a completion time", { status: "running", completed_at: COMPLETED }],
  ["has an unknown status", { status: "paused", completed_at: COMPLETED }],
  ["has no completion time", { status: "success", completed_at: null }],
  ["has an invalid completion time", { status: "success", completed_at: "soon" }],
])("the audio of a task that %s has no expiry", (_, task) => {
  expect(expiresAt(task)).toBeNull();
});
