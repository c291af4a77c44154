import { isUuid } from "../../contract/task.js";
import { type JournalEntry, settleOutcome, TaskNotFoundError } from "../../index.js";
import { connect } from "../connect.js";
import type { SettleFlags } from "../flags.js";
import { writeJson } from "../terminal/json.js";
import type { Surroundings } from "../terminal/surroundings.js";
import { UsageError } from "../usage-error.js";
import { existingJournal } from "./existing-journal.js";
import { TaskFault } from "./task-fault.js";

/** Records under a key what became of its request. */
export async function settleKey(key: string, flags: SettleFlags, surroundings: Surroundings): Promise<void> {
  const { taskId, notCreated = false, offline = false, json } = flags;
  if ((taskId === undefined) !== notCreated)
    throw new UsageError("Expected either --task-id, for the task that was created, or --not-created");
  if (taskId !== undefined && !isUuid(taskId))
    throw new UsageError("Expected --task-id to be the id of a task, which is a UUID");
  const journal = existingJournal(flags.journal);
  if (taskId !== undefined && !offline) {
    // A journal that can't be read is `settleOutcome`'s to report.
    const entry = await journal.get(key).catch(() => null);
    if (entry !== null) await checkTask(taskId, entry, flags, surroundings);
  }
  if (!(await settleOutcome(journal, key, taskId ?? null)))
    throw nothingToSettle(key, await journal.get(key));
  if (json) writeJson(surroundings.stdout, { key, task_id: taskId ?? null });
  else
    surroundings.stdout.write(
      taskId === undefined ? `${key} is free\n` : `${key} stands for task ${taskId}\n`,
    );
}

/** Reads the task once: the account must have it, and it must be what the key's request asks for. */
async function checkTask(
  taskId: string,
  { request }: JournalEntry,
  flags: SettleFlags,
  surroundings: Surroundings,
): Promise<void> {
  const task = await connect(flags, surroundings)
    .tasks.retrieve(taskId)
    .catch((error: unknown) => {
      throw error instanceof TaskNotFoundError ? new TaskFault(error, taskId, { download: true }) : error;
    });
  const { model, task_type: type } = Object(request);
  if (task.model === model && task.type === type) return;
  throw new UsageError(
    `Task ${taskId} is ${task.model} ${task.type}, but the request of this key is ${model} ${type}. Nothing was changed`,
  );
}

function nothingToSettle(key: string, entry: JournalEntry | null): UsageError {
  const name = JSON.stringify(key);
  if (entry?.state !== "submitted") return new UsageError(`Nothing to settle: ${name} is free`);
  return new UsageError(
    `Nothing to settle: ${name} stands for task ${entry.task_id}, which the service returned for this key`,
  );
}
