import { printableLine } from "../../src/contract/text.js";
import { messageOfThrown } from "../../src/contract/thrown.js";
import { partsOf } from "../../src/errors/base.js";
import { FOLLOW_DEFAULTS } from "../../src/follow/follower.js";
import { type Journal, JournalError, type OpenOrder, type UnacknowledgedOrder } from "../../src/index.js";
import { bySince } from "../../src/journal/entries.js";
import { createSystemClock } from "../../src/time/clock.js";
import type { RelayFlags } from "../flags.js";
import { readOpen } from "../journal.js";
import { alignedTable, type Terminal, UsageError, writeResult } from "../terminal.js";
import type { OpenedJournal } from "./journal-at.js";

/** Lists the orders whose end was not delivered yet, oldest first. Fails after that if entries are damaged. */
export async function listUndelivered(
  { journal, exists }: OpenedJournal,
  { journal: location, json }: RelayFlags,
  terminal: Terminal,
): Promise<void> {
  if (!exists) throw new UsageError(`There is no journal at ${JSON.stringify(location)}.`);
  const { clock = createSystemClock() } = terminal.client ?? {};
  const { open, damage, unacknowledged } = await read(journal).catch((cause: unknown) => {
    const parts =
      cause instanceof JournalError
        ? partsOf(cause)
        : { what: "Failed to read the journal", why: messageOfThrown(cause) };
    if (parts.advice !== undefined) throw cause;
    throw new JournalError(
      { ...parts, advice: ["Check --journal and its database."] },
      { journalKey: "", cause },
    );
  });
  const keys = new Set(unacknowledged.map(({ key }) => key));
  const orders = [
    ...unacknowledged.map((order) => ({ ...order, state: stateOf(order, clock.now()) })),
    ...open.filter(({ key, state }) => state === "intent" && !keys.has(key)).map(unknownOrder),
  ].sort(bySince);
  // The document of the error has the same orders as that of the list.
  if (json && damage !== null) throw Object.assign(damage, { orders });
  const rows = orders.map((order) => {
    const { key, state, since, delivery } = order;
    const subject = "request_id" in order ? `request ${order.request_id}` : `task ${order.task_id}`;
    const tries = delivery === null ? "" : `try ${delivery.tries}: ${delivery.last_error}`;
    return [key, state, since, subject, tries].map(printableLine);
  });
  writeResult(terminal, json, { orders }, alignedTable(rows));
  if (json) return;
  if (orders.length === 0 && damage === null) terminal.stderr.write("Every end was delivered.\n");
  for (const state of new Set(orders.map((order) => order.state)))
    terminal.stderr.write(`${state}: ${ADVICE[state]}\n`);
  if (damage !== null) throw damage;
}

/** The open orders are read first: an order that is submitted meanwhile is then found among the others. */
async function read(journal: Required<Journal>) {
  const { orders: open, damage } = await readOpen(journal);
  return { open, damage, unacknowledged: await journal.unacknowledged() };
}

/** An order with an unknown outcome, in the shape of the others. */
function unknownOrder({ key, request_id, since }: OpenOrder) {
  const nothing = { task_id: null, tenant: null, status: null, follower: null, delivery: null };
  return { key, state: "unknown" as const, request_id, since, ...nothing };
}

/** What the list says about an order. */
type ListedState = keyof typeof ADVICE;

const ADVICE = {
  unknown:
    "a task may exist. Settle the outcome, so that the end can be delivered. A request that is less than 2 minutes old may still be in flight.",
  unfinished:
    "no process has delivered an end yet: the task is not finished, or the function of --store stores it.",
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
