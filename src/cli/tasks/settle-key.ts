import { settleOutcome } from "../../index.js";
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
  if (!(await settleOutcome(fileJournal(journal), key, taskId ?? null)))
    throw new UsageError(
      `Expected a key whose outcome is unknown: ${JSON.stringify(key)} is free, or has its task`,
    );
  stdout.write(taskId === undefined ? `${key} is free\n` : `${key} stands for task ${taskId}\n`);
}
