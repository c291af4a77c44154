import type { TaskSubmission } from "../contract/task.js";
import { AsyncMusicError } from "../errors/base.js";
import { SubmissionOutcomeUnknownError } from "../errors/connection-errors.js";
import type { Context } from "../http/context.js";
import type { Result } from "../http/outcome.js";
import type { Count } from "../journal/evidence.js";
import { isReasonOf } from "../time/abort.js";
import { createTask, mayHaveCreated, type SubmissionHooks } from "./create-task.js";
import type { CreateOptions } from "./options.js";
import { attributesOf, type SentRequest } from "./sent-request.js";

/** The submissions of one client. */
export class Submissions {
  readonly count = new SubmissionCount();
  readonly #context: Context;
  readonly #sent = new WeakMap<TaskSubmission, { model: string; at: number }>();

  constructor(context: Context) {
    this.#context = context;
  }

  /** Submits a task, and notes when. */
  async submit(
    request: SentRequest,
    options: CreateOptions,
    hooks?: SubmissionHooks,
  ): Promise<Result<TaskSubmission>> {
    const { trace, clock, logError } = this.#context;
    const created = await trace("create a task", attributesOf(request.value), () =>
      this.count.during(createTask(this.#context, request, options, hooks), options.signal),
    ).catch((error: unknown) => {
      if (error instanceof SubmissionOutcomeUnknownError) logError(error.message);
      throw error;
    });
    // By the client's clock, since the service's may differ.
    this.#sent.set(created.data, { model: String(Object(request.value).model), at: clock.now() });
    return created;
  }

  /** The model of a submission of this client, and when it arrived, in milliseconds since the epoch. */
  find(submission: TaskSubmission): { model: string; at: number } | undefined {
    return this.#sent.get(submission);
  }
}

/** Counts the tasks that a client creates: evidence of whether a POST with an unknown outcome created one. */
export class SubmissionCount {
  #accepted = 0;
  #open = 0;
  #unknown = 0;

  now(): Count {
    return { accepted: this.#accepted, open: this.#open, unknown: this.#unknown };
  }

  /** Counts one submission by its result. A rejection with the signal's reason means that nothing was sent. */
  async during<Submission>(sending: Promise<Submission>, signal?: AbortSignal): Promise<Submission> {
    this.#open++;
    try {
      const submission = await sending;
      this.#accepted++;
      return submission;
    } catch (error) {
      if (isReasonOf(signal, error)) throw error;
      if (error instanceof AsyncMusicError && error.taskId !== null) this.#accepted++;
      else if (mayHaveCreated(error)) this.#unknown++;
      throw error;
    } finally {
      this.#open--;
    }
  }
}
