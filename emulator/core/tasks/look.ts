import type { Account } from "../accounts/account.js";
import { invariant } from "../invariant.js";
import type { Policy } from "../policy/policy.js";
import { type ProviderReport, reportOn } from "../providers/report.js";
import type { World } from "../state/world.js";
import { isOpen, type OpenTask, type StoredTask } from "../stored/task.js";
import { fail, HOUR_MS, succeed, timeOut } from "./end-task.js";
import { type TaskEvent, TRANSITIONS } from "./transitions.js";

/**
 * Applies the hour to an account's tasks, in the order in which they reached it. Whoever looks at a task, at the
 * balance or at the usage does this first, and so does whoever is about to spend.
 */
export function applyHour(world: World, account: Account, now: number): void {
  const queue = world.index.openTasks.get(account.id);
  invariant(queue !== undefined, "every account has its queue of open tasks");
  // Whom an earlier policy spared is older than all who are still in the queue.
  if (world.state.policy.late_success === "timeout") {
    for (const ordinal of queue.spared) {
      const task = queuedTask(world, ordinal);
      if (isOpen(task)) timeOut(world, account, task);
    }
    queue.spared = [];
  }
  for (; queue.head < queue.ordinals.length; queue.head++) {
    const task = queuedTask(world, queue.ordinals[queue.head]);
    if (!isOpen(task)) continue;
    if (now - task.createdAt <= HOUR_MS) break;
    if (isSpared(world.state.policy, task)) queue.spared.push(task.ordinal);
    else timeOut(world, account, task);
  }
}

/**
 * One read of a task by its account: the hour is applied, the service asks the provider, and takes over what it
 * reports. Only this settles a success or refunds a failure.
 */
export function readTask(world: World, account: Account, { ordinal }: StoredTask, now: number): StoredTask {
  applyHour(world, account, now);
  const task = world.state.tasks[ordinal];
  invariant(task !== undefined, "a task that is read exists");
  if (!isOpen(task)) return task;
  task.reads++;
  const report = reportOn(task.plan, now - task.createdAt, task.reads);
  const status = TRANSITIONS[task.status][eventOf(report, world.state.policy)];

  switch (status) {
    case "pending":
    case "running":
      task.status = status;
      world.watchers.tell(task);
      return task;
    case "success":
      return succeed(world, account, task, endOf(task, report), now);
    case "failure":
      return fail(world, account, task, endOf(task, report), now);
    default:
      return status satisfies never;
  }
}

function queuedTask({ state }: World, ordinal = -1): StoredTask {
  const task = state.tasks[ordinal];
  invariant(task !== undefined, "a queued task exists");
  return task;
}

/** Whether a task outlives its hour, since its provider was done by then (policy `late_success`). */
function isSpared({ late_success: lateSuccess }: Policy, { plan, reads }: OpenTask): boolean {
  return lateSuccess === "success" && isEnd(reportOn(plan, HOUR_MS, reads));
}

/** What a provider's report is to the transition table (policy `running_after`). */
function eventOf({ phase }: ProviderReport, { running_after: runningAfter }: Policy): TaskEvent {
  return phase === "queued" && runningAfter === "first_read" ? "processing" : phase;
}

function endOf(task: OpenTask, report: ProviderReport): number {
  invariant(isEnd(report), "a task ends when its provider says so");
  return task.createdAt + report.endedAfterMs;
}

function isEnd(report: ProviderReport): report is Extract<ProviderReport, { endedAfterMs: number }> {
  return report.phase === "completed" || report.phase === "failed";
}
