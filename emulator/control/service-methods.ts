import * as z from "zod/mini";
import { isModel, MODELS } from "../../src/contract/service.js";
import type { StoredAccount } from "../core/accounts.js";
import {
  count,
  integer,
  invalidValue,
  isoTimeSchema,
  list,
  numberBetween,
  objectOf,
  text,
  UnknownIdError,
  uuid,
} from "../core/checks.js";
import {
  type Core,
  findTask,
  isRequestOf,
  replaceState,
  requireAccount,
  restoreSnapshot,
} from "../core/core.js";
import { addFault, faultRuleSchema, remainingFaultSchema, remainingFaults } from "../core/faults.js";
import { creditsSchema } from "../core/ledger.js";
import { findingSchema, listFindings } from "../core/log/audit.js";
import { loggedRequestSchema } from "../core/log/request-log.js";
import {
  changePolicy,
  policyChangesSchema,
  policySchema,
  scopedPolicyChangesSchema,
} from "../core/policy.js";
import { createScripts, scopedOutcomeSchema } from "../core/providers.js";
import {
  changeLimits,
  limitsChangesSchema,
  limitsFromJson,
  limitsJson,
  limitsJsonSchema,
  scopedLimitsChangesSchema,
} from "../core/rate-limit.js";
import { createInitialState } from "../core/seed-file/state.js";
import { type ResetOptions, snapshotSchema, takeSnapshot } from "../core/state.js";
import { applyTimeouts } from "../core/transitions.js";
import type { FutureChange } from "../future/future.js";
import { Refusal } from "../http/refusal.js";
import { taskData } from "../http/task-data.js";
import { isoTime, LATEST_TIME } from "../time/clock.js";
import { accountSchema, viewAccount } from "./account-methods.js";
import type { EmulatorState } from "./emulator.js";
import { fileMethod, type MethodContext, method } from "./method.js";
import { streamRequests } from "./stream-requests.js";

const taskStateSchema = z.looseObject({
  account_id: uuid,
  task_id: uuid,
  model: text,
  type: text,
  status: text,
  credits_cost: count,
  created_at: z.nullable(isoTimeSchema),
  completed_at: z.nullable(isoTimeSchema),
});

export const serviceMethods = {
  reset: method("POST /reset", {
    summary: "Reset the emulator. The clock's mode and the API key stay.",
    body: objectOf({
      seed: z.optional(integer),
      future: z.optional(integer),
      credits: z.optional(creditsSchema),
      policy: z.optional(z.union([z.literal("vary"), policyChangesSchema], 'be an object or "vary"')),
      limits: z.optional(limitsChangesSchema),
    }),
    response: z.object({ account_id: uuid, api_key: text }),
    run: (context, _, { limits, ...changes }) =>
      resetEmulator(context, { ...changes, limits: limits && limitsFromJson(limits) }),
  }),
  getState: method("GET /state", {
    summary:
      "Read accounts, tasks and settings. Like every read, this applies the task timeout to all tasks.",
    scoped: true,
    response: z.object({
      now: isoTimeSchema,
      policy: policySchema,
      limits: limitsJsonSchema,
      accounts: list(accountSchema),
      tasks: list(taskStateSchema),
    }),
    run(context, _params, _body, account) {
      const view = viewState(context, account);
      return { ...view, limits: limitsJson(view.limits), tasks: view.tasks.map((task) => ({ ...task })) };
    },
  }),
  advanceClock: method("POST /clock/advance", {
    summary: "Advance the clock, at most to 9900-01-01T00:00:00Z.",
    body: objectOf({ seconds: numberBetween(0, 1e13) }),
    response: z.object({ now: isoTimeSchema }),
    async run({ core: { clock } }, _, { seconds }) {
      const rule = "not move the clock past 9900-01-01T00:00:00Z";
      if (clock.now() + seconds * 1000 > LATEST_TIME) throw invalidValue("seconds", rule, seconds);
      // Time passes only while no request is in progress, and this call is one.
      clock.activity.end();
      try {
        await clock.advance(seconds * 1000);
      } finally {
        clock.activity.begin();
      }
      return { now: isoTime(clock.now()) };
    },
  }),
  takeSnapshot: method("GET /snapshot", {
    summary: "Read the whole state as a snapshot.",
    response: snapshotSchema,
    run: ({ core }) => takeSnapshot(core.state, core.clock.now()),
  }),
  restoreSnapshot: method("PUT /snapshot", {
    summary: "Replace the whole state with a snapshot.",
    body: snapshotSchema,
    run: ({ core }, _, snapshot) => restoreSnapshot(core, snapshot),
  }),

  nextOutcome: method("POST /providers/{model}/next", {
    summary: "Set the outcome of the provider's next task. Repeated calls set those of the tasks after it.",
    scoped: true,
    body: scopedOutcomeSchema,
    run({ core }, [model], { account_id: _, ...outcome }, account) {
      scriptOf(core, model, account).next.push(outcome);
    },
  }),
  clearNextOutcomes: method("DELETE /providers/{model}/next", {
    summary: "Remove the outcomes of the provider's next tasks: all, or those of one account.",
    scoped: true,
    run({ core }, [model], _, account) {
      for (const script of scriptsIn(core, model, account)) script.next = [];
    },
  }),
  lastingOutcome: method("PUT /providers/{model}/always", {
    summary:
      "Set the outcome of all later tasks of the provider. `null` removes it, without an account in all accounts.",
    scoped: true,
    body: z.nullable(scopedOutcomeSchema),
    run({ core }, [model], body, account) {
      const { account_id: _, ...outcome } = body ?? {};
      if (body !== null) scriptOf(core, model, account).always = outcome;
      else for (const script of scriptsIn(core, model, account)) script.always = null;
    },
  }),
  addFault: method("POST /faults", {
    summary: "Add a fault. If several match a request, only the one added first fires.",
    status: 201,
    scoped: true,
    body: faultRuleSchema,
    response: faultRuleSchema,
    run({ core }, _, given, account) {
      const rule = account === null ? given : { ...given, account_id: account.id };
      core.ruleUses.lastExchanges.set(addFault(core.state, rule, account), core.exchanges.latest);
      return structuredClone(rule);
    },
  }),
  listFaults: method("GET /faults", {
    summary: "List the remaining faults, and how often each can still fire: null for unlimited.",
    scoped: true,
    response: z.object({ faults: list(remainingFaultSchema) }),
    run: ({ core }, _params, _body, account) => ({ faults: remainingFaults(core.state.faults, account?.id) }),
  }),
  clearFaults: method("DELETE /faults", {
    summary: "Remove all faults, or those of one account.",
    scoped: true,
    run({ core }, _params, _body, account) {
      core.state.faults =
        account === null ? [] : core.state.faults.filter(({ rule }) => rule.account_id !== account.id);
    },
  }),
  changePolicy: method("PATCH /policy", {
    summary:
      "Change the policy, behavior that the interface does not decide: for all, or for one account, which then keeps it.",
    scoped: true,
    body: scopedPolicyChangesSchema,
    response: policySchema,
    run: ({ core }, _, { account_id: __, ...changes }, account) => changePolicy(account, core.state, changes),
  }),
  listFutureChanges: method("GET /future", {
    summary:
      "List what the later version of the service does in another way that the emulator plays; empty without one.",
    response: z.object({ changes: list(z.object({ name: text, description: text })) }),
    run: ({ core }) => ({ changes: changesOf(core) }),
  }),
  changeLimits: method("PATCH /limits", {
    summary: "Change the rate limit of every key, or of one account's keys, which then keep it.",
    scoped: true,
    body: scopedLimitsChangesSchema,
    response: limitsJsonSchema,
    run: ({ core }, _, { account_id: __, ...changes }, account) =>
      limitsJson(changeLimits(account, core.state, limitsFromJson(changes))),
  }),

  listRequests: method("GET /requests", {
    summary: "List the requests to the service, oldest first.",
    scoped: true,
    response: z.object({ requests: list(loggedRequestSchema) }),
    run: ({ core }, _params, _body, account) => ({
      requests: core.state.requests.filter((each) => isRequestOf(core, account, each)),
    }),
  }),
  streamRequests: fileMethod("GET /requests/stream", {
    summary: "Stream the requests as server-sent events: past ones first, then each when it ends.",
    mediaType: "text/event-stream",
    scoped: true,
    respond: ({ core }, _params, _request, account) => streamRequests(core, account),
  }),
  listFindings: method("GET /audit", {
    summary: "List the requests that broke a rule of the service.",
    scoped: true,
    response: z.object({ findings: list(findingSchema) }),
    run: ({ core }, _params, _body, account) => ({
      findings: listFindings(core.state.audit, account?.id ?? null),
    }),
  }),
};

export function resetEmulator({ core, options }: MethodContext, changes: ResetOptions) {
  const { seed = options.seed, credits = options.credits } = changes;
  const { future = options.future, policy = options.policy, limits = options.limits } = changes;
  const { apiKey } = core.state.owner;
  const { seedFile } = options;
  const { state, time } = createInitialState(
    { seed, future, credits, policy, limits, apiKey, seedFile },
    core.clock.startTime(),
  );
  replaceState(core, state, time, "The emulator was reset. Create a new task.");
  return { account_id: state.owner.accountId, api_key: apiKey };
}

/** What is different in the service that the emulator plays. */
export function changesOf({ future }: Core): FutureChange[] {
  return (future?.changes ?? []).map(({ name, description }) => ({ name, description }));
}

/** @param account - limits it to this account; `null` for all */
export function viewState({ core, origins }: MethodContext, account: StoredAccount | null): EmulatorState {
  const { state, clock } = core;
  const now = clock.now();
  const accounts = (account === null ? state.accounts : [account]).map((each) => viewAccount(core, each));
  // Only now: the views have applied the task timeout.
  const tasks = state.tasks.filter(({ accountId }) => account === null || accountId === account.id);
  return {
    now: isoTime(now),
    policy: { ...(account?.policy ?? state.policy) },
    limits: { ...(account?.limits ?? state.limits) },
    accounts,
    tasks: tasks.map((task) => ({ account_id: task.accountId, ...taskData(task, now, origins) })),
  };
}

/** A task after the task timeout was applied. @throws RangeError for an unknown ID */
export function requireTask(core: Core, taskId: string) {
  const found = findTask(core, taskId);
  if (found === undefined) throw new UnknownIdError("task", taskId);
  applyTimeouts(core, requireAccount(core, found.accountId), core.clock.now());
  return core.state.tasks[found.ordinal] ?? found;
}

function scriptOf({ state }: Core, model: string, account: StoredAccount | null) {
  if (!isModel(model))
    throw new Refusal("not_found", `No provider is named ${model}. Use ${MODELS.join(" or ")}.`);
  if (account === null) return state.scripts[model];
  account.scripts ??= createScripts();
  return account.scripts[model];
}

/** The outcomes of a provider that a call removes: those of one account, or all. */
function scriptsIn(core: Core, model: string, account: StoredAccount | null) {
  const shared = scriptOf(core, model, account);
  if (account !== null || !isModel(model)) return [shared];
  return [shared, ...core.state.accounts.flatMap(({ scripts }) => scripts?.[model] ?? [])];
}
