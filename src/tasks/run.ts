import type { TaskRequest } from "../contract/requests.js";
import type { SucceededTask } from "../contract/task.js";
import { OneSubmission } from "./one-submission.js";
import { type CheckedWait, checkWaitOptions, type RunOptions } from "./options.js";
import type { RunContext, RunHooks } from "./run-context.js";
import { attributesOf, checkRequest, type SentRequest } from "./sent-request.js";

/** One run: a request, from its submission to the result of its task. */
export class Run {
  /** The request as it was when the run began. */
  readonly request: SentRequest;
  readonly #shared: RunContext;
  readonly #checked: CheckedWait<RunOptions>;
  readonly #submission: OneSubmission;

  /** Checks all options and the request before anything is charged. @throws InvalidOptionError, InvalidRequestError */
  constructor(shared: RunContext, request: TaskRequest, given: RunOptions, hooks: RunHooks = {}) {
    const checked = checkWaitOptions(given, shared.context);
    this.#shared = shared;
    this.#submission = new OneSubmission(shared, checked.options, hooks);
    this.#checked = { ...checked, options: this.#submission.options };
    this.request = checkRequest(request, shared.context);
  }

  /** Completes the run. Rejects at once if the caller aborts while the POST is in flight: the run still completes. */
  untilAbort(): Promise<SucceededTask> {
    return this.#submission.untilAbort(this.complete());
  }

  /** Completes the run. A POST in flight at an abort is completed, so that its task is recorded and reported. */
  complete(): Promise<SucceededTask> {
    const { context, submissions } = this.#shared;
    return context.trace("run a task", attributesOf(this.request.value), async () => {
      const endSubmission = submissions.begin();
      try {
        const ended = await this.#submission.run(this.request, this.#checked, endSubmission);
        return ended ?? (await this.#submitAndWait(endSubmission));
      } finally {
        endSubmission();
      }
    });
  }

  async #submitAndWait(endSubmission: () => void): Promise<SucceededTask> {
    const submission = await this.#submission.send(this.request);
    await this.#submission.report(submission);
    endSubmission();
    return this.#shared.waits.wait(submission, this.#checked);
  }
}
