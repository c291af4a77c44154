import { LIMITS } from "../../src/contract/service.js";
import { LONGEST_FOLLOW_MS } from "./follow.js";
import { type DriftTest, lastStatusOf } from "./tests.js";
import { WINDOW_TEST_MS } from "./window.js";

const MINUTE_MS = 60_000;

/** How long the check takes, and the longest that it can take. */
export function durationText(tests: readonly DriftTest[], maxCredits: number): string {
  const tasks = countTasks(tests, maxCredits);
  const minutes = (taskMs: number) => Math.ceil((WINDOW_TEST_MS + tasks * taskMs) / MINUTE_MS);
  if (tasks === 0) return `The check takes about ${minutes(0)} minutes.`;
  const { shortest, longest } = LIMITS.typicalTaskMs;
  const wait = LONGEST_FOLLOW_MS / MINUTE_MS;
  return [
    `The check usually takes ${minutes(shortest)} to ${minutes(longest)} minutes, and spends at most ${maxCredits} credits.`,
    `A task that does not end is read for ${wait} minutes. If none of the ${tasks} tasks ends, the check takes ${Math.ceil(minutes(LONGEST_FOLLOW_MS) / 60)} hours.`,
  ].join("\n");
}

/** How many tasks the tests create, at the documented prices. */
function countTasks(tests: readonly DriftTest[], maxCredits: number): number {
  let tasks = 0;
  let spent = 0;
  for (const test of tests) {
    if (test.kind !== "create" || !test.isAccepted || test.unlessAccepted !== undefined) continue;
    if (spent + test.credits > maxCredits) continue;
    tasks++;
    if (lastStatusOf(test) === "success") spent += test.credits;
  }
  return tasks;
}
