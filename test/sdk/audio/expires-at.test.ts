import { expiresAt } from "async-music";
import { expect, test } from "vitest";

const COMPLETED = "2026-01-01T12:30:15.250Z";

test.each(["success", "failure", "timeout"])("a task that ended in %s is past seven days later", (status) => {
  expect(expiresAt({ status, completed_at: COMPLETED })).toEqual(new Date("2026-01-08T12:30:15.250Z"));
});

test("the seven days are of 24 hours each, whatever the offset of the time", () => {
  const task = { status: "success", completed_at: "2026-03-27T23:00:00+01:00" };
  expect(expiresAt(task)).toEqual(new Date("2026-04-03T22:00:00Z"));
});

test.each([
  ["is not over", { status: "running", completed_at: null }],
  ["is not over, whatever its fields say", { status: "running", completed_at: COMPLETED }],
  ["has a status that is not known", { status: "paused", completed_at: COMPLETED }],
  ["does not say when it completed", { status: "success", completed_at: null }],
  ["says nothing that can be read", { status: "success", completed_at: "soon" }],
])("a task that %s has no such time", (_, task) => {
  expect(expiresAt(task)).toBeNull();
});
