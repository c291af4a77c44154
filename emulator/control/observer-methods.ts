import * as z from "zod/mini";
import { fieldNames, INPUT_LIST } from "../../src/contract/inputs.js";
import { MODELS, TASK_STATUSES, TASK_TYPES } from "../../src/contract/service.js";
import { count, isoTimeSchema, list, NAMED, oneOf, text, UnknownIdError, uuid } from "../core/checks.js";
import { type Core, requireAccount } from "../core/core.js";
import { faultRuleSchema } from "../core/faults.js";
import { ledgerEntrySchema } from "../core/ledger.js";
import { policySchema } from "../core/policy.js";
import { outcomeSchema } from "../core/providers.js";
import { limitsJson, limitsJsonSchema, windowEnd } from "../core/rate-limit.js";
import { activeRules, type ScenarioRule } from "../core/rules.js";
import { DEFAULT_CREDITS, DEFAULT_SEED } from "../core/state.js";
import type { StoredTask } from "../core/task.js";
import { applyTimeouts } from "../core/transitions.js";
import { artResponse, clipAudioResponse } from "../http/operations/files.js";
import { Refusal } from "../http/refusal.js";
import { taskData } from "../http/task-data.js";
import { isoTime } from "../time/clock.js";
import { accountSchema, keyDetails, keyDetailsSchema, summarizeAccount } from "./account-methods.js";
import { sendManually, sentRequestSchema, sentResponseSchema } from "./manual-request.js";
import { fileMethod, type MethodContext, method } from "./method.js";
import { requireTask } from "./service-methods.js";

limitsJsonSchema.register(NAMED, { id: "Limits" });
const nullableText = z.nullable(text);

/** A fault that was added, or an outcome that was set. */
const ruleSchema = z.object({
  id: count,
  account_id: z.nullable(uuid),
  /** Null for an outcome. */
  fault: z.nullable(faultRuleSchema),
  /** Null for a fault, as the model is. */
  outcome: z.nullable(outcomeSchema),
  model: z.nullable(oneOf(...MODELS)),
  /** How often it still applies: null for unlimited, 0 for one that is used up or was removed. */
  left: z.nullable(count),
  fired: count,
  /** The numbers of the latest exchanges in which it fired. */
  exchanges: list(count),
});
ruleSchema.register(NAMED, { id: "Rule" });

const overviewSchema = z.object({
  /** Another number means that the state was replaced. */
  generation: count,
  clock: oneOf("real", "virtual"),
  now: isoTimeSchema,
  service: text,
  seed: z.int(),
  /** What a reset without a body uses. The credits are null if a seed file sets them. */
  reset: z.object({ seed: z.int(), credits: z.nullable(count) }),
  policy: policySchema,
  limits: limitsJsonSchema,
  accounts: list(
    z.extend(z.omit(accountSchema, { ledger: true }), {
      ledger_entries: count,
      /** With the time at which the key's rate limit window ends; null if it has none. */
      keys: list(z.extend(keyDetailsSchema, { window_ends_at: z.nullable(isoTimeSchema) })),
      /** Of this account alone; null for those of all accounts. */
      limits: z.nullable(limitsJsonSchema),
      policy: z.nullable(policySchema),
    }),
  ),
  tasks: count,
  findings: count,
  rules: list(ruleSchema),
});

export const taskRowSchema = z.object({
  ordinal: count,
  account_id: uuid,
  task_id: uuid,
  model: oneOf(...MODELS),
  type: oneOf(...TASK_TYPES),
  status: oneOf(...TASK_STATUSES),
  credits_cost: count,
  about: text,
  /** More words to find it by: the IDs of its clips, and the texts of its request. */
  keywords: text,
  error_code: nullableText,
  created_at: isoTimeSchema,
  works_from: isoTimeSchema,
  /** Null if it ends at a read, or never. */
  ends_at: z.nullable(isoTimeSchema),
  completed_at: z.nullable(isoTimeSchema),
  discovered_at: z.nullable(isoTimeSchema),
});
taskRowSchema.register(NAMED, { id: "TaskRow" });

const taskDetailsSchema = z.object({
  account_id: uuid,
  task: z.looseObject({ task_id: uuid, status: text }),
  reads: count,
  /** When the read that ended it arrived. Null while it is unfinished. */
  discovered_at: z.nullable(isoTimeSchema),
  plan: z.object({
    outcome: oneOf("success", "failure", "hang"),
    works_from: isoTimeSchema,
    /** Null if it ends at a read, or never. */
    ends_at: z.nullable(isoTimeSchema),
    ends_at_read: z.nullable(count),
  }),
  ledger: list(ledgerEntrySchema),
});

/**
 * Calls for an observer that follows an emulator, as the dashboard does. Reads apply the timeouts of tasks.
 * The others change what a user changes on the page: they remove a rule, and send a request.
 */
export const observerMethods = {
  getOverview: method("GET /overview", {
    summary:
      "Read settings, accounts without ledgers, and the number of tasks and findings. Applies the task timeout.",
    response: overviewSchema,
    run: ({ core, origins, options: { seedFile, seed, credits } }) => ({
      generation: core.generation,
      clock: core.clock.mode,
      now: isoTime(core.clock.now()),
      service: origins.service,
      seed: core.state.seed,
      reset: {
        seed: seed ?? DEFAULT_SEED,
        credits: seedFile === undefined ? (credits ?? DEFAULT_CREDITS) : null,
      },
      policy: core.state.policy,
      limits: limitsJson(core.state.limits),
      accounts: core.state.accounts.map((account) => ({
        ...summarizeAccount(core, account),
        ledger_entries: account.ledger.entries.length,
        keys: account.keys.map((key) => {
          const { windowSeconds } = account.limits ?? core.state.limits;
          const endsAt = windowEnd(key.window, windowSeconds, core.clock.now());
          return { ...keyDetails(key), window_ends_at: endsAt === null ? null : isoTime(endsAt) };
        }),
        limits: account.limits === undefined ? null : limitsJson(account.limits),
        policy: account.policy ?? null,
      })),
      tasks: core.state.tasks.length,
      findings: core.state.audit.findings.length,
      rules: rulesOf(core),
    }),
  }),
  removeRule: method("DELETE /rules/{rule_id}", {
    summary: "Remove one fault or one outcome.",
    run({ core }, [id]) {
      const rule = activeRules(core.state).find((each) => String(core.ruleUses.of(each).id) === id);
      if (rule === undefined) throw new UnknownIdError("rule", id);
      rule.remove();
    },
  }),
  listTasks: method("GET /tasks/from/{ordinal}", {
    summary: "List summaries of the tasks from this ordinal on, in the order of their creation.",
    response: z.object({ tasks: list(taskRowSchema) }),
    run({ core }, [ordinal]) {
      const from = indexOf(ordinal);
      for (const account of core.state.accounts) applyTimeouts(core, account, core.clock.now());
      return { tasks: core.state.tasks.slice(from).map(taskRow) };
    },
  }),
  getTask: method("GET /tasks/{task_id}", {
    summary: "Read a task as the API would return it now, its provider's plan and its ledger entries.",
    response: taskDetailsSchema,
    run: (context, [taskId]) => taskDetails(context, taskId),
  }),
  listLedger: method("GET /accounts/{account_id}/ledger/from/{index}", {
    summary: "List an account's ledger entries from this index on, oldest first.",
    response: z.object({ entries: list(ledgerEntrySchema) }),
    run({ core }, [accountId, index]) {
      const from = indexOf(index);
      const account = requireAccount(core, accountId);
      applyTimeouts(core, account, core.clock.now());
      return { entries: account.ledger.entries.slice(from) };
    },
  }),
  sendRequest: method("POST /accounts/{account_id}/requests", {
    summary:
      "Send the API a request with a key of the account. It counts against the rate limit and is logged; the audit ignores it.",
    body: sentRequestSchema,
    response: sentResponseSchema,
    run: (context, [accountId], request) =>
      sendManually(context, requireAccount(context.core, accountId), request),
  }),
  getClipAudio: fileMethod("GET /clips/{clip_id}/audio", {
    summary: "Read the file at a clip's audio_url. It is not logged. Supports ranges.",
    mediaType: "audio/*",
    respond: ({ core }, [clipId], request) =>
      clipAudioResponse({ core, request, now: core.clock.now() }, clipId),
  }),
  getClipArt: fileMethod("GET /clips/{clip_id}/art", {
    summary: "Read a clip's cover art.",
    mediaType: "image/svg+xml",
    respond: ({ core }, [clipId]) => artResponse(core, clipId, "small"),
  }),
};

/** The rules that apply, and the latest that no longer do. */
function rulesOf({ state, ruleUses }: Core) {
  const active = activeRules(state);
  const objects = new Set<ScenarioRule["object"]>(active.map(({ object }) => object));
  const used = ruleUses
    .latest()
    .filter(({ object }) => !objects.has(object))
    .toReversed();
  return [...active, ...used.map((rule) => ({ ...rule, left: 0 }))].map((rule) => {
    const { id, fired, exchanges } = ruleUses.of(rule);
    const { accountId: account_id, model, left } = rule;
    const what =
      rule.model === null
        ? { fault: structuredClone(rule.object.rule), outcome: null }
        : { fault: null, outcome: structuredClone(rule.object) };
    return { id, account_id, ...what, model, left, fired, exchanges: [...exchanges] };
  });
}

/** The number at the end of a path. */
export function indexOf(digits: string): number {
  if (!/^\d{1,15}$/.test(digits))
    throw new Refusal("not_found", "The path must end in a whole number, 0 or more.");
  return Number(digits);
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
    keywords: keywordsOf(task),
    error_code: "errorCode" in task ? task.errorCode : null,
    created_at: isoTime(task.createdAt),
    ...planTimes(task),
    completed_at: "completedAt" in task ? isoTime(task.completedAt) : null,
    discovered_at: "completedAt" in task ? isoTime(task.discoveredAt) : null,
  };
}

function keywordsOf({ input, ...task }: StoredTask): string {
  const result = task.status === "success" ? task.result : [];
  const clips = Array.isArray(result) ? result.map(({ id }) => id) : [];
  const texts = INPUT_NAMES.map((name) => input[name]).filter((value) => typeof value === "string");
  return [...clips, ...texts.map((text) => shortened(text, LONGEST_KEYWORD))].join(" ");
}

const INPUT_NAMES = fieldNames(INPUT_LIST);
const LONGEST_KEYWORD = 500;

/** When the provider starts and ends the task. */
function planTimes({ createdAt, plan: { queueMs, workMs, polls, end } }: StoredTask) {
  const worksFrom = createdAt + queueMs;
  const endsByTime = polls === null && end.outcome !== "hang";
  return { works_from: isoTime(worksFrom), ends_at: endsByTime ? isoTime(worksFrom + workMs) : null };
}

const LONGEST_ABOUT = 140;

/** The title of the result, else the first words of the input. */
function aboutOf(task: StoredTask): string {
  const result = task.status === "success" ? task.result : [];
  const title = (Array.isArray(result) ? result[0] : result)?.title;
  const names = ["title", "gpt_description_prompt", "tags", "prompt", "url", "clip_id", "continue_clip_id"];
  const words = names
    .map((name) => task.input[name])
    .map((value) => (typeof value === "string" ? value.trim() : ""));
  return shortened(title ?? words.find((value) => value !== "") ?? "", LONGEST_ABOUT);
}

/** The beginning of a text that is too long. It ends with a whole character. */
function shortened(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

function taskDetails({ core, origins }: MethodContext, taskId: string) {
  const task = requireTask(core, taskId);
  const { polls, end } = task.plan;
  const { ledger } = requireAccount(core, task.accountId);
  return {
    account_id: task.accountId,
    task: { ...taskData(task, core.clock.now(), origins) },
    reads: task.reads,
    discovered_at: "completedAt" in task ? isoTime(task.discoveredAt) : null,
    plan: {
      outcome: end.outcome,
      ...planTimes(task),
      ends_at_read: polls,
    },
    ledger: ledger.entries.filter((entry) => entry.task_id === task.id),
  };
}
