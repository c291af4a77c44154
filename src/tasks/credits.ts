import { PRICES } from "../contract/prices.js";
import type { TaskRequest } from "../contract/requests.js";
import { isModel, isTaskType, type Model, type TaskType } from "../contract/service.js";
import { AsyncMusicError, CreditCeilingError, shown, wrongValue } from "../errors/base.js";
import { TaskFailedError } from "../errors/task-errors.js";
import { mayHaveCreated } from "./calls.js";

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

/** What a batch counts for one task: the requests with one journal key share it. */
interface Share {
  /** The credits that are counted. */
  credits: number;
  /** The requests of the batch that use it, or will use it, and have not ended. */
  users: number;
  /** Whether the ceiling has allowed the credits. */
  isAllowed: boolean;
  /** Whether a request has ended with credits that may be charged: they pay for no further POST. */
  isCharged: boolean;
}

/** Keeps the credits that a batch has spent or frozen at or under a ceiling. Requests with one journal key count once. */
export function createCreditCeiling(maxCredits: number) {
  let spentCredits = 0;
  let previous: Promise<unknown> = Promise.resolve();
  const shares = new Map<string, Share>();

  const newShare = (key: string | undefined): Share => {
    const share = { credits: 0, users: 0, isAllowed: false, isCharged: false };
    if (key !== undefined) shares.set(key, share);
    return share;
  };
  const shareOf = (key: string | undefined) =>
    (key === undefined ? undefined : shares.get(key)) ?? newShare(key);
  const setCredits = (share: Share, credits: number) => {
    spentCredits += credits - share.credits;
    share.credits = credits;
  };
  const allow = (share: Share, credits: number) => {
    if (share.isAllowed && credits <= share.credits) return;
    const otherCredits = spentCredits - share.credits;
    if (otherCredits + credits > maxCredits)
      throw new CreditCeilingError({ credits, spentCredits: otherCredits, maxCredits });
    setCredits(share, Math.max(share.credits, credits));
    share.isAllowed = true;
  };
  const leave = (share: Share, key: string | undefined) => {
    share.users--;
    if (share.users > 0 || share.isCharged) return;
    setCredits(share, 0);
    if (key !== undefined && shares.get(key) === share) shares.delete(key);
  };

  return {
    /** Counts the price of a request that an earlier batch has submitted, before `run` is called for any request. */
    count(request: TaskRequest, key: string | undefined): void {
      const share = shareOf(key);
      share.users++;
      setCredits(share, Math.max(share.credits, listedPrice(request) ?? 0));
    },
    /**
     * Reserves the price of a request, then runs it; releases the price if nothing was charged or it was refunded. Prices
     * are reserved in the order of the calls, however long each read of the journal takes.
     *
     * @param key - The journal key. A later request with the key of an earlier one costs nothing, unless it is sent.
     * @param isInJournal - Whether the request was charged in an earlier batch, or may have been: its price counts, but the
     * ceiling does not refuse it. Must not reject. With `"counted"`, `count` was called for it.
     * @param run - Must call `beforeSending` before it sends anything: the journal's key may have been freed meanwhile.
     * @throws CreditCeilingError when the price does not fit; nothing is sent.
     */
    async run<Result>(
      request: TaskRequest,
      key: string | undefined,
      isInJournal: boolean | "counted" | Promise<boolean>,
      run: (beforeSending: () => void) => Promise<Result>,
    ): Promise<Result> {
      // A request without a price is refused by its run, or by the service: it costs nothing.
      const credits = listedPrice(request) ?? 0;
      const isCharged = previous.then(() => isInJournal);
      previous = isCharged;
      const charged = await isCharged;
      let share = shareOf(key);
      if (charged !== "counted") share.users++;
      try {
        if (share.credits === 0 && charged) setCredits(share, credits);
        else if (share.credits === 0) allow(share, credits);
        const result = await run(() => {
          // Another POST has used up the share.
          if (share.isCharged) {
            leave(share, key);
            share = newShare(key);
            share.users++;
          }
          allow(share, credits);
        });
        share.isCharged = true;
        leave(share, key);
        return result;
      } catch (error) {
        if (mayBeCharged(error)) share.isCharged = true;
        // The task of the key was refunded, for every request.
        if (error instanceof TaskFailedError) {
          setCredits(share, 0);
          share.isCharged = false;
        }
        leave(share, key);
        throw error;
      }
    },
  };
}

/** Whether credits may be frozen or settled. Those of a failed task are refunded. */
function mayBeCharged(error: unknown): boolean {
  if (error instanceof TaskFailedError) return false;
  return (error instanceof AsyncMusicError && error.taskId !== null) || mayHaveCreated(error);
}
