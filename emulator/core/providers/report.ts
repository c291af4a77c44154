import type { Plan } from "./plan.js";

/** What a provider answers when it is asked about a task. */
export type ProviderReport =
  | { phase: "queued" | "processing"; progress: string }
  | {
      phase: "completed" | "failed";
      /** How old the task was when it ended. */
      endedAfterMs: number;
    };

/** A task that hangs comes so far, in per cent. */
const HANGS_AT = 80;

/** The provider's report on a task of this age, which has been read this often. */
export function reportOn(
  { queueMs, workMs, polls, end }: Plan,
  ageMs: number,
  reads: number,
): ProviderReport {
  const ended = end.outcome !== "hang" && (polls === null ? ageMs >= queueMs + workMs : reads >= polls);
  if (ended) {
    const endedAfterMs = polls === null ? queueMs + workMs : ageMs;
    return { phase: end.outcome === "success" ? "completed" : "failed", endedAfterMs };
  }
  if (polls === null && ageMs < queueMs) return { phase: "queued", progress: "0%" };
  const part = polls === null ? (ageMs - queueMs) / Math.max(workMs, 1) : reads / polls;
  const most = end.outcome === "hang" ? HANGS_AT : 99;
  return { phase: "processing", progress: `${Math.min(Math.floor(part * 100), most)}%` };
}
