import type { AccountSummary, TaskRow } from "../../api.js";
import { formatAmount } from "../../parts/format.js";
import { expiresAt, timeoutAt } from "../tasks/segments.js";

/** What happens by itself while time passes. Each kind's text is about one or several. */
export const EVENTS = {
  end: (count: number) =>
    count === 1 ? "1 task ends at its provider" : `${count} tasks end at their providers`,
  timeout: (count: number) =>
    `${formatAmount(count, "unfinished task")} ${count === 1 ? "reaches" : "reach"} the task timeout`,
  expiry: (count: number) => `the audio of ${formatAmount(count, "task")} expires`,
  window: (count: number) =>
    count === 1 ? "1 rate limit window ends" : `the rate limit windows of ${count} keys end`,
} as const;

type Kind = keyof typeof EVENTS;

interface Event {
  kind: Kind;
  /** In milliseconds since the epoch. */
  at: number;
}

/** What happens after now, in any order. */
export function eventsAfter(
  now: number,
  tasks: readonly TaskRow[],
  accounts: readonly Pick<AccountSummary, "keys">[],
): readonly Event[] {
  const events: Event[] = [];
  const add = (kind: Kind, at: number) => {
    if (at > now) events.push({ kind, at });
  };
  for (const { created_at, ends_at, completed_at, status, type } of tasks) {
    if (completed_at === null) {
      const endsAt = Date.parse(ends_at ?? "");
      if (endsAt < timeoutAt(created_at)) add("end", endsAt);
      add("timeout", timeoutAt(created_at));
    } else if (status === "success" && type !== "lyrics") {
      add("expiry", expiresAt(completed_at));
    }
  }
  for (const { keys } of accounts)
    for (const { window_ends_at: endsAt } of keys) if (endsAt !== null) add("window", Date.parse(endsAt));
  return events;
}

/** The first event of each kind, the earliest first. */
export function nextEvents(events: readonly Event[]): readonly Event[] {
  const first = new Map<Kind, Event>();
  for (const event of events)
    if (event.at < (first.get(event.kind)?.at ?? Infinity)) first.set(event.kind, event);
  return [...first.values()].sort((one, other) => one.at - other.at);
}

/** What happens until then, as texts. */
export function changesUntil(at: number, events: readonly Event[]): readonly string[] {
  return Object.entries(EVENTS).flatMap(([kind, textFor]) => {
    const count = events.filter((event) => event.kind === kind && event.at <= at).length;
    return count === 0 ? [] : [textFor(count)];
  });
}
