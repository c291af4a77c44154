import { setTimeout } from "node:timers/promises";
import { createRedactor, type Redactor } from "../../src/errors/redactor.js";
import type { Balance, TaskRequest } from "../../src/index.js";
import { chooseTarget, type SavedFile, saveResult } from "../save.js";
import type { Terminal } from "../terminal.js";
import type { Confirmation } from "./confirmation.js";
import { instructionFor } from "./instructions.js";
import { NO_PROGRESS, type OrderRun, Orders, type Progress } from "./orders.js";
import { type CallContext, ProgressReports } from "./progress-reports.js";
import { ToolRefusal } from "./refusal.js";
import type { PaidArguments } from "./requests.js";
import { type BatchedOrder, balanceOf, batchOf, documentOf, leftOpen, linksIn } from "./results.js";
import type { Setup } from "./setup.js";

/** A call returns after this time, since MCP clients give up after 60 s. Its work continues. */
const LONGEST_TOOL_CALL_MS = 50_000;

/** At its end, the server waits this long for the responses in flight: as long as an attempt of the client lasts. */
const LONGEST_END_MS = 30_000;

const SERVER_ENDED =
  "The server has ended, and sends nothing more. Call again with the same order once it has been restarted.";

/** Sleeps in real time, by which MCP clients time out. */
export type CallTimer = (ms: number, signal?: AbortSignal) => Promise<unknown>;

/** A download that has not ended: every call with the order's name waits for it. */
interface OrderDownload {
  run: Promise<OrderRun>;
  files: Promise<SavedFile[]>;
}

/** The calls of the tools. What one of them has begun continues after the call, and later calls wait for it. */
export class ToolCalls {
  readonly #setup: Setup;
  readonly #sleep: CallTimer;
  readonly #ending = new AbortController();
  readonly #orders: Orders;
  readonly #redactor: Redactor;
  readonly #stderr: Terminal["stderr"];
  readonly #downloads = new Map<string, OrderDownload>();
  #balance: Promise<Balance> | null = null;

  constructor(
    setup: Setup,
    confirmation: Confirmation,
    { env, stderr }: Terminal,
    sleep: CallTimer = (ms, signal) => setTimeout(ms, undefined, { signal }),
  ) {
    this.#setup = setup;
    this.#sleep = sleep;
    this.#orders = new Orders({ ...setup, confirmation, signal: this.#ending.signal });
    this.#redactor = createRedactor(env["ASYNC_MUSIC_API_KEY"] ?? "");
    this.#stderr = stderr;
  }

  /** Creates the task of an order. The arguments are checked before the price. */
  create({ order, max_credits }: PaidArguments, requestOf: () => TaskRequest, context: CallContext) {
    return this.#follow(order, () => this.#orders.start(order, requestOf(), max_credits), context);
  }

  /** Creates the tasks of several orders. The arguments of all are checked before the price. */
  createAll(
    given: readonly { order: string; requestOf: () => TaskRequest }[],
    maxCredits: number | undefined,
    context: CallContext,
  ) {
    const states = given.map(
      ({ order }): { order: string; progress: Progress; result: BatchedOrder | null } => ({
        ...{ order, progress: NO_PROGRESS, result: null },
      }),
    );
    const shown = () =>
      batchOf(
        states.map(
          ({ order, progress, result }) => result ?? { ...documentOf(order, null, progress), error: null },
        ),
      );
    const work = async () => {
      refuseRepeated(given.map(({ order }) => order));
      const orders = given.map(({ order, requestOf }) => ({
        order,
        request: requestOfOrder(order, requestOf),
      }));
      const onConfirming = (isConfirming: boolean) => {
        for (const state of states) state.progress = { ...NO_PROGRESS, isConfirming };
      };
      const question = { signal: context.signal, onConfirming };
      const runs = await this.#orders.startAll(orders, maxCredits, question);
      const follow = async (begun: Promise<OrderRun>, index: number) => {
        const state = states[index];
        if (state === undefined) return;
        try {
          const run = await begun;
          withdrawIfCanceled(run, context);
          state.progress = run.progress;
          state.result = { ...documentOf(state.order, await run.ended, run.progress), error: null };
        } catch (error) {
          const text = instructionFor(error, state.order, this.#setup.settleFlags);
          state.result = {
            ...documentOf(state.order, null, state.progress),
            status: "error",
            error: text,
            next: text,
          };
        }
      };
      await Promise.all(runs.map(follow));
      return shown();
    };
    return this.#result(null, context, work, shown);
  }

  check(order: string, context: CallContext) {
    return this.#follow(order, () => this.#orders.resume(order), context);
  }

  download(order: string, context: CallContext) {
    const work = async (reports: ProgressReports) => {
      const download = this.#downloads.get(order) ?? this.#beginDownload(order);
      const run = await download.run;
      withdrawIfCanceled(run, context);
      reports.start(run);
      return { order, files: await download.files, next: "The files are saved. Nothing else is needed." };
    };
    const next = "Not ready yet. Call `download_audio` again with the same order.";
    return this.#result(order, context, work, () => ({ order, files: [], next }));
  }

  balance(context: CallContext) {
    const { client, maxCredits } = this.#setup;
    const { signal } = this.#ending;
    let left: number | null = null;
    const work = async () => {
      left = await this.#orders.creditsLeft();
      this.#balance ??= client.account.balance({ signal }).finally(() => {
        this.#balance = null;
      });
      return balanceOf(await this.#balance, maxCredits, left);
    };
    return this.#result(null, context, work, () => balanceOf(null, maxCredits, left));
  }

  /** Aborts what waits, completes what is in flight, and writes to stderr which orders are left open. */
  async end(): Promise<void> {
    this.#ending.abort(new ToolRefusal(SERVER_ENDED));
    await this.#within(LONGEST_END_MS, this.#orders.completed());
    const open = await this.#orders.openAtEnd();
    for (const [order, entry] of open)
      this.#stderr.write(`${leftOpen(order, entry, this.#setup.settleFlags)}\n`);
  }

  /** The result of an order, once its run has begun. */
  #follow(order: string, begin: () => OrderRun | Promise<OrderRun>, context: CallContext) {
    let progress = NO_PROGRESS;
    const work = async (reports: ProgressReports) => {
      // A call that was canceled before it began leaves no run to the next one.
      context.signal.throwIfAborted();
      const begun = begin();
      const run = "then" in begun ? await begun : begun;
      progress = run.progress;
      withdrawIfCanceled(run, context);
      reports.start(run);
      return documentOf(order, await run.ended, progress);
    };
    return this.#result(order, context, work, () => documentOf(order, null, progress));
  }

  #beginDownload(order: string): OrderDownload {
    const run = this.#orders.resume(order);
    const files = this.#save(run).finally(() => this.#downloads.delete(order));
    // It may fail while no call waits for it.
    files.catch(() => {});
    const download = { run, files };
    this.#downloads.set(order, download);
    return download;
  }

  async #save(run: Promise<OrderRun>): Promise<SavedFile[]> {
    const { client, clock, out } = this.#setup;
    const { signal } = this.#ending;
    const task = await (await run).ended;
    const target = await chooseTarget(`${out}/`, null, false);
    const saved: SavedFile[] = [];
    const saving = { client, target, signal, now: () => clock.now() };
    await saveResult(task, saving, ({ file }) => saved.push(file));
    return saved;
  }

  /** The result of a call: its document, its receipt if that takes too long, or an instruction. */
  async #result<Document extends Record<string, unknown>>(
    order: string | null,
    context: CallContext,
    work: (reports: ProgressReports) => Promise<Document>,
    receipt: () => Document,
  ) {
    const reports = new ProgressReports(context, this.#redactor);
    try {
      const ended = await this.#within(LONGEST_TOOL_CALL_MS, work(reports));
      const document = this.#redactor.data(ended ?? receipt());
      return {
        content: [{ type: "text" as const, text: JSON.stringify(document, null, 2) }, ...linksIn(document)],
        structuredContent: document,
      };
    } catch (error) {
      const instruction = instructionFor(error, order, this.#setup.settleFlags);
      const text = this.#ending.signal.aborted ? SERVER_ENDED : this.#redactor.text(instruction);
      return { content: [{ type: "text" as const, text }], isError: true };
    } finally {
      reports.stop();
    }
  }

  /** Resolves as `work` does, or with `null` if that takes longer than `ms`. */
  async #within<Value>(ms: number, work: Promise<Value>): Promise<Value | null> {
    const returned = new AbortController();
    const tooLong = this.#sleep(ms, returned.signal).then(() => null);
    tooLong.catch(() => {});
    try {
      return await Promise.race([work, tooLong]);
    } finally {
      returned.abort();
    }
  }
}

/** What the user has stopped must not be charged by a reply that comes later. */
function withdrawIfCanceled(run: OrderRun, { signal }: CallContext): void {
  if (signal.aborted) run.withdraw();
  else signal.addEventListener("abort", () => run.withdraw(), { once: true });
}

/** Two orders with one name would be one task. */
function refuseRepeated(orders: readonly string[]): void {
  const repeated = orders.find((order, index) => orders.indexOf(order) < index);
  if (repeated === undefined) return;
  throw new ToolRefusal(
    `Order ${JSON.stringify(repeated)} occurs twice. Nothing was sent or charged. Give each order a name of its own, and call again.`,
  );
}

/** A refusal names the order of the batch. */
function requestOfOrder(order: string, requestOf: () => TaskRequest): TaskRequest {
  try {
    return requestOf();
  } catch (error) {
    if (!(error instanceof ToolRefusal)) throw error;
    throw new ToolRefusal(`Order ${JSON.stringify(order)}: ${error.message}`);
  }
}
