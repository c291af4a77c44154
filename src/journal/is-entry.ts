import type { BudgetReservation, JournalEntry } from "./journal.js";

/** Whether a value is a journal entry. A damaged entry must not be mistaken for a free key. */
export function isJournalEntry(value: unknown): value is JournalEntry {
  const {
    revision,
    request_id,
    at,
    request,
    tasks_created,
    timeout_ms,
    reservation,
    tenant,
    state,
    task_id,
    submission,
  } = Object(value);
  const hasFields =
    [revision, request_id, at].every((field) => typeof field === "string") &&
    request !== undefined &&
    (tasks_created === null || Number.isInteger(tasks_created)) &&
    (timeout_ms === undefined || (Number.isFinite(timeout_ms) && timeout_ms > 0)) &&
    (tenant === undefined || typeof tenant === "string") &&
    (reservation === undefined || isReservation(reservation));
  const isRecord =
    state === "submitted" &&
    typeof task_id === "string" &&
    task_id !== "" &&
    typeof submission === "object" &&
    (submission === null || submission.task_id === task_id);
  return hasFields && (state === "intent" || isRecord);
}

function isReservation(value: unknown): value is BudgetReservation {
  const { id, tenant, credits } = Object(value);
  return typeof id === "string" && typeof tenant === "string" && Number.isFinite(credits);
}
