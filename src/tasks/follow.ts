import type { SucceededTask } from "../contract/task.js";
import { shown, wrongValue } from "../errors/base.js";
import {
  checkOptions,
  millisecondsRule,
  numberRule,
  type OptionRules,
  wholeNumberRule,
} from "../errors/options.js";
import { FOLLOW_DEFAULTS, Follower, type OrderEnd, type RecordDelivery } from "../follow/follower.js";
import type { FollowedJournal } from "../follow/list-orders.js";
import { LONGEST_LEASE_MS } from "../follow/order-lease.js";
import { Turns } from "../follow/turns.js";
import type { Context } from "../http/context.js";
import type { RequestOptions } from "../http/request-options.js";
import { tenantOf } from "../journal/entries.js";
import type { Journal } from "../journal/journal.js";
import { journalRule } from "../journal/options.js";
import { checkWaitOptions, TASK_OPTIONS, type WaitOptions } from "./options.js";
import type { Waits } from "./wait.js";

/** How an order of a followed journal ended. */
export type FollowedOrder = FollowedSuccess | FollowedFailure;

/** An order whose task succeeded. */
export interface FollowedSuccess {
  /** Identifies the end: it is the same if the end is delivered again. */
  deliveryId: string;
  /** The `journalKey` of the order. */
  key: string;
  /** The task, with its result: narrow it by `type`. `if (task)` tells a success from a failure. */
  task: SucceededTask;
  /** Absent. */
  error?: never;
}

/** An order without a result. */
export interface FollowedFailure {
  /** Identifies the end: it is the same if the end is delivered again. */
  deliveryId: string;
  /** The `journalKey` of the order. */
  key: string;
  /** What `wait` has rejected with, usually a `TaskFailedError` or a `TaskTimedOutError`; never a `WaitTimeoutError`. */
  error: unknown;
  /** Absent, which tells a failure from a success. */
  task?: never;
}

/** Options of `follow`. Those of `wait` apply to the wait for each order: after `maxWaitMs`, the order is followed again. */
export interface FollowOptions extends Omit<WaitOptions, "requestId" | "onUpdate"> {
  /**
   * How often the journal is listed for new orders, in milliseconds: at least 100. If the list takes long, the pause is ten times as long as the
   * list takes, up to five minutes.
   *
   * @defaultValue 5000
   */
  intervalMs?: number | undefined;
  /**
   * The most orders that this call waits for, or that have ended and were not acknowledged yet: at least 1. Other orders are taken later, or
   * by other followers. Tenants share it: a tenant with fewer orders replaces one of the tenant with the most.
   *
   * @defaultValue 1000
   */
  concurrency?: number | undefined;
  /**
   * How long other followers leave an order to this one, in milliseconds, 1000 to 600 000. While this process runs, it renews
   * each lease after a third of that time. After a crash, other followers wait until the lease has run out.
   *
   * @defaultValue 60 000
   */
  leaseMs?: number | undefined;
  /**
   * Orders that began longer ago than this are not delivered, in milliseconds.
   *
   * @defaultValue 604 800 000, seven days: by then the links to the audio have expired
   */
  maxAgeMs?: number | undefined;
  /**
   * How long the journal may fail without a success before `follow` throws its error, in milliseconds. Until then the journal is
   * tried again after 1, 2, 4, 8, 16 and then each 30 s. With 0, the first failure is thrown.
   *
   * @defaultValue 300 000
   */
  maxFailureMs?: number | undefined;
}

const FOLLOW_OPTIONS: OptionRules<FollowOptions & RequestOptions> = {
  ...TASK_OPTIONS,
  requestId: ["be absent: each read of a task has its own", () => false],
  intervalMs: millisecondsRule(100),
  concurrency: wholeNumberRule(1),
  leaseMs: numberRule(
    `be a number of milliseconds, 1000 to ${LONGEST_LEASE_MS}`,
    (value) => value >= 1000 && value <= LONGEST_LEASE_MS,
  ),
  maxAgeMs: millisecondsRule(0),
  maxFailureMs: millisecondsRule(0),
};

const [rule, hasMethods] = journalRule("unacknowledged");

/** Yields the orders of a journal that end. The end that was yielded last is acknowledged when the next one is requested. */
export async function* endsOf(
  journal: Journal,
  given: FollowOptions,
  signal: AbortSignal,
  { context, waits }: { context: Context; waits: Waits },
): AsyncGenerator<FollowedOrder, void, void> {
  if (!isFollowed(journal)) throw wrongValue("journal", rule, shown(journal));
  const { own, checked } = checkFollowOptions(given, context);
  const ends = new Ends();
  const follower = new Follower(journal, {
    ...own,
    clock: context.clock,
    random: context.random,
    redactor: context.redactor,
    wait: (key, entry, signal) => {
      const { request, submission, task_id: taskId, at, status, reservation } = entry;
      const tenant = tenantOf(entry) ?? checked.options.tenant;
      return waits.wait(
        submission ?? taskId,
        { ...checked, options: { ...checked.options, signal, tenant } },
        { key, type: Object(request).task_type, at, isResumed: status === undefined, reservation },
      );
    },
    deliver: (order, record) => ends.add(order, record),
    onJournalFailure: (error) => context.logError(String(error)),
    onForeignTask: (text) => context.warn?.(context.redactor.text(text)),
  });
  const stop = new AbortController();
  const running = follower.run(AbortSignal.any([stop.signal, signal]), () => ends.leaveAll());
  const failed = running.then(
    () => ends.fail(signal.reason),
    (error: unknown) => ends.fail(error),
  );
  try {
    for (;;) {
      const { order, acknowledge } = await ends.next();
      const { deliveryId, key, end } = order;
      yield { deliveryId, key, ...end };
      await ends.untilFailed(acknowledge());
      signal.throwIfAborted();
    }
  } finally {
    stop.abort();
    await failed;
  }
}

function isFollowed(journal: Journal): journal is FollowedJournal {
  return hasMethods(journal);
}

function checkFollowOptions(given: FollowOptions, context: Context) {
  const {
    intervalMs = FOLLOW_DEFAULTS.intervalMs,
    concurrency = FOLLOW_DEFAULTS.concurrency,
    leaseMs = FOLLOW_DEFAULTS.leaseMs,
    maxAgeMs = FOLLOW_DEFAULTS.maxAgeMs,
    maxFailureMs = FOLLOW_DEFAULTS.maxFailureMs,
    ...waiting
  } = checkOptions<FollowOptions>(given, FOLLOW_OPTIONS, context.redactor);
  const own = { intervalMs, concurrency, leaseMs, maxAgeMs, maxFailureMs };
  return { own, checked: checkWaitOptions(waiting, context) };
}

interface End {
  order: OrderEnd;
  /** Records that the order was delivered. */
  acknowledge(): Promise<void>;
  /** Leaves the order to a later delivery. */
  leave(): void;
}

/** The ends that were not acknowledged yet: those of a tenant in the order in which they came, and tenants in turn. */
class Ends {
  readonly #waiting = new Turns<End>();
  readonly #all = new Set<End>();
  #failure: { error: unknown } | null = null;
  #isLeft = false;
  #wake = () => {};
  #failed = () => {};

  /** Resolves once the end is acknowledged or left. */
  add(order: OrderEnd, record: RecordDelivery): Promise<void> {
    // An order that ends after the loop was left is delivered later.
    if (this.#isLeft) return Promise.resolve();
    return new Promise((resolve) => {
      const leave = () => {
        this.#all.delete(end);
        resolve();
      };
      const acknowledge = () => record("acknowledged").finally(leave);
      const end = { order, acknowledge, leave };
      this.#all.add(end);
      this.#waiting.add(tenantOf(order.entry) ?? null, end);
      this.#wake();
    });
  }

  async next(): Promise<End> {
    for (;;) {
      if (this.#failure !== null) throw this.#failure.error;
      const next = this.#waiting.next();
      if (next !== undefined) return next;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  leaveAll(): void {
    this.#isLeft = true;
    for (const { leave } of this.#all) leave();
  }

  /**
   * Settles as an acknowledgement does, and resolves when the follower has ended, also while the journal does not respond. Not with
   * `Promise.race`, which would keep a little of each order in memory until then.
   */
  untilFailed(acknowledged: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#failed = resolve;
      acknowledged.then(resolve, reject);
      if (this.#failure !== null) resolve();
    });
  }

  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#wake();
    this.#failed();
  }
}
