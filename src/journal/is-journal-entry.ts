import type { JournalEntry, JournalIntent } from "./journal.js";

/** Whether what a journal answered is an entry: what was damaged must not pass for a key that is free. */
export function isJournalEntry(value: unknown): value is JournalEntry {
  if (typeof value !== "object" || value === null) return false;
  const field = (name: string): unknown => Reflect.get(value, name);
  const hasFields =
    ["revision", "request_id", "at"].every((name) => typeof field(name) === "string") &&
    field("request") !== undefined &&
    (field("tasks_created") === null || Number.isInteger(field("tasks_created")));
  return hasFields && (field("state") === "intent" || isRecord(field));
}

/** Whether `settleOutcome` freed the key: a run takes it as if it held nothing. */
export function isFreed(entry: JournalEntry): entry is JournalIntent {
  return entry.state === "intent" && entry.settled === true;
}

function isRecord(field: (name: string) => unknown): boolean {
  const taskId = field("task_id");
  const submission = field("submission");
  const isSubmission =
    typeof submission === "object" && (submission === null || Reflect.get(submission, "task_id") === taskId);
  return field("state") === "submitted" && typeof taskId === "string" && taskId !== "" && isSubmission;
}
