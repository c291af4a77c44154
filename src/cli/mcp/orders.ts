import { canonicalJson } from "../../contract/text.js";
import {
  type AsyncMusic,
  AsyncMusicError,
  creditsFor,
  type Journal,
  JournalConflictError,
  JournalDamagedError,
  type JournalEntry,
  JournalError,
  SubmissionOutcomeUnknownError,
  type SucceededTask,
  type Task,
  TaskFailedError,
  type TaskRequest,
  type TaskSubmission,
} from "../../index.js";

/** A call returns after this time, since MCP clients give up after 60 s. Its run continues. */
const LONGEST_CALL_MS = 50_000;

/** How many finished orders the error for an unknown order lists. */
const LISTED_ORDERS = 20;

/** How long the end of the server waits for the response to a POST, which has the ID of a charged task. */
const RESPONSE_GRACE_MS = 3000;

/** What is known of an order while its run continues. */
export interface Progress {
  submission: TaskSubmission | null;
  /** The task as it was last read. */
  task: Task | null;
  /** The journal could not record the task. */
  isUnrecorded: boolean;
}

/** The run of an order that has not ended: every call with the order's name waits for it. */
export interface Run {
  request: unknown;
  progress: Progress;
  /** Called after each change of `progress`. */
  watchers: Set<() => void>;
  ended: Promise<SucceededTask>;
}

type Update = (change: Partial<Progress>) => void;

/** An error whose message already says what the model has to do. */
export class Refusal extends Error {
  override name = "Refusal";
}

/** Sleeps in real time, by which MCP clients time out. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<unknown>;

interface OrdersOptions {
  client: AsyncMusic;
  journal: Required<Journal>;
  maxCredits: number;
  sleep: Sleep;
}

/**
 * The orders of one server. The journal ensures that each is charged at most once. All orders that this process pays for
 * share one ceiling. It counts each of them once, also one with an unknown outcome.
 */
export class Orders {
  readonly #options: OrdersOptions;
  readonly #runs = new Map<string, Run>();
  /** The credits that each order has cost this process, or may have. */
  readonly #charged = new Map<string, number>();
  /** The orders whose result this process has returned, latest first. */
  #finished: string[] = [];

  constructor(options: OrdersOptions) {
    this.#options = options;
  }

  /** The credits that this process may still spend. */
  get creditsLeft(): number {
    const charged = [...this.#charged.values()].reduce((sum, credits) => sum + credits, 0);
    return this.#options.maxCredits - charged;
  }

  /** Creates the task of an order, or continues with it. */
  start(order: string, request: TaskRequest, callCeiling: number | undefined): Run {
    const running = this.#runs.get(order);
    if (running === undefined)
      return this.#begin(order, request, (update) => this.#pay(order, request, callCeiling, update));
    if (canonicalJson(running.request) === canonicalJson(request)) return running;
    throw new JournalConflictError("The order belongs to another request.", { journalKey: order });
  }

  /** Continues with the task of an order. Never creates one. */
  async resume(order: string): Promise<Run> {
    const running = this.#runs.get(order);
    if (running !== undefined) return running;
    const entry = await this.#entryOf(order);
    if (entry === null) throw await this.#noOrder(order);
    if (entry.state === "intent") {
      const { request, request_id: requestId, settled } = entry;
      if (settled !== true) throw outcomeUnknown(order, request, requestId);
      throw new Refusal(
        `Order ${JSON.stringify(order)} created no task, and nothing was charged for it. To create one, repeat the call that creates the order, with the same order.`,
      );
    }
    const { request, task_id: taskId, submission, settled } = entry;
    const known = this.#runs.get(order);
    if (known !== undefined) return known;
    const work = (update: Update) => {
      if (settled !== true) return this.#run(order, request as unknown as TaskRequest, update);
      // The ID can be corrected, and then `run` would create a task.
      return this.#options.client.tasks.wait(submission ?? taskId, { onUpdate: (task) => update({ task }) });
    };
    return this.#begin(order, request, work, submission);
  }

  /** Resolves as `work` does, or with `null` if that takes too long for one call. */
  async withinOneCall<Value>(work: Promise<Value>): Promise<Value | null> {
    const returned = new AbortController();
    const tooLong = this.#options.sleep(LONGEST_CALL_MS, returned.signal).then(() => null);
    tooLong.catch(() => {});
    try {
      return await Promise.race([work, tooLong]);
    } finally {
      returned.abort();
    }
  }

  /** Waits up to 3 s until the tasks of all POSTs in flight are recorded. */
  async close(): Promise<void> {
    const { sleep } = this.#options;
    const isSubmitting = () =>
      [...this.#runs.values()].some(({ progress }) => progress.submission === null && progress.task === null);
    for (let ms = 0; ms < RESPONSE_GRACE_MS && isSubmitting(); ms += 50) await sleep(50);
  }

  #begin(
    order: string,
    request: unknown,
    work: (update: Update) => Promise<SucceededTask>,
    submission: TaskSubmission | null = null,
  ): Run {
    const progress: Progress = { submission, task: null, isUnrecorded: false };
    const watchers = new Set<() => void>();
    const update: Update = (change) => {
      Object.assign(progress, change);
      for (const watcher of watchers) watcher();
    };
    const finish = async () => {
      const task = await work(update);
      const others = this.#finished.filter((each) => each !== order);
      this.#finished = [order, ...others].slice(0, LISTED_ORDERS);
      return task;
    };
    const ended = finish().finally(() => this.#runs.delete(order));
    // A run may end while no call waits for it.
    ended.catch(() => {});
    const run = { request, progress, watchers, ended };
    this.#runs.set(order, run);
    return run;
  }

  async #pay(
    order: string,
    request: TaskRequest,
    callCeiling: number | undefined,
    update: Update,
  ): Promise<SucceededTask> {
    // If the journal can't be read, the run reports that, and sends nothing.
    const entry = await this.#options.journal.get(order).catch(() => null);
    const before = this.#charged.get(order);
    // Only a task that the service named can't be replaced: for any other entry, a settlement may have freed the key.
    if (entry?.state !== "submitted" || entry.settled === true) {
      const credits = creditsFor(request);
      const refusal = this.#refusalOf(credits, before ?? 0, callCeiling);
      if (refusal !== null && entry?.state === "intent" && entry.settled !== true)
        throw outcomeUnknown(order, entry.request, entry.request_id);
      if (refusal !== null) throw refusal;
      this.#charged.set(order, credits);
    }
    try {
      return await this.#run(order, request, update);
    } catch (error) {
      const isRefunded = error instanceof TaskFailedError;
      if (!isRefunded && mayBeCharged(error)) throw error;
      if (isRefunded || before === undefined) this.#charged.delete(order);
      else this.#charged.set(order, before);
      throw error;
    }
  }

  #refusalOf(credits: number, ownCredits: number, callCeiling = Number.POSITIVE_INFINITY): Refusal | null {
    const left = this.creditsLeft + ownCredits;
    if (credits > callCeiling)
      return new Refusal(
        `The order costs ${credits} credits, more than the \`max_credits\` of ${callCeiling} of this call. Nothing was sent or charged. If the user accepts the price, call again with the same order and a higher \`max_credits\`.`,
      );
    if (credits > left)
      return new Refusal(
        `The order costs ${credits} credits, and ${left} of the ${this.#options.maxCredits} that this server may spend are left. Nothing was sent or charged. Report this to the user: only a restart of the server with a higher --max-credits allows more. Further paid calls at this price are refused as well.`,
      );
    return null;
  }

  #run(order: string, request: TaskRequest, update: Update): Promise<SucceededTask> {
    const { client, journal } = this.#options;
    return client.tasks.run(request, {
      journal,
      journalKey: order,
      probe: true,
      onSubmitted: (submission) => update({ submission }),
      onUpdate: (task) => update({ task }),
      onUnrecorded: () => update({ isUnrecorded: true }),
    });
  }

  async #entryOf(order: string): Promise<JournalEntry | null> {
    return this.#options.journal.get(order).catch((cause: Error) => {
      const message = `The entry of order ${JSON.stringify(order)} could not be read: ${cause.message}`;
      throw new JournalError(message, { journalKey: order, cause });
    });
  }

  async #noOrder(order: string): Promise<Refusal> {
    const open = await this.#options.journal.open().catch((error: unknown) => {
      if (error instanceof JournalDamagedError) return error.orders;
      throw error;
    });
    const list = (title: string, names: readonly string[]) =>
      `${title}: ${names.map((name) => JSON.stringify(name)).join(", ") || "none"}.`;
    return new Refusal(
      [
        `There is no order ${JSON.stringify(order)}, and nothing was charged for it.`,
        list(
          "Open orders",
          open.map(({ key }) => key),
        ),
        list("Orders that finished since the server started", this.#finished),
        "If you mean another order, call again with its name. If the user wants a new result, call `make_song`, `write_lyrics` or `continue_song`, which is charged.",
      ].join(" "),
    );
  }
}

function outcomeUnknown(order: string, request: unknown, requestId: string): SubmissionOutcomeUnknownError {
  const details = { request, requestId, status: null, journalKey: order };
  return new SubmissionOutcomeUnknownError("The outcome of the order is unknown.", details);
}

/** Whether credits may be frozen or settled. */
function mayBeCharged(error: unknown): boolean {
  if (error instanceof SubmissionOutcomeUnknownError) return true;
  return error instanceof AsyncMusicError && error.taskId !== null;
}
