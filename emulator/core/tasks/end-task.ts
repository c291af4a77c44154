import { LIMITS } from "../../../src/contract/wire.js";
import type { Account } from "../accounts/account.js";
import { invariant } from "../invariant.js";
import { refund, settle } from "../ledger/ledger.js";
import { makeResult } from "../providers/make-result.js";
import { plannedSuccess } from "../providers/plan.js";
import { indexTask, type World } from "../state/world.js";
import type { OpenTask, StoredTask } from "../stored/task.js";

/** How long a task may be open: exactly this is not yet too long (Limits: Task timeout). */
export const HOUR_MS = LIMITS.taskTimeoutMs;

/** The provider is done: the credits are spent, and the result is there. */
export function succeed(
  world: World,
  account: Account,
  task: OpenTask,
  completedAt: number,
  now: number,
): StoredTask {
  settle(account.ledger, task, now);
  const { format: own } = plannedSuccess(task);
  const isConverted = task.audioFormat === "mp3" && world.state.policy.audio_conversion === "on";
  const format = isConverted ? "mp3" : own;
  return replace(world, {
    ...task,
    status: "success",
    completedAt,
    format,
    result: makeResult(world.state.seed, task),
  });
}

/** The provider gave up: the credits go back. */
export function fail(
  world: World,
  account: Account,
  task: OpenTask,
  completedAt: number,
  now: number,
): StoredTask {
  const { end } = task.plan;
  invariant(end.outcome === "failure", "only a task that was planned to fail does");
  refund(account.ledger, task, now);
  const { error, errorCode, retryable, retryAfterSeconds } = end;
  return replace(world, {
    ...task,
    status: "failure",
    completedAt,
    error,
    errorCode,
    retryable,
    retryAfterSeconds,
  });
}

/** The hour is over: the credits go back, as of the first millisecond after it. */
export function timeOut(world: World, account: Account, task: OpenTask): StoredTask {
  const completedAt = task.createdAt + HOUR_MS + 1;
  refund(account.ledger, task, completedAt);
  const { timeout_error_code: errorCode, timeout_retryable: retryable } = world.state.policy;
  const error = "The task was not finished within an hour";
  return replace(world, {
    ...task,
    status: "timeout",
    completedAt,
    error,
    errorCode,
    retryable,
    retryAfterSeconds: null,
  });
}

function replace(world: World, task: StoredTask): StoredTask {
  world.state.tasks[task.ordinal] = task;
  indexTask(world.index, task);
  world.watchers.tell(task);
  return task;
}
