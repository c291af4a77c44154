import type { Task, TaskSubmission } from "../contract/task.js";
import { LIMITS } from "../contract/wire.js";
import { InvalidOptionError, shown } from "../errors/base.js";
import type { RequestOptions } from "../http/call.js";
import { checkOptionNames } from "../http/option-names.js";
import { checkRequestOptions, REQUEST_OPTIONS } from "../http/request-options.js";
import type { Transport } from "../http/transport.js";
import type { JournalOptions } from "../journal/options.js";
import { checkPollInterval, type PollGaps, type PollInterval } from "./poll-schedule.js";

/** Five minutes past the service's own limit: by then it has ended every task. */
const DEFAULT_MAX_WAIT_MS = LIMITS.taskTimeoutMs + 5 * 60_000;

/** Options of everything that waits for a task. */
export interface WaitOptions extends RequestOptions {
  /**
   * The gap between two polls in milliseconds, or the shortest and the longest gap; at least 1000. Polls come at the
   * shortest gap while the rate limit leaves enough for all waiting tasks, and at longer ones as it gets scarce. Only a
   * scarce rate limit, a stated wait or failed polls lead to gaps over the longest.
   *
   * @defaultValue [5000, 10000]
   */
  pollIntervalMs?: PollInterval | undefined;
  /**
   * How long to wait before `WaitTimeoutError`, in milliseconds. The task goes on after it.
   *
   * @defaultValue 3 900 000, five minutes past the hour after which the service itself gives a task up
   */
  maxWaitMs?: number | undefined;
  /** Called with the task whenever anything about it has changed. */
  onUpdate?: ((task: Task) => void | Promise<void>) | undefined;
}

/** Options of `run`. */
export interface RunOptions extends WaitOptions, JournalOptions {
  /** The caller's own name for this song in the journal, any text: one key stands for one request. */
  journalKey?: string | undefined;
  /**
   * Called once the task is created, before the waiting begins: the moment to save its id. A run that finds its task in
   * the journal calls it too, since nobody knows whether the earlier run came so far; and so does one that was aborted while
   * its POST was under way, when that is answered.
   */
  onSubmitted?: ((submission: TaskSubmission) => void | Promise<void>) | undefined;
}

/** What `create` and `wait` may be given alike: one object of options may serve several calls. */
export const SHARED_OPTIONS = {
  ...REQUEST_OPTIONS,
  pollIntervalMs: true,
  maxWaitMs: true,
  onUpdate: true,
  onSubmitted: true,
} as const;

/** The names of all options in this room. */
export const TASK_OPTIONS = {
  ...SHARED_OPTIONS,
  journal: true,
  journalKey: true,
  probe: true,
  onUnrecorded: true,
} as const satisfies Record<keyof RunOptions, true>;

/** Checks the options of everything that waits, and returns what the waiting needs, with the own options themselves. */
export function checkWaitOptions<Options extends RunOptions>(
  given: Options,
  { redactor }: Pick<Transport, "redactor">,
): { gaps: PollGaps; maxWaitMs: number; options: Options } {
  const options = checkOptionNames(given, TASK_OPTIONS, redactor);
  checkRequestOptions(options);
  checkCallback("onUpdate", options.onUpdate);
  checkCallback("onSubmitted", options.onSubmitted);
  checkCallback("onUnrecorded", options.onUnrecorded);
  return {
    gaps: checkPollInterval(options.pollIntervalMs),
    maxWaitMs: checkMaxWaitMs(options.maxWaitMs),
    options,
  };
}

function checkMaxWaitMs(value: number = DEFAULT_MAX_WAIT_MS): number {
  if (typeof value === "number" && value > 0) return value;
  throw new InvalidOptionError("maxWaitMs", "be above 0 milliseconds", shown(value));
}

export function checkCallback(name: string, value: unknown): void {
  if (value === undefined || typeof value === "function") return;
  throw new InvalidOptionError(name, "be a function", shown(value));
}
