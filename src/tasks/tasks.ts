import type { Account } from "../account.js";
import type { TaskType } from "../contract/models.js";
import type { TaskRequest } from "../contract/requests.js";
import type { SucceededTask, Task, TaskSubmission } from "../contract/task.js";
import { type ApiPromise, apiPromise } from "../http/api-promise.js";
import type { Flight, RequestOptions } from "../http/call.js";
import type { Transport } from "../http/transport.js";
import { checkJournalOptions } from "../journal/options.js";
import { onAbort } from "../time/abort.js";
import { createRequestId } from "../time/random.js";
import { attributesOf } from "./attributes.js";
import { callBack } from "./callback.js";
import { taskIdOf } from "./calls.js";
import { leftUnderWay } from "./judge-submission.js";
import { checkWaitOptions, type RunOptions, type WaitOptions } from "./options.js";
import { closeAtEnd, recordAtEnd } from "./record-at-end.js";
import { retrieveTask } from "./retrieve.js";
import { type RunHooks, type RunResult, runAll } from "./run-all.js";
import { checkRunAllOptions, type RunAllOptions } from "./run-all-options.js";
import { createSubmitter, type Submitter } from "./submitter.js";
import { createWaiter, type Waiter } from "./waiter.js";

const NO_OPTIONS = {};

/** Tasks: songs, lyrics, uploads and concatenations, from their submission to their result. */
export class Tasks {
  readonly #transport: Transport;
  readonly #submitter: Submitter;
  readonly #waiter: Waiter;

  /** @internal */
  constructor(transport: Transport, account: Account, validatesRequests: boolean) {
    this.#transport = transport;
    this.#submitter = createSubmitter(transport, account, validatesRequests);
    this.#waiter = createWaiter(transport, this.#submitter);
  }

  /**
   * Submits a task. The service freezes its credits and answers at once; the work takes from half a minute to five
   * minutes. The request is sent once: only a 429 is sent again, after the stated wait.
   *
   * @throws {@link InvalidRequestError} the interface forbids the request; nothing was sent
   * @throws {@link BadRequestError}, {@link AuthenticationError}, {@link InsufficientCreditsError},
   * {@link AccountSuspendedError}, {@link RateLimitedError} the service refused it; nothing was charged
   * @throws {@link ConnectionError} it certainly never left
   * @throws {@link SubmissionOutcomeUnknownError} it may have created a task: don't send it again unseen
   * @throws {@link InvalidResponseError} a task was created, but the answer lacks what the contract requires
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
  create<Type extends TaskType>(
    request: TaskRequest & { task_type: Type },
    options: RequestOptions = {},
  ): ApiPromise<TaskSubmission<Type>> {
    const result = this.#submitter.submit(request, options);
    return apiPromise(result, this.#transport.redactor) as ApiPromise<TaskSubmission<Type>>;
  }

  /**
   * Reads a task as it is now. A task that failed is returned, not thrown.
   *
   * @param task - the id of a task, or the result of `create`, also after JSON serialization: it keeps the task's type
   * @throws {@link TaskNotFoundError} no task of this account has that id
   * @throws {@link AuthenticationError}, {@link RateLimitedError}, {@link ServerError}, {@link ConnectionError} after
   * the retries
   * @throws {@link InvalidResponseError} the answer lacks what the contract requires
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
    const { trace, redactor } = this.#transport;
    const read = async () => retrieveTask(this.#transport, taskIdOf(task), options);
    // It may be the key in a wrong place.
    const taskId = redactor.text(String(Object(task).task_id ?? task));
    return apiPromise(trace("retrieve a task", { "async_music.task_id": taskId }, read), redactor);
  }

  /**
   * Waits until a task has succeeded, and answers it with its result. Waits of one client on one task share its
   * polls. A read that fails is only the next poll's delay, whether the connection broke, the answer can't be read or
   * the service refused it, with a 403 or a 400 too: only a 401 and a 404 end the wait before `maxWaitMs`.
   *
   * @param task - the id of a task, or the result of `create`, also after JSON serialization: it keeps the task's type
   * @throws {@link TaskFailedError} the task ended in `failure`
   * @throws {@link TaskTimedOutError} the task ended in `timeout`
   * @throws {@link WaitTimeoutError} `maxWaitMs` passed; the task goes on. Its `cause` is the failure of the last read
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
  wait(task: string | TaskSubmission, options: WaitOptions = NO_OPTIONS): Promise<SucceededTask> {
    // Not `async`: that would hold a promise more for each of tens of thousands of waits.
    try {
      return this.#waiter.wait(task, options);
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
    return this.#waiter.watch(task, options);
  }

  /**
   * Submits a task and waits for its result: `create`, then `wait`, with the errors of both. An error after the
   * submission carries the `taskId`.
   *
   * With `journal` and `journalKey` it is paid once, whatever happens to this process: a later run with the same key
   * waits for the same task.
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
  async run<Type extends TaskType>(
    request: TaskRequest & { task_type: Type },
    options: RunOptions = {},
  ): Promise<SucceededTask<Type>> {
    const { ended, flight, requestId, signal, journalKey } = this.#begin<Type>(request, options);
    return new Promise((resolve, reject) => {
      const abort = onAbort(signal, () => {
        const known = { requestId, journalKey, cause: signal?.reason };
        const call = flight.underWay;
        if (call !== null) reject(leftUnderWay(call, known, this.#transport.redactor));
      });
      void ended.then(resolve, reject).finally(() => abort.leave());
    });
  }

  /** Begins a run. A POST that has left outlives an abort, so that its task is told and recorded. */
  #begin<Type extends TaskType>(
    request: TaskRequest & { task_type: Type },
    given: RunOptions,
    { beforeSending, onDelayed }: RunHooks = {},
  ) {
    const { redactor, random, trace } = this.#transport;
    // Everything about the wait is checked before anything is paid for.
    const { options } = checkWaitOptions(given, this.#transport);
    const place = checkJournalOptions(options, redactor);
    const { journal, probe, onSubmitted, onUnrecorded, ...others } = options;
    const { requestId = createRequestId(random), journalKey, ...waitOptions } = others;
    const flight: Flight = { underWay: null, onDelayed };

    const ended = trace("run a task", attributesOf(request, redactor), async () => {
      const sent = { ...options, requestId };
      const { task, recordAgain, close } =
        place === null
          ? {
              task: (await this.#submitter.submit(request, sent, flight)).data,
              recordAgain: null,
              close: null,
            }
          : await this.#submitter.submitOnce(request, place, sent, { flight, beforeSending });

      const carryOn = async () => {
        if (typeof task !== "string")
          await callBack("onSubmitted", onSubmitted, task, task.task_id, redactor);
        return this.#waiter.wait(task, waitOptions, journalKey) as Promise<SucceededTask<Type>>;
      };
      const run =
        recordAgain === null ? carryOn() : recordAtEnd(recordAgain, carryOn, onUnrecorded, redactor);
      return close === null ? run : closeAtEnd(run, close);
    });
    return { ended, flight, requestId, signal: options.signal, journalKey };
  }

  /**
   * Runs many requests, a few at a time, and yields how each has ended, in the order in which they end. A run that fails
   * is yielded too, and stops none of the others. A reader who takes their time holds the rest back. Leaving the loop,
   * or aborting, submits nothing more and ends the polling; a POST that has just left goes on until its task is known, which
   * `onSubmitted` and the journal are told. With a journal, the same keys go on later.
   *
   * It can be iterated once: a second time throws {@link AsyncMusicError}.
   *
   * @param requests - an array, or anything that can be iterated, also asynchronously: then it is asked for the next
   * request when there is room for it. What it throws is thrown here, after the results of what was begun
   *
   * @example
   * ```ts
   * for await (const { index, task, error } of client.tasks.runAll(requests, { concurrency: 20 })) {
   *   console.log(index, task?.output.result ?? error);
   * }
   * ```
   */
  runAll<Request extends TaskRequest>(
    requests: Iterable<Request> | AsyncIterable<Request>,
    options: RunAllOptions<Request> = {},
  ): AsyncIterable<RunResult<Request>> {
    const checked = checkRunAllOptions(options, this.#transport);
    return runAll(requests, checked, this.#transport, async (request, runOptions, hooks) => {
      return this.#begin<Request["task_type"]>(request, runOptions, hooks).ended;
    });
  }
}
