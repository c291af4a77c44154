import { type AsyncMusic, type Journal, settleOutcome } from "async-music";

/**
 * Settles a parked order as a person has decided: with the ID of its task, or with "none". After that, `fulfil` continues the
 * order.
 */
export async function settleByHand(
  client: AsyncMusic,
  journal: Journal,
  journalKey: string,
  outcome: string,
): Promise<void> {
  if (outcome === "") throw new Error("Pass the journal key, and the ID of its task or none.");
  // Throws if the account has no such task.
  const task = outcome === "none" ? null : await client.tasks.retrieve(outcome);
  const request = (await journal.get(journalKey))?.request;
  if (task !== null && JSON.stringify(task.input) !== JSON.stringify(Object(request).input))
    throw new Error(
      `Task ${task.task_id} has another input than the request of ${journalKey}. Nothing was changed.`,
    );
  if (await settleOutcome(journal, journalKey, task?.task_id ?? null)) return;
  throw new Error(`There is nothing to settle under ${journalKey}.`);
}

/** Prints every order that still needs a run or a decision, and how to continue it. */
export async function printOpen(journal: Required<Journal>, settleCommand: string): Promise<void> {
  for (const { key, state, task_id, request_id } of await journal.open()) {
    const advice =
      state === "intent"
        ? `unknown outcome of request ${request_id}: ${settleCommand} ${key} TASK_ID|none`
        : `task ${task_id}: the next run of the order continues`;
    console.log(`open ${key}: ${advice}`);
  }
}
