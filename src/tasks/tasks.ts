import type { RequestChoice, TaskRequest } from "../contract/requests.js";
import type { Model, TaskType } from "../contract/service.js";
import type { SucceededTask, Task, TaskSubmission, TypeOf } from "../contract/task.js";
import { lowerCaseUuid } from "../contract/text.js";
import { AsyncMusicError, notLoaded } from "../errors/base.js";
import { type ApiPromise, apiPromise } from "../http/api-promise.js";
import type { Context } from "../http/context.js";
import type { RequestOptions } from "../http/request-options.js";
import type { Journal } from "../journal/journal.js";
import { checkJournalOptions } from "../journal/options.js";
import type { TaskEstimate } from "../rate-limit/pacer.js";
import { withClockStopped } from "../time/stopped-clock.js";
import type { FollowedOrder, FollowOptions } from "./follow.js";
import { OneSubmission } from "./one-submission.js";
import {
  type CheckedWait,
  type CreateOptions,
  checkRunAllOptions,
  checkTaskOptions,
  checkWaitOptions,
  type JournaledCreateOptions,
  type RunAllOptions,
  type RunOptions,
  type WaitOptions,
} from "./options.js";
import { Run } from "./run.js";
import { type Ended, type RunResult, resultsOnce } from "./run-all.js";
import type { AccountUsage, RunContext } from "./run-context.js";
import { checkRequest } from "./sent-request.js";
import { stoppable } from "./stoppable.js";
import { Submissions } from "./submissions.js";
import { taskIdOf } from "./task-id.js";
import { checkTenantOfBudget, type TenantOptions } from "./tenant.js";
import { Waits } from "./wait.js";

/** Tasks, from their submission to their result. */
export class Tasks {
  readonly #runs: RunContext;

  /** @internal */
  constructor(context: Context, account: AccountUsage) {
    const submissions = new Submissions(context);
    this.#runs = {
      context,
      account,
      submissions,
      waits: new Waits(context, submissions),
      unresolved: new Map(),
      loadJournaled: async () => (await this.#load("Failed to create a task")).JournaledSubmission,
    };
  }

  /**
   * Submits a task. The service freezes its credits and responds at once; the task takes 30 seconds to 5 minutes. The
   * request is sent once: only after a 429 it is sent again, after the stated wait.
   *
   * @throws `InvalidRequestError` the interface forbids the request; nothing was sent
   * @throws `InvalidOptionError` an option is out of range or misspelled; nothing was sent
   * @throws `CreditCeilingError`, `BudgetError` the price exceeds the budget of the tenant, or the budget failed; nothing was sent
   * @throws `BadRequestError`, `AuthenticationError`, `InsufficientCreditsError`, `AccountSuspendedError`, `RateLimitedError` the service
   * refused it; nothing was charged
   * @throws `ApiError` another error status, such as 409. After a redirect, a task may exist: check before you send it again
   * @throws `ConnectionError` it was certainly never sent
   * @throws `SubmissionOutcomeUnknownError` it may have created a task: check before you send it again
   * @throws `InvalidResponseError` a task was created, but the response lacks what the interface requires, or states another type
   *
   * @example
   * ```ts
   * const submission = await client.tasks.create({
   *   model: "provider_a",
   *   task_type: "music",
   *   input: { gpt_description_prompt: "rain in Lisbon" },
   * });
   * ```
   */
  create<Type extends TaskType, Chosen extends Model = Model>(
    request: TaskRequest & RequestChoice<Type, Chosen>,
    options?: CreateOptions & { journal?: undefined; journalKey?: undefined },
  ): ApiPromise<TaskSubmission<Type>>;
  /**
   * Submits a task at most once, even if this process crashes: a later call with the same journal key resolves with the same
   * submission, and sends nothing. The key stays open until a `run` with it or a follower of the journal has recorded the end:
   * see {@link Tasks.follow}. The result is a plain promise without `withResponse`.
   *
   * @throws the errors of a `create` without a journal; after a redirect, `SubmissionOutcomeUnknownError`
   * @throws `JournalConflictError` the journal holds another request under the key; nothing was sent
   * @throws `JournalError` the journal failed before anything was sent, or could not record a task that the error names
   *
   * @example
   * ```ts
   * const journal = memoryJournal();
   * const submission = await client.tasks.create(request, { journal, journalKey: "order-1" });
   * ```
   */
  create<Type extends TaskType, Chosen extends Model = Model>(
    request: TaskRequest & RequestChoice<Type, Chosen>,
    options?: JournaledCreateOptions<Type>,
  ): Promise<TaskSubmission<Type>>;
  create(request: TaskRequest, options: RunOptions = {}): Promise<TaskSubmission> {
    const { redactor } = this.#runs.context;
    const { journal, journalKey } = { ...options };
    if (journal !== undefined || journalKey !== undefined) return this.#createOnce(request, options);
    const submit = async () => {
      const own = checkTaskOptions(options, this.#runs.context);
      checkJournalOptions(own, redactor);
      checkTenantOfBudget(own);
      return this.#runs.submissions.submit(checkRequest(request, this.#runs.context), own);
    };
    return apiPromise(submit(), redactor);
  }

  async #createOnce(request: TaskRequest, options: RunOptions): Promise<TaskSubmission> {
    const { options: own } = checkWaitOptions(options, this.#runs.context);
    const submission = new OneSubmission(this.#runs, own);
    return submission.untilAbort(submission.create(checkRequest(request, this.#runs.context)));
  }

  /**
   * Resolves when the submissions have ended that are open now: of each `create` and each `run`, also of those of `runAll`, the
   * outcome of the POST is known, and the journal and `onSubmitted` have its task. Await it before the process ends, but not in
   * `onSubmitted`. Waits for tasks do not count: another process can continue them. Never rejects.
   *
   * An abort ends the POST of a `create` without a journal, and of no other call. What your code does with a result is not awaited.
   * It takes `timeoutMs` at most while the journal responds, unless a call waits for the rate limit and is not aborted. A run whose task
   * the journal could not record tries that again, at the latest when it ends: abort it, too.
   *
   * @example
   * ```ts sketch
   * process.once("SIGTERM", () => client.tasks.flush().then(() => process.exit()));
   * ```
   */
  flush(): Promise<void> {
    return this.#runs.submissions.openEnded();
  }

  /**
   * Reads a task as it is now. A task that failed is returned, not thrown. The reads of one task are sent at least a second apart.
   * Calls that wait for this share one read, if their options are the same, apart from `signal`. Each call resolves with its own copy
   * of the task.
   *
   * @param task - the result of `create`, also after JSON serialization, or an ID. After an ID, narrow on `task.type` or with `isMusic`
   * @throws `InvalidRequestError`, `InvalidOptionError` `task` has no usable ID, or an option is out of range; nothing was sent
   * @throws `TaskNotFoundError` no task of this account has that ID
   * @throws `AuthenticationError`, `RateLimitedError`, `ServerError`, `ConnectionError` after the retries; `ApiError` after a redirect
   * @throws `InvalidResponseError` the response lacks what the interface requires, or the result is of another type than the submission
   *
   * @example
   * ```ts
   * const { status, output } = await client.tasks.retrieve(taskId);
   * console.log(status, output?.progress);
   * ```
   */
  retrieve<Given extends string | TaskSubmission>(
    task: Given,
    options?: RequestOptions & TenantOptions,
  ): ApiPromise<Task<TypeOf<Given>>>;
  retrieve(task: string | TaskSubmission, options?: RequestOptions & TenantOptions): ApiPromise<Task>;
  retrieve(task: string | TaskSubmission, options: RequestOptions & TenantOptions = {}): ApiPromise<Task> {
    const { trace, redactor } = this.#runs.context;
    const read = async () => {
      const own = checkTaskOptions(options, this.#runs.context);
      return this.#runs.waits.read(taskIdOf(task, redactor), Object(task).type, own);
    };
    const taskId = lowerCaseUuid(String(Object(task).task_id ?? task));
    return apiPromise(trace("retrieve a task", { "async_music.task_id": taskId }, read), redactor);
  }

  /**
   * Waits until a task has succeeded, and resolves with it. Waits of one client on one task share its polls. A failed
   * poll is retried at the next interval: only a 401, a 404 and an invalid result end the wait before `maxWaitMs`.
   *
   * @param task - the result of `create`, also after JSON serialization, or an ID. After an ID, narrow on `task.type` or with `isMusic`
   * @throws `TaskFailedError` the task ended in `failure`
   * @throws `TaskTimedOutError` the task ended in `timeout`
   * @throws `WaitTimeoutError` `maxWaitMs` passed; the task continues. Its `cause` is the failure of the last read
   * @throws `TaskNotFoundError`, `AuthenticationError` at once
   * @throws `InvalidResponseError` the task succeeded, but its result lacks what the interface requires, or is of another type
   * @throws `InvalidRequestError` `task` has no usable ID, such as an empty string
   * @throws `InvalidOptionError` an option is out of range or misspelled; the signal's reason after an abort
   */
  wait<Given extends string | TaskSubmission>(
    task: Given,
    options?: WaitOptions<TypeOf<Given>>,
  ): Promise<SucceededTask<TypeOf<Given>>>;
  wait(task: string | TaskSubmission, options?: WaitOptions): Promise<SucceededTask>;
  wait(task: string | TaskSubmission, options: WaitOptions = {}): Promise<SucceededTask> {
    // Not `async`: that would hold a promise more for each of tens of thousands of waits.
    try {
      return this.#runs.waits.wait(task, this.#checkWait(options));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * Follows a task: yields it whenever anything about it has changed, last as it ended. A task that failed is
   * yielded, not thrown. Leaving the loop ends the polling.
   *
   * @param task - the result of `create`, also after JSON serialization, or an ID. After an ID, narrow on `task.type` or with `isMusic`
   * @throws `WaitTimeoutError`, `TaskNotFoundError`, `AuthenticationError`, `InvalidResponseError` as `wait` does
   * @throws `InvalidOptionError`, `InvalidRequestError` at once, before the iteration begins
   */
  watch<Given extends string | TaskSubmission>(
    task: Given,
    options?: WaitOptions<TypeOf<Given>>,
  ): AsyncIterable<Task<TypeOf<Given>>>;
  watch(task: string | TaskSubmission, options?: WaitOptions): AsyncIterable<Task>;
  watch(task: string | TaskSubmission, options: WaitOptions = {}): AsyncIterable<Task> {
    return this.#runs.waits.watch(task, this.#checkWait(options));
  }

  /**
   * How much longer a task takes, in seconds: half of similar tasks end within `medianSeconds` from now, and nine of ten within
   * `p90Seconds`. The client learns from the tasks of the same model and type that it has polled before. It takes into account
   * how old the task is, and when this client last found it unfinished. 0 means that the task has most likely ended, and that
   * the next poll will show it; also for a task that has ended.
   *
   * `null` until 20 such tasks have ended; for a custom pacer without `estimate`; and for a submission that went through JSON,
   * since that does not name the model. Nothing is sent.
   *
   * @param task - a task from `watch`, `onUpdate` or `retrieve`, or the result of `create`. While this client waits for that
   * task, its polls count, also those that found no change
   * @throws `InvalidOptionError` it is neither, such as the ID of a task
   *
   * @example
   * ```ts
   * for await (const task of client.tasks.watch(taskId)) {
   *   const left = client.tasks.estimate(task);
   *   if (left !== null) console.log(`About ${Math.round(left.medianSeconds)} seconds left`);
   * }
   * ```
   */
  estimate(task: Task | TaskSubmission): TaskEstimate | null {
    return this.#runs.waits.estimates.estimate(task);
  }

  /**
   * Submits a task and waits for its result: `create`, then `wait`. Every error after the submission has `taskId`. Only an abort
   * rejects with the signal's reason, which has none: save it in `onSubmitted`.
   *
   * With `journal` and `journalKey`, the task is created at most once, even if this process crashes: a later run with the
   * same key waits for the same task.
   *
   * @throws the errors of `create`, such as `InvalidOptionError`, `CreditCeilingError` and `BudgetError`, and those of `wait`
   * @throws `JournalConflictError` the journal holds another request under the key; nothing was sent
   * @throws `JournalError` the journal failed before anything was sent, or could not record a task that the error names
   *
   * @example
   * ```ts
   * const song = await client.tasks.run({
   *   model: "provider_a",
   *   task_type: "music",
   *   input: { gpt_description_prompt: "rain in Lisbon" },
   * });
   * console.log(song.output.result[0]?.audio_url);
   * ```
   */
  run<Type extends TaskType, Chosen extends Model = Model>(
    request: TaskRequest & RequestChoice<Type, Chosen>,
    options?: RunOptions<Type>,
  ): Promise<SucceededTask<Type>>;
  async run(request: TaskRequest, options: RunOptions = {}): Promise<SucceededTask> {
    return new Run(this.#runs, request, options).untilAbort();
  }

  /**
   * Runs many requests, a few at a time, and yields how each has ended, in the order in which they end. A run that fails
   * is yielded too, and stops none of the others. A slow reader slows the batch down. Leaving the loop, or aborting, submits
   * nothing more and ends the polling; a POST in flight is completed, and `onSubmitted` and the journal receive its task.
   * With a journal, a later batch with the same journal keys continues. It can be iterated once: a second time throws {@link AsyncMusicError}.
   *
   * @param requests - an array, or any iterable, also an asynchronous one: the next request is read when `concurrency`
   * allows it. What it throws is thrown here, after the results of the runs that were begun
   * @throws `InvalidOptionError` an option is out of range or misspelled: at once, before the iteration begins
   *
   * @example
   * ```ts
   * for await (const { index, task, error } of client.tasks.runAll(requests, { concurrency: 20 })) {
   *   console.log(index, task?.output.result ?? error);
   * }
   * ```
   */
  runAll<Request extends TaskRequest>(
    requests: Request[] | Iterable<Request> | AsyncIterable<Request>,
    options?: RunAllOptions<Request>,
  ): AsyncIterable<RunResult<Request>>;
  runAll(
    requests: Iterable<TaskRequest> | AsyncIterable<TaskRequest>,
    options: RunAllOptions = {},
  ): AsyncIterable<Ended> {
    const checked = checkRunAllOptions(options, this.#runs.context);
    const runs = this.#runs;
    const load = () => this.#load("Failed to run a batch");
    return resultsOnce(requests, checked.signal, async function* (signal) {
      const { Batch } = await load();
      yield* new Batch(requests, checked, runs, signal).results();
    });
  }

  /**
   * Yields how each order of a journal ended, also of the orders that other processes submit later, by `create` or by `run`.
   * Requesting the next one acknowledges the one before: its key then closes, and it is not delivered again. An order whose
   * end was not acknowledged, because the process crashed or left the loop, is delivered again with the same `deliveryId`. A task
   * that failed is yielded, not thrown. An order whose task this API key cannot find, although the service created it, is kept, and
   * its task is read again later: the key may be of another account. A warning is logged.
   *
   * Several calls, also in several processes, share the orders of a journal: each order is delivered by one of them, and by
   * another one if the first crashes before the acknowledgement. Orders with an unknown outcome are followed once they are
   * settled. Not delivered are orders older than `maxAgeMs`, and orders whose end a version without `follow` has recorded.
   *
   * The iteration ends only by leaving the loop, by an abort, or by one of these errors. Nothing is lost by them: a new call continues.
   *
   * @param journal - one that can list its unacknowledged orders: see {@link Journal.unacknowledged}
   * @throws `JournalError` the journal has failed for 5 minutes: see `maxFailureMs`
   * @throws `AuthenticationError` the API key is not valid
   * @throws `InvalidOptionError` an option is out of range, or the journal lacks a method: when the iteration begins
   *
   * @example
   * ```ts sketch
   * for await (const { deliveryId, key, task, error } of client.tasks.follow(journal)) {
   *   if (task) await saveSong(key, task, deliveryId);
   *   else await refund(key, error, deliveryId);
   * }
   * ```
   */
  follow(journal: Journal, options: FollowOptions = {}): AsyncIterable<FollowedOrder> {
    const runs = this.#runs;
    const load = () => this.#load("Failed to follow a journal");
    return stoppable(async function* (signal) {
      const { endsOf } = await load();
      yield* endsOf(journal, options, signal, runs);
    }, options?.signal);
  }

  /** Loads the code of journals, batches and followers. A virtual clock stands still meanwhile. */
  async #load(what: string) {
    try {
      return await withClockStopped(this.#runs.context.clock, import("./lazy.js"));
    } catch (cause) {
      throw new AsyncMusicError(notLoaded(what), { cause });
    }
  }

  #checkWait(options: WaitOptions): CheckedWait {
    const checked = checkWaitOptions(options, this.#runs.context);
    checkTenantOfBudget(checked.options);
    return checked;
  }
}
