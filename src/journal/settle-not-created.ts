import { checkOption, checkOptions, methodsRule, numberRule, type OptionRule } from "../errors/options.js";
import { createRedactor } from "../errors/redactor.js";
import type { Clock } from "../time/clock.js";
import { parseDate } from "../time/date.js";
import { clockOf } from "./client-clock.js";
import { isOpenIntent } from "./entries.js";
import { inFlightUntil, LONGEST_IN_FLIGHT_MS, USUAL_TIMEOUT_MS } from "./in-flight.js";
import type { Journal, JournalEntry, JournalIntent, OpenOrder } from "./journal.js";
import { settlementOf } from "./settle-outcome.js";
import { Slot } from "./slot.js";

/** Options of `settleNotCreated`. */
export interface SettleNotCreatedOptions {
  /**
   * The keys of all orders that were run since the open ones, such as the latest keys of your table of orders. The tasks that
   * the journal has under these keys are subtracted. With a key too few, fewer orders are settled.
   *
   * @defaultValue none: an order is settled if the account has created no task at all since then
   */
  journalKeys?: Iterable<string> | undefined;
  /**
   * Leaves younger intents alone, in milliseconds: their POST may still be in flight. It must exceed 30 s, plus the time that
   * your journal may take to write an entry twice (10 s each for `postgresJournal`, 30 s each for `redisJournal`), plus the
   * difference between the clocks of your machines. An intent whose run had a longer `timeoutMs` than 30 s is left alone
   * for at least that `timeoutMs` plus 90 s; older versions of this package have not recorded it.
   *
   * @defaultValue 120_000
   */
  olderThanMs?: number | undefined;
  /**
   * The clock by which the age is computed: the clock of the clients that wrote the journal. Pass it only if that is another
   * clock than that of `client`. By a clock that is ahead, a key would be freed while its POST is in flight.
   *
   * @defaultValue the clock of `client`; the system's if `client` is no `AsyncMusic` client of this copy of the package
   */
  clock?: Pick<Clock, "now"> | undefined;
}

const iterableRule: OptionRule = [
  "be an iterable of strings",
  (value) => typeof value !== "string" && typeof Object(value)[Symbol.iterator] === "function",
];

const RULES = {
  journalKeys: iterableRule,
  olderThanMs: numberRule("be a number of milliseconds, 0 or more", (value) => value >= 0),
  clock: methodsRule("now"),
};

/**
 * Frees every key whose run ended without an outcome, if its POST certainly created no task. The next run with the key
 * creates one. For all other keys, call {@link settleOutcome} once you know the outcome.
 *
 * A POST created nothing if the journal has every task that the account has created since the intent was written. That needs
 * runs with `probe: true`, one journal for all orders of the account, and one account for all keys of the journal: a number of
 * another account proves nothing about these orders. Tasks of other programs make the evidence weaker, never wrong.
 *
 * This call reads `usage` once, and creates nothing. Call it only if no process still runs these orders, for example after a
 * job queue has given the job of a killed worker to another one: a process that was suspended could still send its POST.
 *
 * @param client - The client of the account.
 * @param journal - The journal of the runs.
 * @returns the open intents that are left, oldest first
 * @throws `InvalidOptionError` an option is out of range; the errors of `usage` and of the journal
 *
 * @example
 * ```ts sketch
 * import { settleNotCreated } from "async-music";
 *
 * for (const { key, request_id } of await settleNotCreated(client, journal)) console.log(`decide: ${key}, ${request_id}`);
 * ```
 */
export async function settleNotCreated(
  client: { account: { usage(): PromiseLike<{ tasks_created: number }> } },
  journal: Journal & Required<Pick<Journal, "open">>,
  options: SettleNotCreatedOptions = {},
): Promise<OpenOrder[]> {
  checkOption("journal", methodsRule("get", "put", "delete", "open"), journal);
  const checked = checkOptions(options, RULES);
  const { journalKeys = [], olderThanMs = LONGEST_IN_FLIGHT_MS, clock = clockOf(client) } = checked;
  const open = (await journal.open()).filter(({ state }) => state === "intent");
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
      isOlder(entry, olderThanMs, clock.now()) &&
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
