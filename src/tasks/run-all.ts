import type { TaskRequest } from "../contract/requests.js";
import type { SucceededTask } from "../contract/task.js";
import { AsyncMusicError, shown, wrongValue } from "../errors/base.js";
import type { RunAllOptions } from "./options.js";
import { stoppable } from "./stoppable.js";

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

const ITERATED_TWICE = {
  what: "This batch was already iterated",
  why: "a second iteration would create its tasks again",
  codeAdvice: ["Keep the results, or call `runAll` again."],
};

export type Requests = Iterable<TaskRequest> | AsyncIterable<TaskRequest>;
export type BatchOptions = RunAllOptions & { concurrency: number };
/** How a request ended whose type is not known. `Tasks.runAll` declares the `RunResult` of each request's type. */
export type Ended =
  | { index: number; request: TaskRequest; task: SucceededTask; error?: never }
  | RunFailure<TaskRequest>;

/**
 * The results of a batch, which can be iterated once: a second time would create its tasks again.
 *
 * @throws InvalidOptionError the requests are no iterable
 */
export function resultsOnce(
  requests: Requests,
  signal: AbortSignal | undefined,
  generate: (signal: AbortSignal) => AsyncGenerator<Ended, void, void>,
): AsyncIterable<Ended> {
  const source = Object(requests);
  if (source !== requests || !(Symbol.iterator in source || Symbol.asyncIterator in source))
    throw wrongValue("requests", "be an iterable of requests", shown(requests));
  const results = stoppable(generate, signal);
  let isIterated = false;
  return {
    [Symbol.asyncIterator]() {
      if (isIterated) throw new AsyncMusicError(ITERATED_TWICE);
      isIterated = true;
      return results[Symbol.asyncIterator]();
    },
  };
}
