import type { Task } from "../../../../src/contract/task.js";
import type { LoggedRequest, TaskDetails } from "../../client/client.js";
import { formatAmount } from "../../parts/format.js";

export interface TimelineEvent {
  at: string;
  what: string;
  note?: string;
}

const AUDIO_LIFETIME_MS = 7 * 86_400_000;
const HOUR_MS = 3_600_000;

/** Clients read a task often: of more reads than this the first and the last stand for all. */
const MOST_READS = 4;

const LEDGER_WORDS = {
  top_up: "topped up",
  freeze: "frozen",
  settle: "settled",
  refund: "refunded",
} as const;

/** All that is known of a task's life, in the order of time: its provider's plan, its credits, and who read it. */
export function eventsOf(
  { plan, ledger }: TaskDetails,
  task: Task,
  requests: readonly LoggedRequest[],
): TimelineEvent[] {
  const { status, created_at: createdAt, completed_at: completedAt, output, task_id: taskId } = task;
  const isOpen = status === "pending" || status === "running";
  const events: TimelineEvent[] = [{ at: createdAt ?? "", what: "Accepted" }];
  const add = (at: string | number, what: string, note?: string) =>
    events.push({ at: new Date(at).toISOString(), what, ...(note !== undefined && { note }) });

  // Of what happens at one time, the cause stands first: a read finds the end, and the end moves the credits.
  const move = (entry: TaskDetails["ledger"][number]) => add(entry.at, wordsFor(entry));
  ledger.filter(({ kind }) => kind === "freeze").forEach(move);
  if (completedAt === null || Date.parse(plan.works_from) < Date.parse(completedAt)) {
    if (plan.ends_at_read === null) add(plan.works_from, "The provider begins to work");
  }
  events.push(...readsOf(taskId, requests));
  if (isOpen) {
    const timesOut = Date.parse(createdAt ?? "") + HOUR_MS + 1;
    if (plan.ends_at !== null && Date.parse(plan.ends_at) < timesOut)
      add(plan.ends_at, `The provider ends: ${plan.outcome}`, "(the next read finds it)");
    else add(timesOut, "It times out");
  }
  if (completedAt !== null) {
    add(completedAt, `Ended: ${status}`);
    ledger.filter(({ kind }) => kind !== "freeze").forEach(move);
    if (Array.isArray(output?.result))
      add(Date.parse(completedAt) + AUDIO_LIFETIME_MS, "The audio's seven days end");
  }
  return events.sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

/** What a movement of credits was, or how the credits of a task stand after it: `5 credits refunded`. */
export function wordsFor({ kind, credits }: TaskDetails["ledger"][number]): string {
  return `${formatAmount(credits, "credit")} ${LEDGER_WORDS[kind]}`;
}

function readsOf(taskId: string, requests: readonly LoggedRequest[]): TimelineEvent[] {
  const path = `/api/v1/task/${taskId}`;
  const reads = requests.filter((request) => request.method === "GET" && request.path.toLowerCase() === path);
  const events = reads.map(({ at, status, request_id: id }) => ({
    at,
    what: "Read",
    note: `${status ?? "no answer"} · ${id.slice(0, 8)}`,
  }));
  const [first] = events;
  const last = events.at(-1);
  if (events.length <= MOST_READS || first === undefined || last === undefined) return events;
  return [first, { ...last, what: `Read ${events.length - 1} more times` }];
}
