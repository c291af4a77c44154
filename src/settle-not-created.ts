import { clockOf } from "./client.js";
import {
  checkOption,
  checkOptions,
  methodsRule,
  millisecondsRule,
  type OptionRules,
} from "./errors/options.js";
import { LONGEST_IN_FLIGHT_MS } from "./journal/in-flight.js";
import type { Journal, OpenOrder } from "./journal/journal.js";
import { journalRule } from "./journal/options.js";
import type { Clock } from "./time/clock.js";
import { withClockStopped } from "./time/stopped-clock.js";

/** Options of `settleNotCreated`. */
export interface SettleNotCreatedOptions {
  /**
   * The keys of all orders that were unfinished at any time since one hour before the requests of the open ones, for example from
   * your table of orders: of an order with several steps or takes, the key of each. Keys without an entry are ignored. The tasks that
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

const RULES: OptionRules<SettleNotCreatedOptions> = {
  journalKeys: [
    "be an iterable of strings",
    (value) => typeof value !== "string" && typeof Object(value)[Symbol.iterator] === "function",
  ],
  olderThanMs: millisecondsRule(0),
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
 * This call reads `usage` once, and creates nothing. Call it only if no request of a key that it may free is in flight: for
 * example after a job queue has given the job of a killed worker to another one. A process that is suspended while it connects
 * could send its POST when it continues. In Node.js, without a `fetch` of your own, it then finds that `timeoutMs` has passed, and
 * sends nothing.
 *
 * @param client - The client of the account.
 * @param journal - The journal of the runs. It must have the method `open`: see {@link Journal.open}.
 * @returns the open intents that are left, oldest first
 * @throws `InvalidOptionError` an option is out of range, or the journal lacks a method; the errors of `usage` and of the journal
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
  journal: Journal,
  options: SettleNotCreatedOptions = {},
): Promise<OpenOrder[]> {
  checkOption("journal", journalRule("open"), journal);
  const checked = checkOptions(options, RULES);
  const { journalKeys = [], olderThanMs = LONGEST_IN_FLIGHT_MS, clock = clockOf(client) } = checked;
  const { freeNotCreated } = await withClockStopped(clock, import("./tasks/lazy.js"));
  return freeNotCreated(client, journal, { journalKeys, olderThanMs, clock });
}
