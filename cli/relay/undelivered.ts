import { printableLine } from "../../src/contract/text.js";
import { messageOfThrown } from "../../src/contract/thrown.js";
import { FOLLOW_DEFAULTS } from "../../src/follow/follower.js";
import { JournalError, type UnacknowledgedOrder } from "../../src/index.js";
import { createSystemClock } from "../../src/time/clock.js";
import type { RelayFlags } from "../flags.js";
import { alignedTable, type Terminal, UsageError, writeResult } from "../terminal.js";
import type { OpenedJournal } from "./journal-at.js";

/** Lists the orders whose end was not delivered yet, oldest first. */
export async function listUndelivered(
  { journal, exists }: OpenedJournal,
  { journal: location, json }: RelayFlags,
  terminal: Terminal,
): Promise<void> {
  if (!exists) throw new UsageError(`There is no journal at ${JSON.stringify(location)}.`);
  const { clock = createSystemClock() } = terminal.client ?? {};
  const listed = await journal.unacknowledged().catch((cause: unknown) => {
    if (cause instanceof JournalError) throw cause;
    const parts = { what: "Failed to read the journal", why: messageOfThrown(cause) };
    throw new JournalError(
      { ...parts, advice: ["Check --journal and its database."] },
      { journalKey: "", cause },
    );
  });
  const orders = listed.map((order) => ({ ...order, state: stateOf(order, clock.now()) }));
  const rows = orders.map(({ key, state, since, task_id: taskId, delivery }) => {
    const tries = delivery === null ? "" : `try ${delivery.tries}: ${delivery.last_error}`;
    return [key, state, since, `task ${taskId}`, tries].map(printableLine);
  });
  writeResult(terminal, json, { orders }, alignedTable(rows));
  if (json) return;
  if (orders.length === 0) terminal.stderr.write("Every end was delivered.\n");
  for (const state of new Set(orders.map((order) => order.state)))
    terminal.stderr.write(`${state}: ${ADVICE[state]}\n`);
}

/** What the list says about an order. */
type ListedState = keyof typeof ADVICE;

const ADVICE = {
  unfinished: "no process has noticed an end of the task yet.",
  ended: "the end is delivered by the next relay or follower.",
  failing: "the delivery has failed, and is tried again by a relay.",
  "gave up": "a relay has stopped trying. Start one with --retry to try again.",
  "too old": "the order began more than 7 days ago: it is not delivered any more.",
} as const;

function stateOf({ since, status, delivery }: UnacknowledgedOrder, now: number): ListedState {
  if (Date.parse(since) < now - FOLLOW_DEFAULTS.maxAgeMs) return "too old";
  if (delivery !== null) return delivery.next_at === null ? "gave up" : "failing";
  return status === null ? "unfinished" : "ended";
}
