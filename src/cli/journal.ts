import { existsSync } from "node:fs";
import { isUuid, printableLine } from "../contract/text.js";
import {
  JournalDamagedError,
  type JournalEntry,
  type OpenOrder,
  settleOutcome,
  TaskNotFoundError,
} from "../index.js";
import { fileJournal } from "../node/index.js";
import { connect } from "./account.js";
import type { ConnectionFlags } from "./flags.js";
import { TaskFault } from "./report.js";
import { type Terminal, UsageError, writeResult } from "./terminal.js";

/** Flags of `orders` and `settle`. */
export interface JournalFlags extends ConnectionFlags {
  journal: string;
  taskId?: string;
  notCreated?: boolean;
  offline?: boolean;
}

const ADVICE: Readonly<Record<OpenOrder["state"], string>> = {
  intent: "unknown: find out whether the service received the request, then use `async-music settle`.",
  submitted: "submitted: run the same command again, or use `async-music wait TASK_ID`.",
};

/** Lists the open keys of a journal, and what to do about them. Fails after that if entries are damaged. */
export async function showOrders({ journal, json }: JournalFlags, terminal: Terminal): Promise<void> {
  let damage: JournalDamagedError | null = null;
  const orders = await existingJournal(journal)
    .open()
    .catch((error: unknown) => {
      // With --json, the document of the error has the orders.
      if (json || !(error instanceof JournalDamagedError)) throw error;
      damage = error;
      return error.orders;
    });
  const rows = orders.map(({ key, state, since, task_id: taskId, request_id: requestId }) => {
    const name = state === "intent" ? "unknown" : state;
    return [key, name, since, taskId === null ? `request ${requestId}` : `task ${taskId}`].map(printableLine);
  });
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
  writeResult(terminal, json, { orders }, lines.map((line) => `${line}\n`).join(""));
  if (json) return;
  if (orders.length === 0 && damage === null) terminal.stderr.write("No open orders.\n");
  for (const state of new Set(orders.map((order) => order.state)))
    terminal.stderr.write(`${ADVICE[state]}\n`);
  if (damage !== null) throw damage;
}

/** Records the outcome of the request of a key. */
export async function settleKey(key: string, flags: JournalFlags, terminal: Terminal): Promise<void> {
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
  if (!(await settleOutcome(journal, key, taskId ?? null))) {
    const entry = await journal.get(key);
    const reason =
      entry?.state === "submitted"
        ? `has task ${entry.task_id}, which the service returned for this key`
        : "is free";
    throw new UsageError(`Nothing to settle: ${JSON.stringify(key)} ${reason}.`);
  }
  const text = taskId === undefined ? `${key} is free\n` : `${key} has task ${taskId}\n`;
  writeResult(terminal, json, { key, task_id: taskId ?? null }, text);
}

/** Reads the task once: it must exist, and match the request of the key. */
async function checkTask(
  taskId: string,
  { request }: JournalEntry,
  flags: JournalFlags,
  terminal: Terminal,
): Promise<void> {
  const task = await connect(flags, terminal)
    .tasks.retrieve(taskId)
    .catch((error: unknown) => {
      throw error instanceof TaskNotFoundError ? new TaskFault(error, taskId, { download: true }) : error;
    });
  const { model, task_type: type } = Object(request);
  if (task.model !== model || task.type !== type)
    throw new UsageError(
      `Task ${taskId} is ${task.model} ${task.type}, but the request of this key is ${model} ${type}. Nothing was changed.`,
    );
}

/** A mistyped path would create an empty journal. */
function existingJournal(path: string): ReturnType<typeof fileJournal> {
  if (!existsSync(path)) throw new UsageError(`There is no journal at ${JSON.stringify(path)}.`);
  return fileJournal(path);
}
