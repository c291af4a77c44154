import { CreditCeiling, type Reservation } from "../budget/credit-ceiling.js";
import { listedPrice } from "../contract/prices.js";
import type { TaskRequest } from "../contract/requests.js";
import { AsyncMusicError, NOTHING_SENT } from "../errors/base.js";
import { InvalidResponseError } from "../errors/connection-errors.js";
import { TaskFailedError } from "../errors/task-errors.js";
import { isFreed } from "../journal/entries.js";
import { isJournalEntry } from "../journal/is-entry.js";
import { LONGEST_JOURNAL_MS } from "../journal/slot.js";
import { isReasonOf } from "../time/abort.js";
import { within } from "../time/deadline.js";
import { resultsOf } from "./concurrently.js";
import type { RunOptions } from "./options.js";
import { BatchProgress } from "./progress.js";
import { Run } from "./run.js";
import type { BatchOptions, Ended, Requests } from "./run-all.js";
import type { RunContext } from "./run-context.js";
import { outcomeOf } from "./submissions.js";
import { checkTenant } from "./tenant.js";

/** The runs of one `runAll`. */
export class Batch {
  readonly #requests: Requests;
  readonly #options: BatchOptions;
  readonly #shared: RunContext;
  readonly #signal: AbortSignal;
  readonly #ceiling: CreditCeiling | null;
  readonly #progress: BatchProgress | null;
  /** By index: the journal keys that are known. */
  readonly #keys: (string | undefined)[] = [];
  /** By index: what was counted before anything was sent; `null` if the journal or the key could not be read. */
  readonly #counted = new Map<number, Reservation | null>();
  #previousReservation: Promise<unknown> = Promise.resolve();
  #isStopped = false;
  /** What `stopOn` threw. */
  #thrown: { cause: unknown } | null = null;

  constructor(requests: Requests, options: BatchOptions, shared: RunContext, signal: AbortSignal) {
    const { maxCredits, onProgress } = options;
    this.#requests = requests;
    this.#options = options;
    this.#shared = shared;
    this.#signal = signal;
    this.#ceiling = maxCredits === undefined ? null : new CreditCeiling(maxCredits);
    this.#progress = onProgress ? new BatchProgress(requests, onProgress, shared.context, signal) : null;
  }

  async *results(): AsyncGenerator<Ended, void, void> {
    const progress = this.#progress;
    const { emitter } = this.#shared.context;
    const stopListening = progress && emitter.on("pause", ({ until }) => progress.paused(until.getTime()));
    try {
      await this.#countSubmitted();
      const run = (request: TaskRequest, index: number) => this.#run(request, index);
      yield* resultsOf(this.#requests, this.#options.concurrency, this.#signal, run, () => this.#isStopped);
    } finally {
      stopListening?.();
    }
    progress?.end();
    if (this.#thrown === null) return;
    const why = "`stopOn` threw; see `cause`";
    const facts = ["All runs have ended, and no further request was sent."];
    throw new AsyncMusicError({ what: "Stopped the batch", why, facts }, this.#thrown);
  }

  /** Counts what earlier batches have submitted before anything is sent, so that a continued batch keeps its ceiling. */
  async #countSubmitted(): Promise<void> {
    const { journal, journalKey } = this.#options;
    const requests: readonly TaskRequest[] = Array.isArray(this.#requests) ? this.#requests : [];
    if (this.#ceiling === null || journalKey === undefined) return;
    for (const [index, request] of requests.entries()) {
      if (this.#signal.aborted) return;
      try {
        const key = this.#keyAt(request, index);
        const isCharged = await isEarlierCharged({ journal, journalKey: key });
        if (isCharged === null) continue;
        const reservation = this.#ceiling.request(key, listedPrice(request) ?? 0);
        reservation.count(isCharged);
        this.#counted.set(index, reservation);
      } catch {
        // The run of the request reports what its key or the journal throws.
        this.#counted.set(index, null);
      }
    }
  }

  async #run(request: TaskRequest, index: number): Promise<Ended> {
    const { maxCredits, onProgress, concurrency, onSubmitted, onUpdate, stopOn, ...options } = this.#options;
    const item = this.#progress?.begin();
    let reservation: Reservation | undefined;
    try {
      const runOptions: RunOptions = {
        ...options,
        signal: this.#signal,
        journalKey: this.#keyAt(request, index),
        tenant: this.#tenantOf(request, index),
        onUpdate: (task) => onUpdate?.(task, index),
        onSubmitted: async (submission) => {
          item?.submitted();
          await onSubmitted?.(submission, index);
        },
      };
      // Copies the request before anything is awaited: a source may change it when the next one is read.
      const run = new Run(this.#shared, request, runOptions, {
        // The journal's key may have been freed meanwhile.
        beforeSending: this.#ceiling === null ? undefined : () => reservation?.reserve(),
        onDelayed: item && ((until) => item.delayed(until)),
      });
      reservation = await this.#reserve(run.request.value, index, runOptions);
      const task = await run.complete();
      reservation?.settle("spent");
      item?.succeeded();
      return { index, request, task };
    } catch (error) {
      if (error instanceof TaskFailedError) reservation?.refund();
      else if (outcomeOf(error) !== "not_created")
        reservation?.settle(isUnusableResult(error) ? "spent" : "unresolved");
      else reservation?.free();
      item?.delayed(null);
      item?.failed(isReasonOf(this.#signal, error) ? null : error);
      if (!this.#signal.aborted) this.#noteError(error, index);
      return { index, request, error };
    }
  }

  /** What `stopOn` throws stops the batch as well, and is thrown at its end, so that no result is lost. */
  #noteError(error: unknown, index: number): void {
    try {
      const isStopping: unknown = this.#options.stopOn?.(error, index);
      // In JavaScript, it may be a promise. That stops the batch, and must not end the process if it rejects.
      Promise.resolve(isStopping).catch(() => {});
      if (isStopping) this.#isStopped = true;
    } catch (thrown) {
      this.#isStopped = true;
      this.#thrown ??= { cause: this.#shared.context.redactor.cause(thrown) };
    }
  }

  /**
   * Reserves the price of a request, in the order of the requests, however long each read of the journal takes. What an earlier
   * batch has submitted, or may have, counts, but is not refused.
   *
   * @throws CreditCeilingError when the price does not fit; nothing is sent
   */
  async #reserve(request: TaskRequest, index: number, options: RunOptions): Promise<Reservation | undefined> {
    if (this.#ceiling === null) return undefined;
    const counted = this.#counted.get(index);
    if (counted) return counted;
    const read = counted === null ? null : isEarlierCharged(options).catch(() => null);
    const inOrder = this.#previousReservation.then(() => read);
    this.#previousReservation = inOrder;
    const isCharged = await inOrder;
    // A request without a price is refused by its run, or by the service: it costs nothing.
    const reservation = this.#ceiling.request(options.journalKey, listedPrice(request) ?? 0);
    try {
      if (!reservation.isCovered) isCharged === null ? reservation.reserve() : reservation.count(isCharged);
    } catch (error) {
      reservation.free();
      throw error;
    }
    return reservation;
  }

  /** Calls `journalKey` once for each request. What it throws fails only its own request. */
  #keyAt(request: TaskRequest, index: number): string | undefined {
    this.#keys[index] ??= this.#callBack("journalKey", () => this.#options.journalKey?.(request, index));
    return this.#keys[index];
  }

  #tenantOf(request: TaskRequest, index: number): string | undefined {
    const { tenant } = this.#options;
    if (typeof tenant !== "function") return tenant;
    const named = this.#callBack("tenant", () => tenant(request, index));
    // A request whose tenant is missing must not count as one without a tenant.
    checkTenant(named ?? null, this.#shared.context.redactor);
    return named;
  }

  #callBack<Value>(name: string, callback: () => Value): Value {
    try {
      const value = callback();
      // In JavaScript, it may be a promise. That is refused, and must not end the process if it rejects.
      Promise.resolve(value).catch(() => {});
      return value;
    } catch (error) {
      const why = `\`${name}\` threw; see \`cause\``;
      const parts = { what: "Failed to create a task", why, facts: [NOTHING_SENT] };
      throw new AsyncMusicError(parts, { cause: this.#shared.context.redactor.cause(error) });
    }
  }
}

/**
 * Whether the task is charged that the journal has of a request already, so that its run usually sends nothing; `null` if there is none.
 * Rejects if the journal fails.
 */
async function isEarlierCharged({ journal, journalKey }: RunOptions): Promise<boolean | null> {
  if (journal === undefined || journalKey === undefined) return null;
  const entry: unknown = await within(LONGEST_JOURNAL_MS, () => journal.get(journalKey));
  if (!entry || (isJournalEntry(entry) && isFreed(entry))) return null;
  return Object(entry).status === "success";
}

/** Whether the task succeeded, but its result lacks what the interface requires. */
function isUnusableResult(error: unknown): boolean {
  return (
    error instanceof InvalidResponseError && error.issues.some(({ path }) => path.startsWith("data.output"))
  );
}
