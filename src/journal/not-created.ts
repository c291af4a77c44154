import { createRedactor } from "../errors/redactor.js";
import { type Clock, wallTime } from "../time/clock.js";
import { parseDate } from "../time/date.js";
import { within } from "../time/deadline.js";
import { isOpenIntent } from "./entries.js";
import { inFlightUntil, USUAL_TIMEOUT_MS } from "./in-flight.js";
import type { Journal, JournalEntry, JournalIntent, OpenOrder } from "./journal.js";
import { settlementOf } from "./settlement.js";
import { LONGEST_JOURNAL_MS, Slot } from "./slot.js";

/** The options of `settleNotCreated`, with their defaults. */
interface Checked {
  journalKeys: Iterable<string>;
  olderThanMs: number;
  clock: Pick<Clock, "now">;
}

/** What `settleNotCreated` does. */
export async function freeNotCreated(
  client: { account: { usage(): PromiseLike<{ tasks_created: number }> } },
  journal: Journal,
  { journalKeys, olderThanMs, clock }: Checked,
): Promise<OpenOrder[]> {
  const listed = await within(LONGEST_JOURNAL_MS, async () => (await journal.open?.()) ?? []);
  const intents = listed.filter(({ state }) => state === "intent");
  // The list of a custom journal may repeat a key.
  const open = [...new Map(intents.map((order) => [order.key, order])).values()];
  if (open.length === 0) return [];

  const entries = new Map<string, JournalEntry | null>();
  for (const key of [...journalKeys, ...open.map((order) => order.key)])
    if (!entries.has(key)) entries.set(key, await slotOf(journal, key).read());
  // After the entries: each of their tasks is counted in it.
  const { tasks_created: created } = await client.account.usage();

  const isExplained = allTasksKnown([...entries.values()], created);
  const left: OpenOrder[] = [];
  for (const order of open) {
    const entry = entries.get(order.key) ?? null;
    if (entry === null || !isOpenIntent(entry)) continue;
    const isSettled =
      isOlder(entry, olderThanMs, wallTime(clock)) &&
      isExplained(entry.tasks_created) &&
      (await slotOf(journal, order.key).put(settlementOf(entry, null), entry.revision));
    if (!isSettled) left.push(order);
  }
  return left;
}

/** Whether an intent is old enough: a run that could wait longer for its response than by default needs more time. */
function isOlder(intent: JournalIntent, ms: number, now: number): boolean {
  const isLong = (intent.timeout_ms ?? USUAL_TIMEOUT_MS) > USUAL_TIMEOUT_MS;
  const age = now - (parseDate(intent.at) ?? Number.POSITIVE_INFINITY);
  return age >= ms && !(isLong && inFlightUntil(intent, now) !== null);
}

const slotOf = (journal: Journal, key: string) => new Slot(journal, key, createRedactor(""));

/**
 * Returns whether all tasks are in the journal that were created after `usage` had returned this number. A task whose
 * own run read the same or a higher number was created later: it had to raise the number.
 */
function allTasksKnown(entries: readonly (JournalEntry | null)[], created: number) {
  const ids = new Map<string, number>();
  const samples = new Set<number>();
  for (const entry of entries) {
    if (entry === null || entry.tasks_created === null) continue;
    samples.add(entry.tasks_created);
    // A person may have named a wrong task.
    if (entry.state === "submitted" && entry.settled !== true) ids.set(entry.task_id, entry.tasks_created);
  }
  const known = [...ids.values()];
  const isComplete = (sample: number) => created - sample === known.filter((own) => own >= sample).length;
  return (since: number | null) =>
    since !== null && [...samples].some((sample) => sample <= since && isComplete(sample));
}
