import { ApiError, AuthenticationError, RateLimitedError, TaskNotFoundError } from "../errors/api-errors.js";
import { AsyncMusicError } from "../errors/base.js";
import { ConnectionError, InvalidResponseError } from "../errors/connection-errors.js";
import type { Redactor } from "../http/redactor.js";
import { statedWaitMs } from "../http/stated-wait.js";
import { resumeAdvice } from "./calls.js";
import { PollAbandoned } from "./patience.js";

/** What a wait can't outlast: a key or an id that is refused, and anything that is no failed read at all. */
export function endsWait(failure: unknown): boolean {
  if (failure instanceof AuthenticationError || failure instanceof TaskNotFoundError) return true;
  if (failure instanceof ApiError) return failure.status === 401 || failure.status === 404;
  return ![ConnectionError, InvalidResponseError, PollAbandoned].some((kind) => failure instanceof kind);
}

/** What a wait ends with. A pacer or a clock of the application's own may throw anything: the task is paid for, and goes on. */
export function endOfWait(failure: unknown, taskId: string, redactor: Redactor): AsyncMusicError {
  if (failure instanceof AsyncMusicError) return failure;
  const message = `Failed to wait for task ${taskId}: what paces the client threw. ${resumeAdvice(taskId)}`;
  return new AsyncMusicError(message, { taskId, cause: redactor.cause(failure) });
}

/** The wait that a failed read stated, a 429 or any other: the next poll doesn't undercut it. */
export function statedMs(failure: unknown, now: number): number {
  if (failure instanceof RateLimitedError && failure.retryAt !== null) return failure.retryAt.getTime() - now;
  return failure instanceof ApiError ? (statedWaitMs(failure.headers, null, now) ?? 0) : 0;
}
