import type { TaskRequest } from "../contract/requests.js";
import type { Task, TaskSubmission } from "../contract/task.js";
import { InvalidOptionError, shown } from "../errors/base.js";
import { checkOptionNames } from "../http/option-names.js";
import type { Transport } from "../http/transport.js";
import { checkJournalOptions, type JournalOptions } from "../journal/options.js";
import { checkCallback, checkWaitOptions, TASK_OPTIONS, type WaitOptions } from "./options.js";
import type { RunAllProgress } from "./progress.js";

const DEFAULT_CONCURRENCY = 10;

/** Options of `runAll`. What is not about the batch is meant for each of its runs. */
export interface RunAllOptions<Request extends TaskRequest = TaskRequest>
  extends Omit<WaitOptions, "requestId" | "onUpdate">,
    JournalOptions {
  /**
   * How many tasks are under way, or over and not yet read, at a time. Many more than the rate limit can poll only wait
   * longer for each answer.
   *
   * @defaultValue 10
   */
  concurrency?: number | undefined;
  /**
   * The most that the batch may cost, in credits. Before each request is sent, its price is added to what the batch has
   * spent or frozen; one that does not fit is refused with `CreditCeilingError`, and the rest goes on. Credits that are
   * refunded are free again, those of an unknown outcome are not. What the journal holds already counts as well, from
   * its place among the requests on, and is refused only where somebody has given it up meanwhile, so that it would be
   * sent after all.
   *
   * @defaultValue no ceiling
   */
  maxCredits?: number | undefined;
  /**
   * Called whenever a task was submitted or is over, and when the rate limit begins to delay the batch: `waitingUntil`
   * then says until when. What it throws is thrown when the whole batch is over.
   */
  onProgress?: ((progress: RunAllProgress) => void) | undefined;
  /** Names each request in the journal; two with one key are one task. */
  journalKey?: ((request: Request, index: number) => string) | undefined;
  /**
   * Called once a task is created, or found in the journal, before the waiting for it begins. It is called too for a POST
   * that had just left when the loop was left.
   */
  onSubmitted?: ((submission: TaskSubmission, index: number) => void | Promise<void>) | undefined;
  /** Called with a task whenever anything about it has changed. */
  onUpdate?: ((task: Task, index: number) => void | Promise<void>) | undefined;
}

/** Checks everything about a batch before anything of it is paid for, and returns its own options. */
export function checkRunAllOptions<Request extends TaskRequest>(
  given: RunAllOptions<Request>,
  transport: Pick<Transport, "redactor">,
): RunAllOptions<Request> {
  const known = { ...TASK_OPTIONS, concurrency: true, maxCredits: true, onProgress: true } as const;
  const options = checkOptionNames(given, known, transport.redactor);
  if (Reflect.get(options, "requestId") !== undefined)
    throw new InvalidOptionError("requestId", "be left to each run of a batch");
  const { concurrency, maxCredits, onProgress, journalKey, onSubmitted, onUpdate, ...shared } = options;
  checkWaitOptions(shared, transport);
  checkConcurrency(concurrency);
  for (const [name, callback] of Object.entries({ onProgress, journalKey, onSubmitted, onUpdate })) {
    checkCallback(name, callback);
  }
  checkJournalOptions(
    { ...shared, journalKey: journalKey === undefined ? undefined : "any key" },
    transport.redactor,
  );
  return options;
}

/** How many tasks of a batch are under way at a time. */
export function checkConcurrency(value: number = DEFAULT_CONCURRENCY): number {
  if (Number.isInteger(value) && value >= 1) return value;
  throw new InvalidOptionError("concurrency", "be a whole number, 1 or more", shown(value));
}
