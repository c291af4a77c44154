import type { JournalPosition } from "../budget/budget.js";
import type { Usage } from "../contract/responses.js";
import type { SucceededTask, TaskSubmission } from "../contract/task.js";
import type { JournalError } from "../errors/task-errors.js";
import type { Claim, Context } from "../http/context.js";
import type { RequestOptions } from "../http/request-options.js";
import type { Probe } from "../journal/evidence.js";
import type { SubmissionHooks } from "./create-task.js";
import type { CheckedWait, RunOptions } from "./options.js";
import type { SentRequest } from "./sent-request.js";
import type { Submissions } from "./submissions.js";
import type { Waits } from "./wait.js";

export interface AccountUsage {
  usage(options: RequestOptions, tenant: string | undefined): Promise<Usage>;
}

/** What all runs of one client share. */
export interface RunContext {
  readonly context: Context;
  readonly account: AccountUsage;
  readonly submissions: Submissions;
  readonly waits: Waits;
  readonly unresolved: Probe["unresolved"];
  /** Loads the code of submissions with a journal. @throws AsyncMusicError it could not be loaded */
  loadJournaled(): Promise<new (order: JournaledOrder, journaling: Journaling) => OrderSubmission>;
}

/** What a batch does around each attempt of a run: see `Call`. */
export type RunHooks = Pick<SubmissionHooks, "beforeSending" | "onDelayed">;

/** Where a run is recorded. */
export interface Journaling extends JournalPosition {
  readonly probe: boolean;
}

/** What a submission with a journal needs of its order: see `OneSubmission`. */
export interface JournaledOrder {
  readonly shared: RunContext;
  readonly options: RunOptions;
  readonly requestId: string;
  send(request: SentRequest, claim: Claim): Promise<TaskSubmission>;
  report(submission: TaskSubmission): Promise<void>;
  /** Set once the task is created: the error for a caller that leaves before the task is recorded; `null` if it is recorded. */
  unrecorded?: (() => JournalError | null) | undefined;
}

/** The submission of an order: see `JournaledSubmission`. */
export interface OrderSubmission {
  run(
    request: SentRequest,
    checked: CheckedWait<RunOptions>,
    endSubmission: () => void,
  ): Promise<SucceededTask>;
  create(request: SentRequest): Promise<TaskSubmission>;
}
