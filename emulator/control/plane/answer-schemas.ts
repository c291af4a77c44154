import * as z from "zod/mini";
import { CONDUCT_RULES } from "../../core/audit.js";
import { objectOf, oneOf } from "../../core/checks.js";
import { ledgerEntrySchema } from "../../core/ledger.js";
import { policySchema } from "../../core/policy.js";

/** What the calls answer, for their description. */

const count = z.int().check(z.gte(0));
const uuid = z.uuid();
export const time = z.iso.datetime();

export const balance = z.object({ available: count, frozen: count, total: count });
export const usage = z.object({ tasks_created: count, credits_used: count, credits_topped_up: count });
export const key = z.object({ key_id: uuid, disabled: z.boolean() });
export const createdKey = z.object({ key_id: uuid, api_key: z.string() });
export const createdAccount = z.object({ account_id: uuid, key_id: uuid, api_key: z.string() });

export const ledgerEntry = ledgerEntrySchema;

export const account = z.object({
  account_id: uuid,
  suspended: z.boolean(),
  balance,
  usage,
  keys: z.array(key),
  ledger: z.array(ledgerEntry),
});

/** A task as the API shows it, and whose it is. */
const task = z.looseObject({
  account_id: uuid,
  task_id: uuid,
  model: z.string(),
  type: z.string(),
  status: z.string(),
  credits_cost: count,
  created_at: time,
  completed_at: z.nullable(time),
});

export const limits = z.object({ requests: count, window_seconds: z.number() });

export const state = z.object({
  now: time,
  policy: policySchema,
  limits,
  accounts: z.array(account),
  tasks: z.array(task),
});

export const loggedRequest = z.object({
  at: time,
  method: z.string(),
  path: z.string(),
  status: z.nullable(z.int()),
  request_id: z.string(),
  account_id: z.nullable(uuid),
  error_code: z.nullable(z.string()),
});

export const finding = z.object({
  rule: oneOf(...CONDUCT_RULES),
  at: time,
  request_id: z.string(),
  detail: z.string(),
});

/** It is also taken as a body: its messages complete "Expected … to". */
export const snapshot = objectOf({
  version: z.literal(1, "be 1"),
  time: z.iso.datetime("be an ISO 8601 time"),
  state: z.looseObject({}, "be an object"),
});
