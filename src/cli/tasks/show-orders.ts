import { printableLine } from "../../contract/text.js";
import type { OpenOrder } from "../../index.js";
import type { OrdersFlags } from "../flags.js";
import { writeJson } from "../terminal/json.js";
import type { Surroundings } from "../terminal/surroundings.js";
import { existingJournal } from "./existing-journal.js";

const STATES: Readonly<Record<OpenOrder["state"], { name: string; advice: string }>> = {
  intent: {
    name: "unknown",
    advice: "unknown: find out whether the service has the request, then use `async-music settle`.",
  },
  submitted: {
    name: "submitted",
    advice: "submitted: run the same command again, or use `async-music wait TASK_ID`.",
  },
};

/** Lists the open keys of a journal, and says what to do about them. */
export async function showOrders(
  { journal, json }: OrdersFlags,
  { stdout, stderr }: Surroundings,
): Promise<void> {
  const orders = await existingJournal(journal).open();
  if (json) return writeJson(stdout, { orders });
  if (orders.length === 0) stderr.write("No open orders.\n");
  const rows = orders.map(({ key, state, since, task_id: taskId, request_id: requestId }) =>
    [key, STATES[state].name, since, taskId === null ? `request ${requestId}` : `task ${taskId}`].map(
      printableLine,
    ),
  );
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows)
    stdout.write(`${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}\n`);
  for (const state of new Set(orders.map((order) => order.state))) stderr.write(`${STATES[state].advice}\n`);
}
