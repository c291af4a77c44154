import { type BudgetHold, type HeldCall, type JournalPosition, reservingBudget } from "../budget/budget.js";
import { listedPrice } from "../contract/prices.js";
import type { TaskSubmission } from "../contract/task.js";
import { ApiError } from "../errors/api-errors.js";
import { AsyncMusicError } from "../errors/base.js";
import { SubmissionOutcomeUnknownError } from "../errors/connection-errors.js";
import type { Context } from "../http/context.js";
import type { SubmissionEvent } from "../http/events.js";
import type { Result } from "../http/outcome.js";
import { AlreadyTaken } from "../journal/already-taken.js";
import type { Count } from "../journal/evidence.js";
import type { WaitingTask } from "../rate-limit/pacer.js";
import { isReasonOf } from "../time/abort.js";
import { createTask, type SubmissionHooks, type SubmitOptions } from "./create-task.js";
import type { CreateOptions } from "./options.js";
import { attributesOf, type SentRequest } from "./sent-request.js";

/** How a submission ended: with the response of the service, or with an error. */
interface Ended extends Pick<SubmissionEvent, "outcome" | "error"> {
  submission: TaskSubmission | null;
}

export class Submissions {
  readonly #context: Context;
  readonly #count = { accepted: 0, open: 0, unknown: 0 };
  readonly #sent = new WeakMap<object, WaitingTask>();
  /** The submissions of the copies that callbacks have received. */
  readonly #originals = new WeakMap<object, TaskSubmission>();
  /** Each resolves when its submission has ended. */
  readonly #open = new Set<Promise<void>>();

  constructor(context: Context) {
    this.#context = context;
  }

  /** The tasks that the client has created: evidence of whether a POST with an unknown outcome created one. */
  get count(): Count {
    return { ...this.#count };
  }

  /** A submission begins. The function that is returned ends it: the outcome is known, and the task recorded. */
  begin(): () => void {
    let resolve = () => {};
    const ended = new Promise<void>((done) => {
      resolve = done;
    });
    this.#open.add(ended);
    return () => {
      this.#open.delete(ended);
      resolve();
    };
  }

  /** Resolves when the submissions have ended that are open now. */
  async openEnded(): Promise<void> {
    await Promise.all(this.#open);
  }

  /** Submits a task, and notes when. Without a claim of its caller, reserves its price in the budget of the tenant. */
  submit(
    request: SentRequest,
    options: SubmitOptions,
    hooks?: SubmissionHooks,
  ): Promise<Result<TaskSubmission>> {
    const end = this.begin();
    const left: HeldCall["left"] = [];
    return this.#submit(request, options, hooks, left).finally(() => void Promise.all(left).then(end));
  }

  async #submit(
    request: SentRequest,
    options: SubmitOptions,
    hooks: SubmissionHooks | undefined,
    left: HeldCall["left"],
  ): Promise<Result<TaskSubmission>> {
    const { trace, clock, logError } = this.#context;
    const hold = hooks?.claim === undefined ? await this.hold(request, options, null, left) : undefined;
    const all = hold === undefined ? hooks : { ...hooks, claim: hold };
    const created = await trace("create a task", attributesOf(request.value), () => {
      this.#count.open++;
      return createTask(this.#context, request, options, all).catch(returnIfTaken);
    }).catch(async (error: unknown) => {
      const outcome = outcomeOf(error, options.signal);
      this.#countEnd(outcome);
      if (outcome !== "not_created" && error instanceof SubmissionOutcomeUnknownError)
        logError(error.message);
      if (outcome === "created") await hold?.created(Object(error).taskId);
      this.emit(request, options, { outcome, submission: null, error });
      throw error;
    });
    this.#countEnd(created instanceof AlreadyTaken ? "not_created" : "created");
    if (created instanceof AlreadyTaken) throw created;
    this.emit(request, options, { outcome: "created", submission: created.data, error: null });
    await hold?.created(created.data.task_id);
    // By the client's clock, since the service's may differ.
    const at = clock.now();
    const model = String(Object(request.value).model);
    this.#sent.set(created.data, { model, type: created.data.type, submittedAt: at, unfinishedAt: at });
    return created;
  }

  #countEnd(outcome: SubmissionEvent["outcome"]): void {
    this.#count.open--;
    if (outcome === "created") this.#count.accepted++;
    if (outcome === "unknown") this.#count.unknown++;
  }

  emit(
    { value }: SentRequest,
    { tenant, journalKey }: SubmitOptions,
    { outcome, submission, error }: Ended,
  ): void {
    const { emitter, redactor } = this.#context;
    emitter.emit("submission", () => {
      const isCreated = outcome === "created";
      // In JavaScript a request may be anything, and contain the API key.
      const { model, task_type } = Object(redactor.data(value));
      return {
        outcome,
        model: String(model),
        taskType: String(task_type),
        tenant: tenant ?? null,
        journalKey: journalKey === undefined ? null : redactor.text(journalKey),
        taskId: isCreated ? (submission?.task_id ?? Object(error).taskId) : null,
        credits: isCreated ? (submission?.credits_charged ?? listedPrice(value)) : null,
        error,
      };
    });
  }

  /** What reserves the price of a request in the budget of its tenant; `undefined` without a budget. */
  async hold(
    { value: request }: SentRequest,
    options: CreateOptions,
    position: JournalPosition | null,
    left: HeldCall["left"] = [],
  ): Promise<BudgetHold | undefined> {
    const { tenant, signal } = options;
    if (tenant === undefined) return undefined;
    const { clock } = this.#context;
    return reservingBudget(options)?.hold({ tenant, request, clock, position, signal, left });
  }

  /** What is known of a submission of this client. */
  find(submission: TaskSubmission): WaitingTask | undefined {
    return this.#sent.get(this.originalOf(submission));
  }

  /** A copy for a callback, which may change it. */
  copyOf(submission: TaskSubmission): TaskSubmission {
    const copy = { ...submission };
    this.#originals.set(copy, submission);
    return copy;
  }

  /** The submission of which this is a copy; the same object if it is none. */
  originalOf(task: object): object {
    return this.#originals.get(task) ?? task;
  }
}

/** A lost race for a journal key is no failure: its caller reads the key again. */
function returnIfTaken(error: unknown): AlreadyTaken {
  if (error instanceof AlreadyTaken) return error;
  throw error;
}

/** What the error of a submission means for its task. */
export function outcomeOf(error: unknown, signal?: AbortSignal): SubmissionEvent["outcome"] {
  // The reason of an abort may be an error about another task.
  if (isReasonOf(signal, error)) return "not_created";
  if (error instanceof AsyncMusicError && error.taskId !== null) return "created";
  // A redirect is no refusal by the service.
  const isRedirect = error instanceof ApiError && error.status < 400;
  return isRedirect || error instanceof SubmissionOutcomeUnknownError ? "unknown" : "not_created";
}
