import type { TaskRequest } from "../contract/requests.js";
import { isModel, isTaskType, type Model, PRICES, type TaskType } from "../contract/service.js";
import { AsyncMusicError, CreditCeilingError, shown, wrongValue } from "../errors/base.js";
import { SubmissionOutcomeUnknownError } from "../errors/connection-errors.js";
import { TaskFailedError } from "../errors/task-errors.js";

const RULE =
  "name a model and a task type that it offers: `music`, `lyrics`, `upload` or `concat` of `provider_a`, or `music` of " +
  "`provider_b`";

/**
 * Returns what a request costs, in credits of 0.01 USD. They are frozen when the task is accepted, settled when it
 * succeeds, and refunded when it ends in `failure` or `timeout`.
 *
 * @param request - a request, or only its `model` and `task_type`; its `input` is not checked
 * @throws {@link InvalidOptionError} the model does not offer the task type, or `request` is no request
 *
 * @example
 * ```ts
 * const credits = requests.reduce((sum, request) => sum + creditsFor(request), 0);
 * console.log(`The batch costs at most ${credits * USD_PER_CREDIT} USD.`);
 * ```
 */
export function creditsFor(
  request: TaskRequest | { readonly model: Model; readonly task_type: TaskType },
): number {
  const credits = listedPrice(request);
  if (credits === null) throw wrongValue("request", RULE, shown(request));
  return credits;
}

/** The price of a request in credits; `null` where the interface lists none. */
export function listedPrice(request: unknown): number | null {
  const { model, task_type: taskType } = Object(request);
  return isModel(model) && isTaskType(taskType) ? (PRICES[model][taskType] ?? null) : null;
}

/** Keeps the credits that a batch has spent or frozen at or under a ceiling. */
export function createCreditCeiling(maxCredits: number) {
  let spentCredits = 0;
  let previous: Promise<unknown> = Promise.resolve();

  return {
    /** Counts the price of a request that an earlier batch has submitted, before `run` is called for any request. */
    count(request: TaskRequest): void {
      spentCredits += listedPrice(request) ?? 0;
    },
    /**
     * Reserves the price of a request, then runs it; releases the price if nothing was charged or it was refunded. Prices
     * are reserved in the order of the calls, however long each read of the journal takes.
     *
     * @param isInJournal - Whether the request was charged in an earlier batch, or may have been: its price counts, but the
     * ceiling does not refuse it. Must not reject. With `"counted"`, `count` was called for it.
     * @param run - Must call `beforeSending` before it sends anything: the journal's key may have been freed meanwhile.
     * @throws CreditCeilingError when the price does not fit; nothing is sent.
     */
    async run<Result>(
      request: TaskRequest,
      isInJournal: boolean | "counted" | Promise<boolean>,
      run: (beforeSending: () => void) => Promise<Result>,
    ): Promise<Result> {
      // A request without a price is refused by its run, or by the service: it costs nothing.
      const credits = listedPrice(request) ?? 0;
      let isAllowed = false;
      const allow = (otherCredits: number) => {
        if (!isAllowed && otherCredits + credits > maxCredits)
          throw new CreditCeilingError({ credits, spentCredits: otherCredits, maxCredits });
        isAllowed = true;
      };
      const isCharged = previous.then(() => isInJournal);
      previous = isCharged;
      const charged = await isCharged;
      if (!charged) allow(spentCredits);
      if (charged !== "counted") spentCredits += credits;
      try {
        return await run(() => allow(spentCredits - credits));
      } catch (error) {
        if (!mayBeCharged(error)) spentCredits -= credits;
        throw error;
      }
    },
  };
}

/** Whether credits may be frozen or settled. Those of a failed task are refunded. */
function mayBeCharged(error: unknown): boolean {
  if (error instanceof TaskFailedError) return false;
  if (error instanceof SubmissionOutcomeUnknownError) return true;
  return error instanceof AsyncMusicError && error.taskId !== null;
}
