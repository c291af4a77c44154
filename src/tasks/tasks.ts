import type { RequestChoice, TaskRequest } from "../contract/requests.js";
import type { Usage } from "../contract/responses.js";
import { isFinalStatus, type Model, type TaskType } from "../contract/service.js";
import type { SucceededTask, Task, TaskSubmission } from "../contract/task.js";
import { lowerCaseUuid } from "../contract/text.js";
import { AsyncMusicError } from "../errors/base.js";
import { SubmissionOutcomeUnknownError } from "../errors/connection-errors.js";
import { checkOptions } from "../errors/options.js";
import type { JournalError } from "../errors/task-errors.js";
import { TaskFailedError } from "../errors/task-errors.js";
import { type ApiPromise, apiPromise } from "../http/call.js";
import type { Claim, Context, InFlight, RequestOptions } from "../http/context.js";
import { createRequestId } from "../http/ids.js";
import type { SpanAttributes } from "../http/tracing.js";
import type { Probe } from "../journal/evidence.js";
import { checkJournalOptions } from "../journal/slot.js";
import { type JournaledTask, submitOnce } from "../journal/submit-once.js";
import { onAbort } from "../time/abort.js";
import {
  abortedInFlight,
  createCount,
  createTask,
  type Result,
  retrieveTask,
  type SentRequest,
  type SubmissionHooks,
  serialize,
  taskIdOf,
} from "./calls.js";
import {
  checkRunAllOptions,
  checkWaitOptions,
  type RunAllOptions,
  type RunOptions,
  SHARED_OPTIONS,
  TASK_OPTIONS,
  type WaitOptions,
} from "./options.js";
import { type RunHooks, type RunResult, runAll } from "./run-all.js";
import { callBack, type Journaled, type Submissions, Waits } from "./wait.js";

/** Tasks: songs, lyrics, uploads and concatenations, from their submission to their result. */
export class Tasks {
  readonly #context: Context;
  readonly #account: { usage(options: RequestOptions): Promise<Usage> };
  readonly #submissions: Submissions = new WeakMap();
  readonly #waits: Waits;
  readonly #count = createCount();
  readonly #unresolved: Probe["unresolved"] = new Map();

  /** @internal */
  constructor(context: Context, account: { usage(options: RequestOptions): Promise<Usage> }) {
    this.#context = context;
    this.#account = account;
    this.#waits = new Waits(context, this.#submissions);
  }

  /**
   * Submits a task. The service freezes its credits and responds at once; the task takes 30 seconds to 5 minutes. The
   * request is sent once: only after a 429 it is sent again, after the stated wait.
   *
   * @throws {@link InvalidRequestError} the interface forbids the request; nothing was sent
   * @throws {@link BadRequestError}, {@link AuthenticationError}, {@link InsufficientCreditsError},
   * {@link AccountSuspendedError}, {@link RateLimitedError} the service refused it; nothing was charged
   * @throws {@link ConnectionError} it was certainly never sent
   * @throws {@link SubmissionOutcomeUnknownError} it may have created a task: check before you send it again
   * @throws {@link InvalidResponseError} a task was created, but the response lacks what the contract requires
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
    options: RequestOptions = {},
  ): ApiPromise<TaskSubmission<Type>> {
    const { redactor } = this.#context;
    const submit = async () => {
      // A journal given here would be ignored, and seem to prevent duplicate charges.
      const own = checkOptions<RequestOptions>(options, SHARED_OPTIONS, redactor);
      return this.#submit(serialize(request, this.#context), own);
    };
    return apiPromise(submit(), redactor) as ApiPromise<TaskSubmission<Type>>;
  }

  /**
   * Reads a task as it is now. A task that failed is returned, not thrown.
   *
   * @param task - the id of a task, or the result of `create`, also after JSON serialization: it keeps the task's type
   * @throws {@link TaskNotFoundError} no task of this account has that id
   * @throws {@link AuthenticationError}, {@link RateLimitedError}, {@link ServerError}, {@link ConnectionError} after
   * the retries
   * @throws {@link InvalidResponseError} the response lacks what the contract requires
   *
   * @example
   * ```ts
   * const { status, output } = await client.tasks.retrieve(taskId);
   * console.log(status, output?.progress);
   * ```
   */
  retrieve<Type extends TaskType>(
    task: TaskSubmission<Type>,
    options?: RequestOptions,
  ): ApiPromise<Task<Type>>;
  /** Reads a task as it is now. Of a task that is known by its ID only, narrow on `task.type` or with `isMusic`. */
  retrieve(task: string | TaskSubmission, options?: RequestOptions): ApiPromise<Task>;
  retrieve(task: string | TaskSubmission, options: RequestOptions = {}): ApiPromise<Task> {
    const { trace, redactor } = this.#context;
    const read = async () =>
      retrieveTask(
        this.#context,
        taskIdOf(task, redactor),
        checkOptions<RequestOptions>(options, TASK_OPTIONS, redactor),
      );
    const taskId = lowerCaseUuid(String(Object(task).task_id ?? task));
    return apiPromise(trace("retrieve a task", { "async_music.task_id": taskId }, read), redactor);
  }

  /**
   * Waits until a task has succeeded, and resolves with it. Waits of one client on one task share its polls. A failed
   * poll is retried at the next interval: only a 401 and a 404 end the wait before `maxWaitMs`.
   *
   * @param task - the id of a task, or the result of `create`, also after JSON serialization: it keeps the task's type
   * @throws {@link TaskFailedError} the task ended in `failure`
   * @throws {@link TaskTimedOutError} the task ended in `timeout`
   * @throws {@link WaitTimeoutError} `maxWaitMs` passed; the task continues. Its `cause` is the failure of the last read
   * @throws {@link TaskNotFoundError}, {@link AuthenticationError} at once
   * @throws {@link InvalidResponseError} the task succeeded, but its result lacks what the contract requires
   * @throws {@link InvalidOptionError} an option is out of range or misspelled; the signal's reason after an abort
   */
  wait<Type extends TaskType>(
    task: TaskSubmission<Type>,
    options?: WaitOptions,
  ): Promise<SucceededTask<Type>>;
  /** Waits until a task has succeeded. Of a task that is known by its ID only, narrow on `task.type` or with `isMusic`. */
  wait(task: string | TaskSubmission, options?: WaitOptions): Promise<SucceededTask>;
  wait(task: string | TaskSubmission, options: WaitOptions = {}): Promise<SucceededTask> {
    // Not `async`: that would hold a promise more for each of tens of thousands of waits.
    try {
      return this.#waits.wait(task, checkWaitOptions(options, this.#context));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * Follows a task: yields it whenever anything about it has changed, last as it ended. A task that failed is
   * yielded, not thrown. Leaving the loop ends the polling.
   *
   * @param task - the id of a task, or the result of `create`, also after JSON serialization: it keeps the task's type
   * @throws {@link WaitTimeoutError}, {@link TaskNotFoundError}, {@link AuthenticationError} as `wait` does
   * @throws {@link InvalidOptionError} at once, before the iteration begins
   */
  watch<Type extends TaskType>(task: TaskSubmission<Type>, options?: WaitOptions): AsyncIterable<Task<Type>>;
  /** Follows a task. Of a task that is known by its ID only, narrow on `task.type` or with `isMusic`. */
  watch(task: string | TaskSubmission, options?: WaitOptions): AsyncIterable<Task>;
  watch(task: string | TaskSubmission, options: WaitOptions = {}): AsyncIterable<Task> {
    return this.#waits.watch(task, checkWaitOptions(options, this.#context));
  }

  /**
   * Submits a task and waits for its result: `create`, then `wait`, with the errors of both. Every error after the
   * submission has `taskId`. Only an abort rejects with the signal's reason, which has none: save it in `onSubmitted`.
   *
   * With `journal` and `journalKey`, the task is created at most once, even if this process crashes: a later run with the
   * same key waits for the same task.
   *
   * @throws {@link JournalConflictError} the journal holds another request under the key; nothing was sent
   * @throws {@link JournalError} the journal failed before anything was sent, or could not record a task that the error
   * names
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
  async run<Type extends TaskType, Chosen extends Model = Model>(
    request: TaskRequest & RequestChoice<Type, Chosen>,
    options: RunOptions = {},
  ): Promise<SucceededTask<Type>> {
    const { ended, inFlight, requestId, signal, journalKey } = this.#begin<Type>(request, options);
    return new Promise((resolve, reject) => {
      const abort = onAbort(signal, () => {
        const { call } = inFlight;
        if (call === null) return;
        const known = { requestId, journalKey, cause: signal?.reason };
        reject(abortedInFlight(call, known, this.#context.redactor));
      });
      void ended.then(resolve, reject).finally(() => abort.remove());
    });
  }

  /**
   * Runs many requests, a few at a time, and yields how each has ended, in the order in which they end. A run that fails
   * is yielded too, and stops none of the others. A slow reader slows the batch down. Leaving the loop, or aborting, submits
   * nothing more and ends the polling; a POST in flight is completed, and `onSubmitted` and the journal receive its task.
   * With a journal, a later batch with the same keys continues.
   *
   * It can be iterated once: a second time throws {@link AsyncMusicError}.
   *
   * @param requests - an array, or any iterable, also an asynchronous one: the next request is read when `concurrency`
   * allows it. What it throws is thrown here, after the results of the runs that were begun
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
    options: RunAllOptions<Request> = {},
  ): AsyncIterable<RunResult<Request>> {
    const checked = checkRunAllOptions(options, this.#context);
    return runAll(requests, checked, this.#context, async (request, runOptions, hooks) => {
      return this.#begin<Request["task_type"]>(request, runOptions, hooks).ended;
    });
  }

  /** Begins a run. A POST in flight at an abort is completed, so that its task is recorded and reported. */
  #begin<Type extends TaskType>(
    request: TaskRequest & { task_type: Type },
    given: RunOptions,
    { beforeSending, onDelayed }: RunHooks = {},
  ) {
    const { redactor, random, clock, trace } = this.#context;
    // All options are checked before anything is charged.
    const checked = checkWaitOptions(given, this.#context);
    const journaling = checkJournalOptions(checked.options, redactor);
    // The request id is that of the POST: each poll has its own.
    const { requestId = createRequestId(random), ...options } = checked.options;
    const { signal, journalKey, onSubmitted, onUnrecorded } = options;
    const inFlight: InFlight = { call: null };

    const report = (submission: TaskSubmission) =>
      callBack("onSubmitted", onSubmitted, submission, submission.task_id, redactor);
    const wait = (task: TaskSubmission | string, journaled?: Omit<Journaled, "key">) => {
      const found = { key: journalKey, ...journaled };
      return this.#waits.wait(task, { ...checked, options }, found) as Promise<SucceededTask<Type>>;
    };
    const finish = async ({ task, at, isResumed }: JournaledTask) => {
      if (typeof task === "string")
        return wait(task, { at, isResumed, onFirstRead: (read) => report(submissionOf(read, at)) });
      await report(task);
      return wait(task, { at, isResumed });
    };
    const ended = trace("run a task", attributesOf(request), async () => {
      const serialized = serialize(request, this.#context);
      const submit = async (claim?: Claim) => {
        const hooks = { beforeSending, claim, onDelayed, inFlight };
        return (await this.#submit(serialized, { ...options, requestId }, hooks)).data;
      };
      if (journaling === null) {
        const submission = await submit();
        await report(submission);
        return wait(submission);
      }

      const journaled = await submitOnce(journaling, redactor, {
        clock,
        signal,
        request: redactor.data(serialized.value),
        requestId: redactor.text(requestId),
        probe: journaling.probe ? this.#probe(options) : null,
        timeoutMs: options.timeoutMs ?? this.#context.timeoutMs,
        send: submit,
      });
      const onFailure = (error: JournalError) =>
        callBack("onUnrecorded", onUnrecorded, error, error.taskId ?? "", redactor);
      return recordEnd(journaled, finish(journaled), onFailure);
    });
    return { ended, inFlight, requestId, signal, journalKey };
  }

  async #submit(
    request: SentRequest,
    options: RequestOptions,
    hooks?: SubmissionHooks,
  ): Promise<Result<TaskSubmission>> {
    const created = await this.#context
      .trace("create a task", attributesOf(request.value), () =>
        this.#count.during(createTask(this.#context, request, options, hooks), options.signal),
      )
      .catch((error: unknown) => {
        if (error instanceof SubmissionOutcomeUnknownError) this.#context.logError(error.message);
        throw error;
      });
    // By the client's clock, since the service's may differ.
    const at = this.#context.clock.now();
    this.#submissions.set(created.data, { model: String(Object(request.value).model), at });
    return created;
  }

  #probe({ timeoutMs, maxRetries, headers, signal }: RequestOptions): Probe {
    const options = { timeoutMs, maxRetries, headers, signal };
    return {
      count: this.#count,
      unresolved: this.#unresolved,
      readTasksCreated: async () => (await this.#account.usage(options)).tasks_created,
    };
  }
}

/** The submission of a task that the journal has by its ID only. `intentAt`: when the intent of its request was written. */
function submissionOf(task: Task, intentAt: string): TaskSubmission {
  const { task_id, type, credits_cost, created_at, audio_format } = task;
  return {
    task_id,
    // A type that this version does not list cannot be requested with it.
    type: type as TaskType,
    status: "pending",
    credits_charged: credits_cost,
    created_at: created_at ?? intentAt,
    audio_format,
  };
}

/** The span attributes of a request, which may be anything in JavaScript. */
function attributesOf(request: unknown): SpanAttributes {
  const { model, task_type } = Object(request);
  return { "async_music.model": String(model), "async_music.task_type": String(task_type) };
}

/**
 * Waits for the end of a journaled run and records it. If the journal could not record the task, this tries again. If
 * that fails and the run's error does not name the task, the journal's error, which does, is thrown instead.
 */
async function recordEnd<Value>(
  { recordAgain, close }: JournaledTask,
  run: Promise<Value>,
  onUnrecorded: (error: JournalError) => Promise<void>,
): Promise<Value> {
  const ended = await run.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  const failure = (await recordAgain?.()) ?? null;
  if (failure !== null) {
    await onUnrecorded(failure);
    // The reason of an abort may name another task.
    const namesTask =
      !("error" in ended) ||
      (ended.error instanceof AsyncMusicError && ended.error.taskId === failure.taskId);
    if (!namesTask) throw failure;
  }
  if ("value" in ended) {
    await close("success");
    return ended.value;
  }
  const { error } = ended;
  if (error instanceof TaskFailedError && isFinalStatus(error.task.status)) await close(error.task.status);
  throw error;
}
