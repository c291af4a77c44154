import { canonicalJson } from "../../src/contract/canonical-json.js";
import { toolNames } from "../../src/contract/input-texts.js";
import { orList } from "../../src/contract/request-rules.js";
import {
  creditsFor,
  JournalConflictError,
  type JournalEntry,
  JournalError,
  SubmissionOutcomeUnknownError,
  type SucceededTask,
  type Task,
  type TaskRequest,
  type TaskSubmission,
} from "../../src/index.js";
import { isFreed, listOpen } from "../../src/journal/entries.js";
import { inFlightUntil } from "../../src/journal/in-flight.js";
import { ServerBudget } from "./budget.js";
import type { Confirmation, Purchase } from "./confirmation.js";
import { ToolRefusal } from "./refusal.js";
import type { Setup } from "./setup.js";

/** How many finished orders the error for an unknown order lists. */
const LISTED_ORDERS = 20;

/** What is known of an order while its run continues. */
export interface Progress {
  /** The user has not replied to the question about the price. */
  isConfirming: boolean;
  submission: TaskSubmission | null;
  /** The task as it was last read. */
  task: Task | null;
  /** The journal could not record the task. */
  isUnrecorded: boolean;
}

export const NO_PROGRESS: Progress = {
  ...{ isConfirming: false, submission: null, task: null, isUnrecorded: false },
};

/** The run of an order that has not ended: every call with the order's name waits for it. */
export interface OrderRun {
  request: unknown;
  progress: Progress;
  /** Called after each change of `progress`. */
  watchers: Set<() => void>;
  ended: Promise<SucceededTask>;
  /** Ends it before its order is paid for: nothing is sent, and the next call begins a new run. Later, it has no effect. */
  withdraw(): void;
}

/** The time in which a run can be withdrawn. */
interface Withdrawal {
  readonly signal: AbortSignal;
  isOver: boolean;
}

type Update = (change: Partial<Progress>) => void;

/** What the confirmation of prices needs of a call or a run. */
interface Question {
  /** Aborted when the question is withdrawn. */
  signal: AbortSignal;
  onConfirming(isConfirming: boolean): void;
}

/** Why a question is withdrawn. */
const CALL_CANCELED = "the call was canceled";

interface OrdersOptions extends Pick<Setup, "client" | "clock" | "journal" | "readJournal" | "maxCredits"> {
  /** Aborted at the end of the server: nothing more is sent, and no run waits any longer. */
  signal: AbortSignal;
  confirmation: Confirmation;
}

/** The orders of one server. The journal ensures that each is charged at most once, and that all stay within one ceiling. */
export class Orders {
  readonly #options: OrdersOptions;
  readonly #budget: ServerBudget;
  readonly #runs = new Map<string, OrderRun>();
  /** The orders that had not ended when the server ended. */
  readonly #interrupted = new Set<string>();
  /** The orders of which it was unknown whether they created a task. */
  readonly #unknown = new Set<string>();

  constructor(options: OrdersOptions) {
    this.#options = options;
    this.#budget = new ServerBudget(options);
  }

  /** The credits that new orders may still cost. */
  async creditsLeft(): Promise<number> {
    return Math.max(0, await this.#budget.creditsLeft());
  }

  /** Creates the task of an order, or continues with it. */
  start(order: string, request: TaskRequest, callCeiling: number | undefined): OrderRun {
    const running = this.#runs.get(order);
    if (running === undefined)
      return this.#begin(order, request, (update, withdrawal) =>
        this.#pay(order, request, callCeiling, update, withdrawal),
      );
    if (canonicalJson(running.request) === canonicalJson(request)) return running;
    throw new JournalConflictError("The order belongs to another request.", { journalKey: order });
  }

  /**
   * Creates the tasks of several orders, or continues with them, once all that are to be paid for fit together and the user has
   * accepted their prices. The promise of an order rejects if only this order is refused.
   */
  async startAll(
    orders: readonly { order: string; request: TaskRequest }[],
    callCeiling: number | undefined,
    question: Question,
  ): Promise<readonly Promise<OrderRun>[]> {
    const purchases: Purchase[] = [];
    for (const { order, request } of orders) {
      // If the journal can't be read, the run of the order reports that.
      const entry = this.#runs.has(order)
        ? undefined
        : await this.#options.journal.get(order).catch(() => undefined);
      if (entry === null || (entry !== undefined && isFreed(entry)))
        purchases.push(purchaseOf(order, request));
    }
    const credits = purchases.reduce((sum, purchase) => sum + purchase.credits, 0);
    if (callCeiling !== undefined && credits > callCeiling)
      throw tooExpensive("orders cost", credits, callCeiling);
    await this.#budget.check(undefined, credits);
    await this.#confirm(purchases, question);
    return orders.map(async ({ order, request }) => this.start(order, request, undefined));
  }

  /** Continues with the task of an order. Never creates one. */
  async resume(order: string): Promise<OrderRun> {
    const running = this.#runs.get(order);
    if (running !== undefined) return running;
    const entry = await this.#entryOf(order);
    // Another call may have begun a run meanwhile.
    const known = this.#runs.get(order);
    if (known !== undefined) return known;
    if (entry === null) throw await this.#noOrder(order);
    if (isFreed(entry))
      throw new ToolRefusal(
        `Order ${JSON.stringify(order)} created no task, and nothing was charged for it. To create one, repeat the call that creates the order, with the same order.`,
      );
    if (entry.state === "intent") throw this.#outcomeUnknown(order, entry);
    const { request, task_id: taskId, submission, settled } = entry;
    const work = (update: Update, withdrawal: Withdrawal) => {
      withdrawal.isOver = true;
      if (settled !== true) return this.#run(order, request, update);
      // The ID can be corrected, and then `run` would create a task.
      const { client, signal } = this.#options;
      return client.tasks.wait(submission ?? taskId, { signal, onUpdate: (task) => update({ task }) });
    };
    return this.#begin(order, request, work, submission);
  }

  /** After the signal was aborted: resolves once each POST in flight has a response, and its task is recorded. */
  async completed(): Promise<void> {
    await Promise.allSettled([...this.#runs.values()].map(({ ended }) => ended));
    await this.#options.client.tasks.flush();
  }

  /** The orders that the end of the server leaves open, with their entries; `undefined` for one that can't be read. */
  async openAtEnd(): Promise<readonly (readonly [order: string, entry: JournalEntry | null | undefined])[]> {
    const interrupted = new Set([...this.#interrupted, ...this.#runs.keys()]);
    const orders = [...new Set([...interrupted, ...this.#unknown])];
    const all = await Promise.all(
      orders.map(async (order) => [order, await this.#entryOf(order).catch(() => undefined)] as const),
    );
    const isKnown = (entry: JournalEntry | null | undefined) =>
      entry !== undefined && (entry === null || entry.state === "submitted" || isFreed(entry));
    return all.filter(([order, entry]) => interrupted.has(order) || !isKnown(entry));
  }

  #begin(
    order: string,
    request: unknown,
    work: (update: Update, withdrawal: Withdrawal) => Promise<SucceededTask>,
    submission: TaskSubmission | null = null,
  ): OrderRun {
    const progress: Progress = { ...NO_PROGRESS, submission };
    const watchers = new Set<() => void>();
    const update: Update = (change) => {
      Object.assign(progress, change);
      for (const watcher of watchers) watcher();
    };
    const controller = new AbortController();
    const withdrawal: Withdrawal = { signal: controller.signal, isOver: false };
    const end = () => {
      if (this.#runs.get(order) === run) this.#runs.delete(order);
    };
    const ended = work(update, withdrawal)
      .catch((error: unknown) => {
        if (this.#options.signal.aborted) this.#interrupted.add(order);
        if (error instanceof SubmissionOutcomeUnknownError) this.#unknown.add(order);
        throw error;
      })
      .finally(end);
    // A run may end while no call waits for it.
    ended.catch(() => {});
    const withdraw = () => {
      if (withdrawal.isOver) return;
      end();
      controller.abort(CALL_CANCELED);
    };
    const run = { request, progress, watchers, ended, withdraw };
    this.#runs.set(order, run);
    return run;
  }

  async #pay(
    order: string,
    request: TaskRequest,
    callCeiling = Number.POSITIVE_INFINITY,
    update: Update,
    withdrawal: Withdrawal,
  ): Promise<SucceededTask> {
    try {
      // If the journal can't be read, the run reports that, and sends nothing.
      const entry = await this.#options.journal.get(order).catch(() => null);
      if (entry === null || isFreed(entry)) {
        const purchase = purchaseOf(order, request);
        const { credits } = purchase;
        if (credits > callCeiling) throw tooExpensive("order costs", credits, callCeiling);
        await this.#budget.check(order, credits);
        const onConfirming = (isConfirming: boolean) => update({ isConfirming });
        if (!this.#budget.isAllowed(order, credits))
          await this.#confirm([purchase], { signal: withdrawal.signal, onConfirming });
        if (withdrawal.signal.aborted)
          throw new ToolRefusal(
            `Order ${JSON.stringify(order)} was not sent: ${CALL_CANCELED}. If the user still wants it, call again.`,
          );
      }
      withdrawal.isOver = true;
      return await this.#run(order, request, update);
    } finally {
      this.#budget.disallow(order);
    }
  }

  /** Allows the orders at their prices, once the user has accepted them. @throws ToolRefusal */
  async #confirm(purchases: readonly Purchase[], question: Question): Promise<void> {
    const { confirmation, signal } = this.#options;
    if (purchases.length === 0 || !confirmation.isPossible()) return;
    question.onConfirming(true);
    try {
      await confirmation.obtain(purchases, AbortSignal.any([signal, question.signal]));
    } finally {
      question.onConfirming(false);
    }
    for (const { order, credits } of purchases) this.#budget.allow(order, credits);
  }

  async #run(order: string, request: TaskRequest, update: Update): Promise<SucceededTask> {
    const { client, signal } = this.#options;
    try {
      return await client.tasks.run(request, {
        signal,
        journal: this.#budget.journal,
        journalKey: order,
        probe: true,
        onSubmitted: (submission) => update({ submission }),
        onUpdate: (task) => update({ task }),
        onUnrecorded: () => update({ isUnrecorded: true }),
      });
    } catch (error) {
      throw this.#budget.takeRefusal(order) ?? error;
    }
  }

  /** The error for an order whose intent stands while this server does not run it. Its request may still be in flight. */
  #outcomeUnknown(order: string, intent: JournalEntry): SubmissionOutcomeUnknownError {
    const { request, request_id: requestId } = intent;
    const checkAgainAt = inFlightUntil(intent, this.#options.clock.now());
    const details = { request, requestId, status: null, journalKey: order, checkAgainAt };
    return new SubmissionOutcomeUnknownError("The outcome of the order is unknown.", details);
  }

  async #entryOf(order: string): Promise<JournalEntry | null> {
    return this.#options.journal.get(order).catch((cause: Error) => {
      const message = `The entry of order ${JSON.stringify(order)} could not be read: ${cause.message}`;
      throw new JournalError(message, { journalKey: order, cause });
    });
  }

  async #noOrder(order: string): Promise<ToolRefusal> {
    const { entries } = await this.#options.readJournal();
    const finished = entries
      .filter(([, entry]) => entry.state === "submitted" && entry.status !== undefined)
      .sort(([, one], [, other]) => other.at.localeCompare(one.at))
      .slice(0, LISTED_ORDERS)
      .map(([key]) => key);
    const open = listOpen(entries).map(({ key }) => key);
    return new ToolRefusal(
      [
        `There is no order ${JSON.stringify(order)}, and nothing was charged for it.`,
        orderNames("Open orders", open),
        orderNames("Finished orders, latest first", finished),
        `If you mean another order, call again with its name. If the user wants a new result, call ${orList(toolNames().map((name) => `\`${name}\``))}, which is charged.`,
      ].join(" "),
    );
  }
}

function purchaseOf(order: string, request: TaskRequest): Purchase {
  return { order, what: `${request.task_type} of ${request.model}`, credits: creditsFor(request) };
}

function tooExpensive(subject: string, credits: number, callCeiling: number): ToolRefusal {
  const again = "call again with the same order and a higher `max_credits`";
  return new ToolRefusal(
    `The ${subject} ${credits} credits, more than the \`max_credits\` of ${callCeiling} of this call. Nothing was sent or charged. If the user accepts the price, ${again}.`,
  );
}

function orderNames(title: string, names: readonly string[]): string {
  return `${title}: ${names.map((name) => JSON.stringify(name)).join(", ") || "none"}.`;
}
