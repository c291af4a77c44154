import { LIMITS } from "../../src/contract/service.js";
import { LONGEST_FOLLOW_MS } from "./follow.js";
import { type DriftProbe, lastStatusOf } from "./probes.js";
import { WINDOW_PROBE_MS } from "./window.js";

const MINUTE_MS = 60_000;

/** How long the check takes, and the longest that it can take. */
export function durationText(probes: readonly DriftProbe[], maxCredits: number): string {
  const tasks = countTasks(probes, maxCredits);
  const minutes = (taskMs: number) => Math.ceil((WINDOW_PROBE_MS + tasks * taskMs) / MINUTE_MS);
  if (tasks === 0) return `The check takes about ${minutes(0)} minutes.`;
  const { shortest, longest } = LIMITS.typicalTaskMs;
  const wait = LONGEST_FOLLOW_MS / MINUTE_MS;
  return [
    `The check usually takes ${minutes(shortest)} to ${minutes(longest)} minutes, and spends at most ${maxCredits} credits.`,
    `A task that does not end is read for ${wait} minutes. If none of the ${tasks} tasks ends, the check takes ${Math.ceil(minutes(LONGEST_FOLLOW_MS) / 60)} hours.`,
  ].join("\n");
}

/** How many tasks the probes create, at the documented prices. */
function countTasks(probes: readonly DriftProbe[], maxCredits: number): number {
  let tasks = 0;
  let spent = 0;
  for (const probe of probes) {
    if (probe.kind !== "create" || !probe.isAccepted || probe.unlessAccepted !== undefined) continue;
    if (spent + probe.credits > maxCredits) continue;
    tasks++;
    if (lastStatusOf(probe) === "success") spent += probe.credits;
  }
  return tasks;
}
