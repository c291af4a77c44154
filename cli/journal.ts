import { existsSync, statSync } from "node:fs";
import { isUuid, printableLine } from "../src/contract/text.js";
import {
  type Journal,
  JournalDamagedError,
  type JournalEntry,
  type OpenOrder,
  settleOutcome,
  TaskNotFoundError,
} from "../src/index.js";
import { isFreed } from "../src/journal/entries.js";
import { inFlightUntil } from "../src/journal/in-flight.js";
import { fileJournal } from "../src/node/index.js";
import { connect } from "./account.js";
import type { ConnectionFlags } from "./flags.js";
import { settleCommand, TaskFault } from "./report.js";
import { alignedTable, commandName, type Terminal, UsageError, writeResult } from "./terminal.js";

/** Flags of `orders` and `settle`. */
export interface JournalFlags extends ConnectionFlags {
  journal: string;
  taskId?: string;
  notCreated?: boolean;
  offline?: boolean;
  force?: boolean;
}

/** Lists the open keys of a journal, and what to do about them. Fails after that if entries are damaged. */
export async function showOrders(
  { journal, baseUrl, json }: JournalFlags,
  terminal: Terminal,
): Promise<void> {
  const { orders, damage } = await readOpen(existingJournal(journal));
  // The document of the error has the orders.
  if (json && damage !== null) throw damage;
  const rows = orders.map(({ key, state, since, task_id: taskId, request_id: requestId }) => {
    const name = state === "intent" ? "unknown" : state;
    return [key, name, since, taskId === null ? `request ${requestId}` : `task ${taskId}`].map(printableLine);
  });
  writeResult(terminal, json, { orders }, alignedTable(rows));
  if (json) return;
  const command = commandName(terminal);
  const settle = settleCommand(command, "KEY", { journal, baseUrl }, "--task-id TASK_ID");
  const advice = {
    intent: `unknown: wait until the request is 2 minutes old, or older if its run had a \`timeoutMs\` above 30 s: it may still be in flight. Find out whether it created a task, then run \`${settle}\` with the ID of the task, or with --not-created instead of --task-id if there is none.`,
    submitted: `submitted: run the same command again, which closes the key. \`${command} wait TASK_ID\` only saves the result.`,
  };
  if (orders.length === 0 && damage === null) terminal.stderr.write("The journal has no open keys.\n");
  for (const state of new Set(orders.map((order) => order.state)))
    terminal.stderr.write(`${advice[state]}\n`);
  if (damage !== null) throw damage;
}

/** The open orders that can be read, and the error that names the entries that can't be. */
export async function readOpen(
  journal: Required<Pick<Journal, "open">>,
): Promise<{ orders: readonly OpenOrder[]; damage: JournalDamagedError | null }> {
  try {
    return { orders: await journal.open(), damage: null };
  } catch (error) {
    if (!(error instanceof JournalDamagedError)) throw error;
    return { orders: error.orders, damage: error };
  }
}

/** Records the outcome of the request of a key. */
export async function recordOutcome(key: string, flags: JournalFlags, terminal: Terminal): Promise<void> {
  const { taskId, notCreated = false, offline = false, force = false, json } = flags;
  if ((taskId === undefined) !== notCreated)
    throw new UsageError("Pass either --task-id, for the task that was created, or --not-created.");
  if (taskId !== undefined && !isUuid(taskId))
    throw new UsageError(`--task-id must be a task ID, a UUID; got ${JSON.stringify(taskId)}.`);
  const journal = existingJournal(flags.journal);
  // If the journal can't be read, `settleOutcome` reports that.
  const found = await journal.get(key).catch(() => null);
  if (found !== null && taskId !== undefined && !offline) await checkTask(taskId, found, flags, terminal);
  if (found !== null && taskId === undefined && !force) checkAge(key, found, terminal);
  const name = JSON.stringify(key);
  if (!(await settleOutcome(journal, key, taskId ?? null))) {
    const entry = await journal.get(key);
    throw new UsageError(
      entry?.state === "submitted"
        ? `Nothing to settle: ${name} has task ${entry.task_id}, which the service returned for this journal key.`
        : `Nothing to settle: the journal has no request under ${name}.`,
    );
  }
  const text =
    taskId === undefined
      ? `Key ${name} is free. The next run with it creates a task.\n`
      : `Key ${name} has task ${taskId}. The next run with it waits for this task.\n`;
  writeResult(terminal, json, { key, task_id: taskId ?? null }, text);
}

/** Refuses to free a key while its request may be in flight: the next run could create a second task. */
function checkAge(key: string, entry: JournalEntry, terminal: Terminal): void {
  // A task that the service returned can't be settled, and a key that is free already stays free.
  const canBeFreed = entry.state === "intent" ? !isFreed(entry) : entry.settled === true;
  if (!canBeFreed) return;
  const until = inFlightUntil(entry, (terminal.client?.clock ?? Date).now());
  if (until === null) return;
  throw new UsageError(
    `The request of ${JSON.stringify(key)} began at ${entry.at} and may still be in flight, so it may still create a task. Nothing was changed. ` +
      `Run the same command at ${until.toISOString()} or later, or with --force if no process is still sending the request.`,
  );
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
      `Task ${taskId} is ${task.model} ${task.type}, but the request of this journal key is ${model} ${type}. Nothing was changed.`,
    );
}

/** A mistyped path would create an empty journal. */
function existingJournal(path: string): ReturnType<typeof fileJournal> {
  checkJournalDirectory(path);
  if (!existsSync(path)) throw new UsageError(`There is no journal at ${JSON.stringify(path)}.`);
  return fileJournal(path);
}

/**
 * The scheme of a journal's URL; `null` for a path.
 *
 * @throws UsageError for what may be a mistyped URL, without its password
 */
export function schemeOf(location: string): string | null {
  const [, scheme] = /^([a-z][a-z\d+.-]*):\/\//i.exec(location) ?? [];
  if (scheme !== undefined) return scheme.toLowerCase();
  if (MISTYPED_URL.test(location) && !existsSync(location))
    throw new UsageError(
      "--journal looks like a mistyped URL, which is not shown since it may have a password. A URL begins with postgres:// or redis://, and the path of a directory that looks like one with ./ or /.",
    );
  return null;
}

/** `postgres:/shop:secret@db`, `postgres//shop:secret@db`, and others. A single letter before a colon is a drive of Windows. */
const MISTYPED_URL = /^\s*(?:[a-z][a-z\d+.-]+:\/|[a-z][^:]+:.*@)/is;

/** Refuses a file, and the URL of a database. */
export function checkJournalDirectory(path: string): void {
  checkJournalPath(path);
  if (existsSync(path) && !statSync(path).isDirectory())
    throw new UsageError(`--journal must be a directory; ${JSON.stringify(path)} is a file.`);
}

/** Refuses the URL of a database, without its password: it would become a directory. */
export function checkJournalPath(path: string): void {
  const scheme = schemeOf(path);
  if (scheme === null) return;
  throw new UsageError(
    `--journal must be the directory of a file journal; got a ${scheme}:// URL. Only \`relay\` reads other journals. ` +
      "In a program, use its `open()` and `settleOutcome`, or with PostgreSQL the SQL of docs/postgres.md.",
  );
}
