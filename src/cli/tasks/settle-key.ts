import { existsSync } from "node:fs";
import { type JournalEntry, settleOutcome } from "../../index.js";
import { fileJournal } from "../../node/index.js";
import type { SettleFlags } from "../flags.js";
import type { Surroundings } from "../terminal/surroundings.js";
import { UsageError } from "../usage-error.js";

/** Records under a key what became of its request. */
export async function settleKey(
  key: string,
  { journal, taskId, notCreated = false }: SettleFlags,
  { stdout }: Surroundings,
): Promise<void> {
  if ((taskId === undefined) !== notCreated)
    throw new UsageError("Expected either --task-id, for the task that was created, or --not-created");
  if (!existsSync(journal)) throw new UsageError(`Expected a journal at ${JSON.stringify(journal)}`);
  const kept = fileJournal(journal);
  if (!(await settleOutcome(kept, key, taskId ?? null))) throw nothingToSettle(key, await kept.get(key));
  stdout.write(taskId === undefined ? `${key} is free\n` : `${key} stands for task ${taskId}\n`);
}

function nothingToSettle(key: string, entry: JournalEntry | null): UsageError {
  const place = entry?.state === "submitted" ? `stands for task ${entry.task_id}` : "is free";
  return new UsageError(`Expected a key whose outcome is unknown: ${JSON.stringify(key)} ${place} already`);
}
