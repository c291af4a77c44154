import * as z from "zod/mini";
import { MODELS, TASK_TYPES } from "../../../src/contract/service.js";
import { TASK_STATUSES } from "../../../src/contract/task.js";
import { oneOf } from "../../core/checks.js";
import { ruleSchema } from "../../core/faults.js";
import { policySchema } from "../../core/policy.js";
import { outcomeSchema } from "../../core/providers.js";
import { balance, key, ledgerEntry, limits, time, usage } from "./answer-schemas.js";

/** What the calls of a live observer answer, for their description. */

const count = z.int().check(z.gte(0));
const text = z.string();
const nullableText = z.nullable(text);
const script = z.object({ next: z.array(outcomeSchema), always: z.nullable(outcomeSchema) });

export const overview = z.object({
  /** Another number means: everything that was seen before is gone. */
  generation: count,
  clock: oneOf("real", "virtual"),
  now: time,
  service: text,
  seed: z.int(),
  policy: policySchema,
  limits,
  accounts: z.array(
    z.object({
      account_id: z.uuid(),
      suspended: z.boolean(),
      balance,
      usage,
      keys: z.array(key),
      ledger_entries: count,
    }),
  ),
  tasks: count,
  findings: count,
  faults: z.array(z.object({ rule: ruleSchema, left: z.nullable(count) })),
  providers: z.object({ provider_a: script, provider_b: script }),
});

export const taskRow = z.object({
  ordinal: count,
  account_id: z.uuid(),
  task_id: z.uuid(),
  model: oneOf(...MODELS),
  type: oneOf(...TASK_TYPES),
  status: oneOf(...TASK_STATUSES),
  credits_cost: count,
  about: text,
  error_code: nullableText,
  created_at: time,
  completed_at: z.nullable(time),
});

export const ledgerEntries = z.object({ entries: z.array(ledgerEntry) });

export const taskDetails = z.object({
  account_id: z.uuid(),
  /** As the API would answer it now; being looked at moves no task. */
  task: z.looseObject({ task_id: z.uuid(), status: text }),
  reads: count,
  plan: z.object({
    outcome: oneOf("success", "failure", "hang"),
    works_from: time,
    /** `null` where it ends at a read, or never. */
    ends_at: z.nullable(time),
    ends_at_read: z.nullable(count),
  }),
  ledger: z.array(ledgerEntry),
});

export const sent = z.object({
  /** How the exchange ended; everything below is `null` where no answer came. */
  ended: oneOf("answer", "disconnect", "stall"),
  status: z.nullable(z.int()),
  headers: z.nullable(z.record(text, text)),
  /** The body's JSON, or its text where it is none. */
  body: z.unknown(),
});
