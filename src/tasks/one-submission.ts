import type { SucceededTask, TaskSubmission } from "../contract/task.js";
import type { Claim, InFlight } from "../http/context.js";
import { createRequestId } from "../http/ids.js";
import { checkJournalOptions } from "../journal/options.js";
import { untilAbort } from "../time/abort.js";
import { within } from "../time/deadline.js";
import { abortedInFlight } from "./create-task.js";
import type { RunOptions } from "./options.js";
import type { JournaledOrder, Journaling, OrderSubmission, RunContext, RunHooks } from "./run-context.js";
import type { SentRequest } from "./sent-request.js";
import { checkTenantOfBudget } from "./tenant.js";
import { callBack } from "./wait.js";

/** How long an aborted call waits for what it has begun, in real milliseconds. */
const LONGEST_ABORT_MS = 1000;

/** The submission of one request. With a journal, the task is created at most once. */
export class OneSubmission implements JournaledOrder {
  readonly shared: RunContext;
  readonly options: RunOptions;
  readonly #journaling: Journaling | null;
  /** The ID of the POST: each poll has its own. */
  readonly requestId: string;
  readonly #hooks: RunHooks & { readonly inFlight: InFlight };
  declare unrecorded?: JournaledOrder["unrecorded"];

  /** @throws InvalidOptionError */
  constructor(shared: RunContext, { requestId, ...options }: RunOptions, hooks: RunHooks = {}) {
    const { context } = shared;
    this.shared = shared;
    this.options = options;
    this.#journaling = checkJournalOptions(options, context.redactor);
    checkTenantOfBudget(options);
    this.requestId = requestId ?? createRequestId(context.random);
    this.#hooks = { ...hooks, inFlight: { call: undefined } };
  }

  /**
   * Settles as `ended` does. Rejects at once if the caller aborts while the POST is in flight: the work still completes. Rejects soon
   * if the caller aborts before the POST, also if a database does not respond: nothing is sent, and the work still frees the key.
   * Rejects soon if the caller aborts while the journal does not record the task, with an error that names the task.
   */
  untilAbort<Value>(ended: Promise<Value>): Promise<Value> {
    const { signal } = this.options;
    const { inFlight } = this.#hooks;
    return untilAbort(ended, signal, (reject) => {
      const { call } = inFlight;
      if (call) reject(abortedInFlight(this.shared.context, call, this.requestId, signal?.reason));
      within(LONGEST_ABORT_MS, () => ended.catch(() => {})).catch(() => {
        const error = this.unrecorded?.();
        if (error || inFlight.call === undefined) reject(error ?? signal?.reason);
      });
    });
  }

  /** Runs an order of a journal: see `JournaledSubmission.run`. Without a journal: `null`, and nothing is sent. */
  async run(...run: Parameters<OrderSubmission["run"]>): Promise<SucceededTask | null> {
    return this.#journaling === null ? null : (await this.#journaled(this.#journaling)).run(...run);
  }

  /** Submits, and resolves with the submission once the journal, if there is one, has its task. */
  async create(request: SentRequest): Promise<TaskSubmission> {
    if (this.#journaling === null) return this.send(request);
    const end = this.shared.submissions.begin();
    try {
      return await (await this.#journaled(this.#journaling)).create(request);
    } finally {
      end();
    }
  }

  async #journaled(journaling: Journaling): Promise<OrderSubmission> {
    const JournaledSubmission = await this.shared.loadJournaled();
    return new JournaledSubmission(this, journaling);
  }

  /** Sends the POST, with a claim in the journal if there is one. */
  async send(request: SentRequest, claim?: Claim): Promise<TaskSubmission> {
    const options = { ...this.options, requestId: this.requestId };
    const hooks = { ...this.#hooks, claim };
    return (await this.shared.submissions.submit(request, options, hooks)).data;
  }

  /** Calls `onSubmitted` with a copy, which it may change. */
  report(submission: TaskSubmission): Promise<void> {
    const { onSubmitted, journalKey } = this.options;
    const { redactor } = this.shared.context;
    const waitedFor = { taskId: submission.task_id, journalKey };
    const copy = this.shared.submissions.copyOf(submission);
    return callBack("onSubmitted", onSubmitted, copy, waitedFor, redactor);
  }
}
