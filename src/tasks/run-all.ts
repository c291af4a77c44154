import type { TaskRequest } from "../contract/requests.js";
import type { SucceededTask } from "../contract/task.js";
import { AsyncMusicError, NOTHING_SENT, shown, wrongValue } from "../errors/base.js";
import type { Redactor } from "../errors/redactor.js";
import type { Call, Context } from "../http/context.js";
import { isFreed, isJournalEntry } from "../journal/entries.js";
import { withTimeout } from "../journal/slot.js";
import { isReasonOf, onAbort } from "../time/abort.js";
import { createCreditCeiling } from "./credits.js";
import type { RunAllOptions, RunOptions } from "./options.js";
import { createProgress } from "./progress.js";
import { stoppable } from "./wait.js";

/** How one request of `runAll` ended. */
export type RunResult<Request extends TaskRequest = TaskRequest> = Request extends TaskRequest
  ? RunSuccess<Request> | RunFailure<Request>
  : never;

/** A request whose task succeeded. */
export interface RunSuccess<Request extends TaskRequest> {
  /** The index of the request, from 0. */
  index: number;
  /** The request, as it was given. */
  request: Request;
  /** The task, with the result of its type. `if (task)` tells a success from a failure. */
  task: SucceededTask<Request["task_type"]>;
  /** Absent. */
  error?: never;
}

/** A request without a result, with the error of its run. */
export interface RunFailure<Request extends TaskRequest> {
  /** The index of the request, from 0. */
  index: number;
  /** The request, as it was given. */
  request: Request;
  /** What `run` would have rejected with: anything, so TypeScript can't narrow by it. Check `task` instead. */
  error: unknown;
  /** Absent, which tells a failure from a success. */
  task?: never;
}

export type RunHooks = Pick<Call, "beforeSending" | "onDelayed">;

type Run<Request extends TaskRequest> = (
  request: Request,
  options: RunOptions,
  hooks: RunHooks,
) => Promise<SucceededTask<Request["task_type"]>>;

const ITERATED_TWICE = {
  what: "This batch was already iterated",
  why: "a second iteration would create its tasks again",
  codeAdvice: ["Keep the results, or call `runAll` again."],
};

/** Runs requests, a few at a time. It can be iterated once: a second time would create its tasks again. */
export function runAll<Request extends TaskRequest>(
  requests: Iterable<Request> | AsyncIterable<Request>,
  options: RunAllOptions<Request> & { concurrency: number },
  context: Pick<Context, "clock" | "emitter" | "redactor">,
  run: Run<Request>,
): AsyncIterable<RunResult<Request>> {
  const { concurrency, maxCredits, onProgress, journalKey, onSubmitted, onUpdate, ...shared } = options;
  const source = Object(requests);
  if (source !== requests || !(Symbol.iterator in source || Symbol.asyncIterator in source))
    throw wrongValue("requests", "be an iterable of requests", shown(requests));
  const ceiling = maxCredits === undefined ? null : createCreditCeiling(maxCredits);
  const { emitter, redactor } = context;
  const progress = onProgress === undefined ? null : createProgress(requests, onProgress, context);

  const keys: (string | undefined)[] = [];
  const keyAt = (request: Request, index: number) => {
    keys[index] ??= keyOf(journalKey, request, index, redactor);
    return keys[index];
  };
  /** What the journal holds for a request; absent where that is read when the request's turn comes. */
  const inJournal: (boolean | "counted")[] = [];
  /** Counts what earlier batches have submitted before anything is sent, so that a continued batch keeps its ceiling. */
  const countSubmitted = async (signal: AbortSignal) => {
    if (ceiling === null || journalKey === undefined || !Array.isArray(requests)) return;
    for (const [index, request] of (requests as Request[]).entries()) {
      if (signal.aborted) return;
      try {
        const key = keyAt(request, index);
        if (!(await isInJournal({ ...shared, journalKey: key }))) continue;
        inJournal[index] = "counted";
        ceiling.count(request, key);
      } catch {
        // The run of the request reports what its key or the journal throws.
        inJournal[index] = false;
      }
    }
  };

  const work = async (request: Request, index: number, signal: AbortSignal): Promise<RunResult<Request>> => {
    const item = progress?.begin();
    try {
      const runOptions: RunOptions = {
        ...shared,
        signal,
        journalKey: keyAt(request, index),
        onUpdate: (task) => onUpdate?.(task, index),
        onSubmitted: async (submission) => {
          item?.submitted();
          await onSubmitted?.(submission, index);
        },
      };
      const onDelayed = item?.delayed;
      const task = await (ceiling === null
        ? run(request, runOptions, { onDelayed })
        : ceiling.run(
            request,
            runOptions.journalKey,
            inJournal[index] ?? isInJournal(runOptions).catch(() => false),
            (beforeSending) => run(request, runOptions, { beforeSending, onDelayed }),
          ));
      item?.succeeded();
      return { index, request, task } as RunResult<Request>;
    } catch (error) {
      item?.delayed(null);
      item?.failed(isReasonOf(signal, error) ? null : error);
      return { index, request, error } as RunResult<Request>;
    }
  };

  const results = stoppable(async function* (signal) {
    const stopListening = progress && emitter.on("pause", ({ until }) => progress.paused(until.getTime()));
    try {
      await countSubmitted(signal);
      yield* resultsOf(requests, concurrency, signal, (request, index) => work(request, index, signal));
    } finally {
      stopListening?.();
    }
    progress?.end();
  }, options.signal);
  let isIterated = false;
  return {
    [Symbol.asyncIterator]() {
      if (isIterated) throw new AsyncMusicError(ITERATED_TWICE);
      isIterated = true;
      return results[Symbol.asyncIterator]();
    },
  };
}

/** Whether a request is in the journal already, so that its run usually sends nothing. Rejects if the journal fails. */
async function isInJournal({ journal, journalKey }: RunOptions): Promise<boolean> {
  if (journal === undefined || journalKey === undefined) return false;
  const entry: unknown = await withTimeout(() => journal.get(journalKey));
  return entry !== null && entry !== undefined && !(isJournalEntry(entry) && isFreed(entry));
}

/** A `journalKey` that throws fails only its own request. */
function keyOf<Request>(
  journalKey: ((request: Request, index: number) => string) | undefined,
  request: Request,
  index: number,
  redactor: Redactor,
): string | undefined {
  try {
    return journalKey?.(request, index);
  } catch (error) {
    const why = "`journalKey` threw; see `cause`";
    const parts = { what: "Failed to create a task", why, facts: [NOTHING_SENT] };
    throw new AsyncMusicError(parts, { cause: redactor.cause(error) });
  }
}

/**
 * Works on a few items at a time, and yields each result as soon as it exists. Unread results count towards `concurrency`, so
 * that a slow reader slows the work down. If the items throw, the iteration ends with that error, after the results of the work
 * that was begun. The work must not reject.
 */
async function* resultsOf<Item, Result>(
  items: Iterable<Item> | AsyncIterable<Item>,
  concurrency: number,
  signal: AbortSignal,
  work: (item: Item, index: number) => Promise<Result>,
): AsyncGenerator<Result, void, void> {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  const unread: { result: Result }[] = [];
  let begun = 0;
  let inProgress = 0;
  let isFilling = false;
  let isExhausted = false;
  const failures: unknown[] = [];
  let wake = () => {};
  const abort = onAbort(signal, () => wake());

  try {
    for (;;) {
      signal.throwIfAborted();
      const next = unread.shift();
      void fill();
      if (next !== undefined) yield next.result;
      else if (!isExhausted || inProgress > 0) await new Promise<void>((resolve) => (wake = resolve));
      else if (failures.length === 0) return;
      else throw failures[0];
    }
  } finally {
    abort.remove();
    // A source that is not exhausted cleans up: the iteration does not wait for it, and ignores its errors.
    if (!isExhausted) (async () => iterator.return?.())().catch(() => {});
  }

  async function fill(): Promise<void> {
    if (isFilling) return;
    isFilling = true;
    try {
      while (!isExhausted && !signal.aborted && inProgress + unread.length < concurrency) {
        const next = await iterator.next();
        if (next.done) isExhausted = true;
        else if (!signal.aborted) void begin(next.value);
      }
    } catch (error) {
      failures.push(error);
      isExhausted = true;
    }
    isFilling = false;
    wake();
  }

  async function begin(item: Item): Promise<void> {
    inProgress++;
    const result = await work(item, begun++);
    inProgress--;
    unread.push({ result });
    wake();
  }
}
