import type { Journal } from "./journal/journal.js";

/**
 * Settles a key whose run ended in a `SubmissionOutcomeUnknownError`, once you have found out whether its POST created a task:
 * from the error's `evidence`, or from the service by the request ID. With a task ID, the next run with the key waits
 * for that task and sends nothing. With `null` the key is free: the next run creates a task, and pays.
 *
 * A wrong settlement can be replaced: call it again with the right ID, or with `null`. That includes a key that was freed by
 * mistake, until a run takes it. An ID that the service itself returned for the key is never replaced.
 *
 * This call sends nothing. Check the task with `client.tasks.retrieve` first: its type and its input must be the ones of
 * your request. While a run of this process has its POST in flight, this call waits for it. Don't pass `null` while another
 * process may still be sending, or before the `checkAgainAt` of the error: the next run could create a second task.
 *
 * @param journal - The journal of the run.
 * @param journalKey - Its key.
 * @param taskId - The ID of the task that was created, a UUID, or `null` if none was.
 * @returns `true` if the key is settled this way now. `false`, and nothing is changed, if the key holds nothing, or holds
 * another task ID that the service returned.
 * @throws `InvalidOptionError` if the journal, the key or the ID is malformed; `JournalError` if the journal fails.
 *
 * @example
 * ```ts sketch
 * import { settleOutcome } from "async-music";
 *
 * await client.tasks.retrieve(taskId); // throws TaskNotFoundError if the account has no such task
 * await settleOutcome(journal, "order-1", taskId);
 * ```
 */
export async function settleOutcome(
  journal: Journal,
  journalKey: string,
  taskId: string | null,
): Promise<boolean> {
  const { settleKey } = await import("./tasks/lazy.js");
  return settleKey(journal, journalKey, taskId);
}
