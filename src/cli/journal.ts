import { existsSync } from "node:fs";
import { isUuid } from "../contract/task.js";
import { printableLine } from "../contract/text.js";
import {
  JournalDamagedError,
  type JournalEntry,
  type OpenOrder,
  settleOutcome,
  TaskNotFoundError,
} from "../index.js";
import { fileJournal } from "../node/index.js";
import { connect } from "./account.js";
import type { OrdersFlags, SettleFlags } from "./flags.js";
import { TaskFault } from "./report.js";
import { type Terminal, UsageError, writeJson } from "./terminal.js";

const STATES: Readonly<Record<OpenOrder["state"], { name: string; advice: string }>> = {
  intent: {
    name: "unknown",
    advice: "unknown: find out whether the service received the request, then use `async-music settle`.",
  },
  submitted: {
    name: "submitted",
    advice: "submitted: run the same command again, or use `async-music wait TASK_ID`.",
  },
};

/** Lists the open keys of a journal, and what to do about them. Fails after that if entries are damaged. */
export async function showOrders(
  { journal, json }: OrdersFlags,
  { stdout, stderr }: Terminal,
): Promise<void> {
  let damage: JournalDamagedError | null = null;
  const orders = await existingJournal(journal)
    .open()
    .catch((error: unknown) => {
      // With --json, the document of the error has the orders.
      if (json || !(error instanceof JournalDamagedError)) throw error;
      damage = error;
      return error.orders;
    });
  if (json) return writeJson(stdout, { orders });
  if (orders.length === 0 && damage === null) stderr.write("No open orders.\n");
  const rows = orders.map(({ key, state, since, task_id: taskId, request_id: requestId }) =>
    [key, STATES[state].name, since, taskId === null ? `request ${requestId}` : `task ${taskId}`].map(
      printableLine,
    ),
  );
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows)
    stdout.write(`${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}\n`);
  for (const state of new Set(orders.map((order) => order.state))) stderr.write(`${STATES[state].advice}\n`);
  if (damage !== null) throw damage;
}

/** Records the outcome of the request of a key. */
export async function settleKey(key: string, flags: SettleFlags, terminal: Terminal): Promise<void> {
  const { taskId, notCreated = false, offline = false, json } = flags;
  if ((taskId === undefined) !== notCreated)
    throw new UsageError("Pass either --task-id, for the task that was created, or --not-created.");
  if (taskId !== undefined && !isUuid(taskId))
    throw new UsageError("--task-id must be the ID of a task, which is a UUID.");
  const journal = existingJournal(flags.journal);
  if (taskId !== undefined && !offline) {
    // If the journal can't be read, `settleOutcome` reports that.
    const entry = await journal.get(key).catch(() => null);
    if (entry !== null) await checkTask(taskId, entry, flags, terminal);
  }
  if (!(await settleOutcome(journal, key, taskId ?? null)))
    throw nothingToSettle(key, await journal.get(key));
  if (json) writeJson(terminal.stdout, { key, task_id: taskId ?? null });
  else terminal.stdout.write(taskId === undefined ? `${key} is free\n` : `${key} has task ${taskId}\n`);
}

/** Reads the task once: it must exist, and match the request of the key. */
async function checkTask(
  taskId: string,
  { request }: JournalEntry,
  flags: SettleFlags,
  terminal: Terminal,
): Promise<void> {
  const task = await connect(flags, terminal)
    .tasks.retrieve(taskId)
    .catch((error: unknown) => {
      throw error instanceof TaskNotFoundError ? new TaskFault(error, taskId, { download: true }) : error;
    });
  const { model, task_type: type } = Object(request);
  if (task.model === model && task.type === type) return;
  throw new UsageError(
    `Task ${taskId} is ${task.model} ${task.type}, but the request of this key is ${model} ${type}. Nothing was changed.`,
  );
}

function nothingToSettle(key: string, entry: JournalEntry | null): UsageError {
  const name = JSON.stringify(key);
  if (entry?.state !== "submitted") return new UsageError(`Nothing to settle: ${name} is free.`);
  return new UsageError(
    `Nothing to settle: ${name} has task ${entry.task_id}, which the service returned for this key.`,
  );
}

/** A mistyped path would create an empty journal. */
function existingJournal(path: string): ReturnType<typeof fileJournal> {
  if (!existsSync(path)) throw new UsageError(`There is no journal at ${JSON.stringify(path)}.`);
  return fileJournal(path);
}
