import type { Task } from "../contract/task.js";
import {
  checkOption,
  checkOptions,
  methodsRule,
  numberRule,
  type OptionRule,
  type OptionRules,
} from "../errors/options.js";
import type { IntentHold } from "../journal/intent-claim.js";
import type { BudgetReservation, Journal } from "../journal/journal.js";
import { journalRule } from "../journal/options.js";
import type { Clock } from "../time/clock.js";

declare const made: unique symbol;

/**
 * The most that each customer may spend in a period: made by `memoryBudget`, `redisBudget` or `postgresBudget`. No other object has this
 * type: the calls refuse a budget of your own.
 */
export interface Budget {
  /** No object of your own has this type. */
  readonly [made]: "by memoryBudget, redisBudget or postgresBudget";
  /**
   * Returns what a customer has spent and reserved in the current period. It first frees what is no longer needed: for example the
   * reservation of a journal key that was settled as not created.
   *
   * @throws `InvalidOptionError` the tenant is not a string of 1 to 200 characters; `BudgetError` the database failed
   */
  usage(tenant: string): Promise<BudgetUsage>;
}

/** What a customer has spent in the current period, in credits. */
export interface BudgetUsage {
  /** Charged: the tasks succeeded. */
  spent: number;
  /** Held for tasks that have not ended, and for requests whose outcome is unknown. */
  reserved: number;
  /** What `spent` and `reserved` may be together. */
  maxCredits: number;
  /** When the period ends, and the next one begins with nothing spent; `null` for `per: "total"`. */
  until: Date | null;
}

/** Options of every budget. They must be the same in all processes that share it. */
export interface BudgetOptions {
  /** The most that each customer may spend in a period, in credits of 0.01 USD. Unfinished tasks count as well. */
  maxCredits: number;
  /** The period: a calendar day, a calendar month, or `"total"`, which never ends. A task counts when it is created. */
  per: "day" | "month" | "total";
  /**
   * The time zone in which a day or a month begins, as an IANA name such as `"Europe/Lisbon"`. Days on which the clocks
   * change are an hour shorter or longer.
   *
   * @defaultValue "UTC"
   */
  timeZone?: string | undefined;
  /**
   * The journal of all orders that use this budget. With it, the budget frees each reservation, or counts it as spent, by what the journal
   * has under its key, whichever process has reserved it. Without it, that covers the keys that this process has run. A call that creates
   * a task with this budget and another journal object rejects with `InvalidOptionError`.
   */
  journal?: Journal | undefined;
  /** The clock that tells the period. @defaultValue that of the client that last submitted with the budget; until then, the system's */
  clock?: Pick<Clock, "now"> | undefined;
}

/** The budget options of the calls that create or await a task. */
export interface BudgetCallOptions {
  /**
   * Limits what the customer that `tenant` names may spend; it requires `tenant`, except in `follow`. The price is reserved before the request is
   * sent, and kept while the outcome is unknown. A success counts what was charged as spent; a refusal, a failure and a timeout free it. If the
   * price does not fit, the call rejects with `CreditCeilingError`, and nothing is sent. After `create`, pass the budget to
   * `wait` or `watch` as well: they count the price as spent or free it when the task has ended.
   *
   * @defaultValue no limit
   */
  budget?: Budget | undefined;
}

/** The price that is reserved for the attempts of one call. */
export interface BudgetHold extends IntentHold {
  /** Reserves nothing. @throws CreditCeilingError the price does not fit now; BudgetError the budget fails */
  check(): Promise<void>;
  /** The same as `begin`, then `reserve`: for a call without a journal. */
  take(): Promise<void>;
  /** The same as `free`: for a call without a journal. */
  release(): Promise<void>;
  /** The task exists: from now on the reservation is found by its ID. Never rejects. */
  created(taskId: string): Promise<void>;
}

/** The call that reserves. */
export interface HeldCall {
  tenant: string;
  request: unknown;
  clock: Clock;
  /** The journal, and the key, that will have the reservation; `null` without a journal. */
  position: JournalPosition | null;
  /** Ends a reservation without a journal. */
  signal: AbortSignal | undefined;
  /** What an abort has left, and `flush` awaits. None of them rejects. */
  left: Promise<void>[];
}

export interface JournalPosition {
  readonly journal: Journal;
  readonly key: string;
}

/** What the SDK calls of a budget. */
export interface ReservingBudget extends Omit<Budget, typeof made> {
  hold(call: HeldCall): Promise<BudgetHold>;
  /**
   * A journal key has this reservation, and its task may not have ended: it is reserved again if it was freed by mistake, also
   * beyond the maximum, but not if it was settled, or if this task has ended. `taskId`: the task, by which `ended` finds the
   * reservation; `null` while it is not known. Never rejects.
   */
  resume(reservation: BudgetReservation, position: JournalPosition, taskId: string | null): Promise<void>;
  /** Frees a reservation. Never rejects. */
  free(reservation: BudgetReservation): Promise<void>;
  /**
   * Settles or frees the reservation of a task that has ended; without a reservation, the one that is found by the task's ID, or by
   * the journal.
   * Never rejects: what failed is tried again when the budget is read.
   */
  ended(task: Task, reservation: BudgetReservation | null, tenant: string | undefined): Promise<void>;
  /** Whether the store has the end of a reservation that has ended. */
  hasEnded(reservation: BudgetReservation): Promise<boolean>;
}

/** A budget that this package has made, as the application passes it to the calls. */
export function madeBudget(budget: ReservingBudget): Budget {
  return budget as ReservingBudget & Budget;
}

const LONGEST_TENANT = 200;

export const tenantRule: OptionRule = [
  `be a string of 1 to ${LONGEST_TENANT} characters`,
  (value) => typeof value === "string" && value !== "" && value.length <= LONGEST_TENANT,
];

export const budgetRule: OptionRule = [
  "be made by memoryBudget, redisBudget or postgresBudget",
  methodsRule("usage", "hold", "resume", "free", "ended", "hasEnded")[1],
];

/** The budget of a call, whose options have met `budgetRule`; `null` without one. */
export function reservingBudget({ budget }: BudgetCallOptions): ReservingBudget | null {
  return budget === undefined ? null : (budget as ReservingBudget & Budget);
}

const BUDGET_OPTIONS: OptionRules<BudgetOptions> = {
  maxCredits: numberRule(
    "be a number of credits, 0 or more",
    (value) => value >= 0 && Number.isFinite(value),
  ),
  per: ['be "day", "month" or "total"', (value) => ["day", "month", "total"].some((per) => per === value)],
  timeZone: ['be the name of a time zone, such as "Europe/Lisbon"', isTimeZone],
  journal: journalRule(),
  clock: methodsRule("now"),
};

/** @throws InvalidOptionError */
export function checkBudgetOptions<Options extends BudgetOptions>(
  options: Options,
  others: Parameters<typeof checkOptions>[1] = {},
): Options {
  const checked = checkOptions(options, { ...BUDGET_OPTIONS, ...others });
  for (const name of ["maxCredits", "per"] as const) checkOption(name, BUDGET_OPTIONS[name], checked[name]);
  return checked;
}

function isTimeZone(value: unknown): boolean {
  try {
    return typeof value === "string" && new Intl.DateTimeFormat("en", { timeZone: value }) !== null;
  } catch {
    return false;
  }
}
