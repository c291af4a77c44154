import { type FieldRule, INPUTS, inputKind } from "../../src/contract/inputs.js";
import type { TaskStatus } from "../../src/contract/service.js";
import { LIMITS } from "../../src/contract/service.js";
import { freeUuid, randomStream } from "../time/random.js";
import type { StoredAccount } from "./accounts.js";
import { invariant } from "./checks.js";
import { indexTask, type World } from "./core.js";
import { canFreeze, freeze, refund, settle } from "./ledger.js";
import { rechargeAfterFreeze } from "./payments/payments.js";
import {
  type CheckedOutcome,
  type FinishedReport,
  type ProviderReport,
  planTask,
  providerReport,
  scriptFor,
  UNUSABLE_CLIP,
} from "./providers.js";
import type { ScenarioRule } from "./rules.js";
import { makeResult, type OpenTask, type ProviderTask, type StoredTask } from "./task.js";

/**
 * The status of an open task after a provider's report (States and transitions). The task timeout also leads from both
 * statuses to `timeout`. Final statuses never change, and no task returns to `pending`.
 */
const TRANSITIONS: Readonly<
  Record<OpenTask["status"], Readonly<Record<ProviderReport["phase"], Exclude<TaskStatus, "timeout">>>>
> = {
  pending: { queued: "pending", processing: "running", completed: "success", failed: "failure" },
  running: { queued: "running", processing: "running", completed: "success", failed: "failure" },
};

export interface TaskOrder extends ProviderTask {
  credits: number;
  audioFormat: "mp3" | null;
  outcome: CheckedOutcome | null;
  /** @defaultValue one from the seed */
  id?: string | undefined;
}

/** A created task, or the error code of a refusal; the outcome that was set for the task, and the rule that set it. */
export type Creation = (
  | { task: OpenTask; refusal: null }
  | { task: null; refusal: "insufficient_credits" | "upstream_provider_error" }
) & { outcome: CheckedOutcome | null; rule: ScenarioRule | null };

/** Creates a task. A refusal changes nothing, but uses up a scripted `reject`. */
export function createOpenTask(core: World, account: StoredAccount, order: TaskOrder, now: number): Creation {
  const { model, type, credits, input, audioFormat } = order;
  const { state } = core;
  if (!canFreeze(account.ledger, credits))
    return { task: null, refusal: "insufficient_credits", outcome: null, rule: null };
  const script = scriptFor(model, account.scripts, state.scripts);
  const outcome = order.outcome ?? script.next.shift() ?? script.always;
  const accountId = script === state.scripts[model] ? null : account.id;
  const rule = outcome === null || outcome === order.outcome ? null : { object: outcome, model, accountId };
  if (outcome?.outcome === "reject") return { task: null, refusal: "upstream_provider_error", outcome, rule };

  const ordinal = state.tasks.length;
  // Other accounts' tasks do not change what is drawn for this account's.
  const accountOrdinal = account.tasksCreated;
  const plan = planTask(
    model,
    type,
    outcome ?? core.future?.outcomeFor(type) ?? {},
    randomStream(state.seed, "plan", accountOrdinal),
  );
  if (namesUnknownClip(core, account, order)) plan.end = UNUSABLE_CLIP;
  const task: OpenTask = {
    id: order.id ?? freeUuid(core.index.tasks, state.seed, "task", ordinal),
    ordinal,
    accountId: account.id,
    accountOrdinal,
    model,
    type,
    status: "pending",
    credits,
    input,
    audioFormat,
    createdAt: now,
    plan,
    reads: 0,
  };
  freeze(account.ledger, task, now);
  account.tasksCreated++;
  account.creditsUsed += credits;
  rechargeAfterFreeze({ state, account, now });
  state.tasks.push(task);
  indexTask(core.index, task);
  return { task, refusal: null, outcome, rule };
}

/** Whether the input must name a clip of the account, and names another. Clips belong to the account, not the key. */
function namesUnknownClip({ index }: World, account: StoredAccount, task: ProviderTask): boolean {
  return clipsIn(task).some(({ clipId, clipOf }) => {
    const source = index.clips.get(clipId)?.task;
    return source === undefined || source.accountId !== account.id || !clipOf.includes(source.type);
  });
}

/** The clips that an input names: the field, the ID, and the types of task whose clips it may name. */
export function clipsIn({ model, type, input }: ProviderTask) {
  const fields: Readonly<Record<string, FieldRule>> = INPUTS[inputKind(model, type, input)].fields;
  return Object.entries(fields).flatMap(([field, { clipOf }]) =>
    clipOf === undefined || input[field] === undefined ? [] : { field, clipId: String(input[field]), clipOf },
  );
}

/**
 * Applies the task timeout to an account's tasks, in the order in which they reached it. Call this before you read a
 * task, the balance or the usage, and before you spend credits.
 */
export function applyTimeouts(core: World, account: StoredAccount, now: number): void {
  const open = core.index.openTasks.get(account.id);
  invariant(open !== undefined, "every account has its open tasks");
  for (const ordinal of open) {
    const task = core.state.tasks[ordinal];
    invariant(task !== undefined && !("completedAt" in task), "an open task exists");
    if (now - task.createdAt <= LIMITS.taskTimeoutMs) break;
    const isExempt =
      (account.policy ?? core.state.policy).late_success === "success" &&
      "end" in providerReport(task.plan, LIMITS.taskTimeoutMs, task.reads);
    if (!isExempt) timeOut(core, account, task);
  }
}

/**
 * One read of a task by its account: applies the task timeout, then what the provider reports. Only this settles a
 * success or refunds a failure.
 */
export function readTask(
  core: World,
  account: StoredAccount,
  { ordinal }: StoredTask,
  now: number,
): StoredTask {
  applyTimeouts(core, account, now);
  const { tasks } = core.state;
  const { policy = core.state.policy } = account;
  const task = tasks[ordinal];
  invariant(task !== undefined, "a task that is read exists");
  if ("completedAt" in task) return task;

  task.reads++;
  const report = providerReport(task.plan, now - task.createdAt, task.reads);
  const startsAtRead = report.phase === "queued" && policy.running_after === "first_read";
  const status = TRANSITIONS[task.status][startsAtRead ? "processing" : report.phase];
  if (status === "pending" || status === "running") {
    task.status = status;
    core.watchers.notify(task);
    return task;
  }
  invariant("end" in report, "a task ends with a final report of its provider");
  return endTask(core, account, task, report, now);
}

function endTask(core: World, account: StoredAccount, task: OpenTask, report: FinishedReport, now: number) {
  const { end, endedAfterMs } = report;
  const completedAt = task.createdAt + endedAfterMs;
  if (end.outcome === "failure") {
    refund(account.ledger, task, now);
    const { outcome: _, ...failure } = end;
    return replaceTask(core, { ...task, status: "failure", completedAt, discoveredAt: now, ...failure });
  }
  settle(account.ledger, task, now);
  const { seed } = core.state;
  const { policy = core.state.policy } = account;
  const isConverted = task.audioFormat === "mp3" && policy.audio_conversion === "on";
  return replaceTask(core, {
    ...task,
    status: "success",
    completedAt,
    discoveredAt: now,
    plan: { ...task.plan, end },
    format: isConverted ? "mp3" : end.format,
    result: makeResult(seed, task, end.clips, core.index.clips),
  });
}

/** Ends a task in `timeout`, and refunds it, at the first millisecond after the task timeout. */
function timeOut(core: World, account: StoredAccount, task: OpenTask): void {
  const completedAt = task.createdAt + LIMITS.taskTimeoutMs + 1;
  refund(account.ledger, task, completedAt);
  const { policy = core.state.policy } = account;
  const { timeout_error_code: errorCode, timeout_retryable: retryable } = policy;
  replaceTask(core, {
    ...task,
    status: "timeout",
    completedAt,
    discoveredAt: completedAt,
    error: "The task was not finished within an hour",
    errorCode,
    retryable,
    retryAfterSeconds: null,
  });
}

function replaceTask(core: World, task: StoredTask): StoredTask {
  core.state.tasks[task.ordinal] = task;
  indexTask(core.index, task);
  core.watchers.notify(task);
  return task;
}
