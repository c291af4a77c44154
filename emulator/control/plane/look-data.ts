import type { JsonValue } from "../../../src/contract/service.js";
import type { Core } from "../../core/core.js";
import type { StoredTask } from "../../core/task.js";
import { applyTimeouts } from "../../core/transitions.js";
import type { Origins } from "../../http/messages.js";
import { taskData } from "../../http/routes.js";
import { isoTime } from "../../time/clock.js";
import { summarizeAccount } from "../account-view.js";
import { requireAccount } from "../require-account.js";
import { requireTask } from "../require-task.js";
import { limitsData } from "./limits-data.js";

/** What of a task's input stands beside it in a list. */
const LONGEST_ABOUT = 140;

/** What has changed is told by its counts: whatever grows without end is asked for by itself. */
export function overviewData(core: Core, origins: Origins) {
  const { state, clock, generation } = core;
  return {
    generation,
    clock: clock.mode,
    now: isoTime(clock.now()),
    service: origins.service,
    seed: state.seed,
    policy: state.policy,
    limits: limitsData(state.limits),
    accounts: state.accounts.map((account) => ({
      ...summarizeAccount(core, account),
      ledger_entries: account.ledger.entries.length,
    })),
    tasks: state.tasks.length,
    findings: state.audit.findings.length,
    faults: state.faults.map(({ rule, left }) => ({ rule, left })),
    providers: state.scripts,
  };
}

export function taskRows(core: Core, from: number) {
  const { state, clock } = core;
  for (const account of state.accounts) applyTimeouts(core, account, clock.now());
  return state.tasks.slice(from).map(taskRow);
}

export function ledgerRows(core: Core, accountId: string, from: number) {
  const account = requireAccount(core, accountId);
  applyTimeouts(core, account, core.clock.now());
  return account.ledger.entries.slice(from);
}

function taskRow(task: StoredTask) {
  return {
    ordinal: task.ordinal,
    account_id: task.accountId,
    task_id: task.id,
    model: task.model,
    type: task.type,
    status: task.status,
    credits_cost: task.credits,
    about: aboutOf(task),
    error_code: "errorCode" in task ? task.errorCode : null,
    created_at: isoTime(task.createdAt),
    completed_at: "completedAt" in task ? isoTime(task.completedAt) : null,
  };
}

export function taskDetails(core: Core, taskId: string, origins: Origins) {
  const task = requireTask(core, taskId);
  const { queueMs, workMs, polls, end } = task.plan;
  const worksFrom = task.createdAt + queueMs;
  const endsByTime = polls === null && end.outcome !== "hang";
  const account = core.index.accounts.get(task.accountId);
  return {
    account_id: task.accountId,
    task: taskData(task, core.clock.now(), origins),
    reads: task.reads,
    plan: {
      outcome: end.outcome,
      works_from: isoTime(worksFrom),
      ends_at: endsByTime ? isoTime(worksFrom + workMs) : null,
      ends_at_read: polls,
    },
    ledger: (account?.ledger.entries ?? []).filter((entry) => entry.task_id === task.id),
  };
}

/** What it was made of or called, in a few words. */
function aboutOf(task: StoredTask): string {
  const result = task.status === "success" ? task.result : [];
  const made = (Array.isArray(result) ? result[0] : result)?.title;
  const { input } = task;
  const asked = [
    input["title"],
    input["gpt_description_prompt"],
    input["tags"],
    input["prompt"],
    input["url"],
    input["clip_id"],
    input["continue_clip_id"],
  ];
  return (made ?? asked.map(textOf).find((text) => text !== "") ?? "").slice(0, LONGEST_ABOUT);
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value.trim() : "";
}
