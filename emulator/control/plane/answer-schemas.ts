import * as z from "zod/mini";
import { findingSchema } from "../../core/audit.js";
import { ledgerEntrySchema } from "../../core/ledger.js";
import { loggedRequestSchema } from "../../core/log.js";
import { policySchema } from "../../core/policy.js";
import { snapshotSchema } from "../../core/state/snapshot.js";

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

export const loggedRequest = loggedRequestSchema;

export const finding = findingSchema;

export const snapshot = snapshotSchema;
