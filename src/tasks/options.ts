import { type BudgetCallOptions, budgetRule } from "../budget/budget.js";
import type { TaskRequest } from "../contract/requests.js";
import { LIMITS, type TaskType } from "../contract/service.js";
import type { AnyTaskType, Task, TaskSubmission } from "../contract/task.js";
import { shown, wrongValue } from "../errors/base.js";
import {
  callbackRule,
  checkOptions,
  numberRule,
  type OptionRules,
  OWN_CHECK,
  wholeNumberRule,
} from "../errors/options.js";
import type { Context } from "../http/context.js";
import type { RequestOptions } from "../http/request-options.js";
import { REQUEST_OPTIONS } from "../http/request-options.js";
import { checkJournalOptions, type JournalOptions } from "../journal/options.js";
import type { RunAllProgress } from "./progress.js";
import { checkTenant, checkTenantOfBudget, type TenantOptions } from "./tenant.js";

/** Five minutes past the service's own limit: by then every task has ended. */
const DEFAULT_MAX_WAIT_MS = LIMITS.taskTimeoutMs + 5 * 60_000;

/** Options of `create`. */
export interface CreateOptions extends RequestOptions, TenantOptions, BudgetCallOptions {}

/** Options of `wait` and `watch`. `Type` is the type of the task, where it is known. */
export interface WaitOptions<Type extends AnyTaskType = AnyTaskType>
  extends RequestOptions,
    TenantOptions,
    BudgetCallOptions {
  /**
   * The gap between two polls in milliseconds, or the shortest and the longest gap; at least 1000. Polls come at the
   * shortest gap while the rate limit leaves enough for all waiting tasks, and at longer ones as it gets scarce. Only a
   * scarce rate limit, a stated wait or failed polls lead to gaps over the longest.
   *
   * @defaultValue [5000, 10000]
   */
  pollIntervalMs?: PollInterval | undefined;
  /**
   * How long to wait before `WaitTimeoutError`, in milliseconds: above 0. The task continues. Use at least twice the shortest
   * `pollIntervalMs`: a shorter wait may end before it has read the task.
   *
   * @defaultValue 3 900 000, five minutes more than the task timeout of the service
   */
  maxWaitMs?: number | undefined;
  /**
   * Called with the task whenever anything about it has changed. If it returns a promise, the wait continues once that has
   * settled. Neither `maxWaitMs` nor `signal` ends a callback that hangs: give its own requests a time limit.
   */
  onUpdate?: ((task: Task<Type>) => unknown) | undefined;
}

/** Options of `create` with a journal, which submits a task at most once. `Type` is the type of the request. */
export interface JournaledCreateOptions<Type extends AnyTaskType = AnyTaskType>
  extends CreateOptions,
    Omit<JournalOptions, "onUnrecorded">,
    Pick<RunOptions<Type>, "onSubmitted" | "journalKey"> {}

/** Options of `run`. `Type` is the type of the request: the callbacks receive a submission and tasks of it. */
export interface RunOptions<Type extends AnyTaskType = AnyTaskType>
  extends WaitOptions<Type>,
    JournalOptions {
  /** The unique key of this request in the journal, for example an order ID. It must not be empty. */
  journalKey?: string | undefined;
  /**
   * Called with the submission as soon as the task ID is known: save it. Also called by a run that finds its task in the
   * journal, and after an abort during the POST, once the POST has completed. If the journal has only the ID of the task, for
   * example after `settleOutcome`, it is called after the first read: the submission then has the fields of that task. If it returns
   * a promise, the call continues once that has settled.
   */
  onSubmitted?: ((submission: TaskSubmission<Extract<Type, TaskType>>) => unknown) | undefined;
}

/** The options of `run`, which all calls about tasks accept: one object can serve several calls. */
export const TASK_OPTIONS: OptionRules<RunOptions> = {
  ...REQUEST_OPTIONS,
  tenant: OWN_CHECK,
  budget: budgetRule,
  pollIntervalMs: OWN_CHECK,
  maxWaitMs: numberRule("be a number of milliseconds above 0", (value) => value > 0),
  onUpdate: callbackRule,
  onSubmitted: callbackRule,
  journal: OWN_CHECK,
  journalKey: OWN_CHECK,
  probe: OWN_CHECK,
  onUnrecorded: callbackRule,
};

export interface CheckedWait<Options extends WaitOptions = WaitOptions> {
  gaps: PollGaps;
  maxWaitMs: number;
  options: Options;
}

export function checkTaskOptions<Options extends RunOptions>(
  given: Options,
  { redactor }: Pick<Context, "redactor">,
): Options {
  const options = checkOptions(given, TASK_OPTIONS, redactor);
  checkTenant(options.tenant, redactor);
  return options;
}

export function checkWaitOptions<Options extends RunOptions>(
  given: Options,
  context: Pick<Context, "redactor">,
): CheckedWait<Options> {
  const options = checkTaskOptions(given, context);
  const { maxWaitMs = DEFAULT_MAX_WAIT_MS } = options;
  return { gaps: checkPollInterval(options.pollIntervalMs), maxWaitMs, options };
}

const DEFAULT_CONCURRENCY = 10;

/** Options of `runAll`. Those of `run` apply to each run of the batch. */
export interface RunAllOptions<Request extends TaskRequest = TaskRequest>
  extends Omit<WaitOptions, "requestId" | "onUpdate" | "tenant">,
    JournalOptions {
  /**
   * The maximum number of tasks that are unfinished, or finished and not yet read: at least 1. A number far above what the rate limit
   * can poll only delays each result.
   *
   * @defaultValue 10
   */
  concurrency?: number | undefined;
  /**
   * The most that the batch may cost, in credits. Before each request is sent, its price is added to what the batch has
   * spent or frozen; a request that does not fit is refused with `CreditCeilingError`, and the others continue. Refunded
   * credits are available again, those of an unknown outcome are not. Requests with one journal key count once. Requests
   * that the journal already holds count as well: those of an array before anything is sent, and those of another iterable
   * when their turn comes. They are refused only if their key was freed meanwhile, so that they would be sent.
   *
   * @defaultValue no ceiling
   */
  maxCredits?: number | undefined;
  /**
   * Called whenever a task was submitted or has ended, and when the rate limit begins to delay the batch: `waitingUntil`
   * is then the expected end. There is no call after you leave the loop or abort: the runs that this ends have not failed. What it
   * throws is thrown at the end of the batch, unless you leave the loop or abort. A returned promise is not awaited; if it rejects before
   * the end of the batch, that counts as thrown.
   */
  onProgress?: ((progress: RunAllProgress) => unknown) | undefined;
  /**
   * Called once with the error of each failed request, as soon as it has failed. After it has returned `true`, no further request is
   * read from `requests` or sent. The requests that have begun, at most `concurrency`, are completed and yielded; then the iteration
   * ends without an error. The progress then has a `total` above `succeeded` + `failed`. It is not called after you leave the loop
   * or abort. If it throws, the batch stops as well, and what it threw is the `cause` of an error at the end of the batch.
   *
   * @defaultValue none: the batch continues after each error
   */
  stopOn?: ((error: unknown, index: number) => boolean) | undefined;
  /**
   * The customer that the batch belongs to, or a function that returns the customer of each request: see
   * {@link CreateOptions.tenant}. What the function throws fails its own request only, before anything is sent for it.
   *
   * @defaultValue no tenant
   */
  tenant?: string | ((request: Request, index: number) => string) | undefined;
  /** Returns the journal key of each request. Two requests with one key are one task. */
  journalKey?: ((request: Request, index: number) => string) | undefined;
  /**
   * Called with each submission as soon as its task ID is known, also from the journal or after an abort during the POST. If it returns
   * a promise, the run continues once that has settled.
   */
  onSubmitted?: ((submission: TaskSubmission<Request["task_type"]>, index: number) => unknown) | undefined;
  /**
   * Called with a task whenever anything about it has changed: narrow it by `type`. If it returns a promise, the run continues once
   * that has settled.
   */
  onUpdate?: ((task: Task, index: number) => unknown) | undefined;
}

const RUN_ALL_OPTIONS: OptionRules<RunAllOptions & RequestOptions> = {
  ...TASK_OPTIONS,
  requestId: ["be absent: each run of a batch has its own", () => false],
  journalKey: callbackRule,
  concurrency: wholeNumberRule(1),
  maxCredits: numberRule("be a number of credits, 0 or more", (value) => value >= 0),
  onProgress: callbackRule,
  stopOn: callbackRule,
};

/** Checks all options of a batch before anything is charged. */
export function checkRunAllOptions<Request extends TaskRequest>(
  given: RunAllOptions<Request>,
  { redactor }: Pick<Context, "redactor">,
): RunAllOptions<Request> & { concurrency: number } {
  const options = checkOptions<RunAllOptions<Request>>(given, RUN_ALL_OPTIONS, redactor);
  const { journal, probe, journalKey, tenant, concurrency = DEFAULT_CONCURRENCY } = options;
  if (typeof tenant !== "function") checkTenant(tenant, redactor);
  checkTenantOfBudget(options);
  checkPollInterval(options.pollIntervalMs);
  checkJournalOptions({ journal, probe, journalKey: journalKey && "any key" }, redactor);
  return { ...options, concurrency };
}

/** The shortest and the longest gap between two polls of a wait, in milliseconds. */
export type PollGaps = readonly [shortest: number, longest: number];

/** One gap for all polls, or the shortest and the longest, in milliseconds. */
export type PollInterval = number | readonly [shortest: number, longest: number];

const { recommendedPollIntervalMs: recommended } = LIMITS;
const DEFAULT_GAPS: PollGaps = [recommended.shortest, recommended.longest];

export function checkPollInterval(interval: PollInterval | undefined): PollGaps {
  if (interval === undefined) return DEFAULT_GAPS;
  const refuse = (rule: string): never => {
    throw wrongValue("pollIntervalMs", rule, shown(interval));
  };
  const pair: readonly unknown[] = Array.isArray(interval) ? interval : [interval, interval];
  const [shortest, longest] = pair;
  if (pair.length !== 2 || !isFiniteNumber(shortest) || !isFiniteNumber(longest))
    return refuse("be a number of milliseconds, or a pair of them");
  if (shortest < LIMITS.shortestPollIntervalMs)
    refuse(`be at least ${LIMITS.shortestPollIntervalMs} milliseconds`);
  if (longest < shortest) refuse("be [shortest, longest] with shortest ≤ longest");
  return [shortest, longest];
}

function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value);
}
