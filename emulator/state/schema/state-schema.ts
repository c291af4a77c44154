import * as z from "zod/mini";
import { CONDUCT_RULES } from "../../audit/conduct.js";
import { ruleSchema } from "../../faults/fault.js";
import { numberBetween, wholeNumber } from "../../options/numbers.js";
import { oneOf } from "../../options/one-of.js";
import { policySchema } from "../../policy/policy-schema.js";
import { outcomeSchema } from "../../providers/outcome.js";
import type { StateData } from "../state.js";
import { accountSchema } from "./account-schema.js";
import { count, list, nullableText, object, record, text, time } from "./parts.js";
import { taskSchema } from "./task-schema.js";

const note = { requestId: text, arrivals: count };
const script = object({ next: list(outcomeSchema), always: z.nullable(outcomeSchema) });

const requestSchema = object({
  at: text,
  method: text,
  path: text,
  status: z.nullable(count),
  request_id: text,
  account_id: nullableText,
  error_code: nullableText,
});

const conductSchema = object({
  findings: list(
    object({
      rule: oneOf(...CONDUCT_RULES),
      at: text,
      request_id: text,
      detail: text,
    }),
  ),
  lastReads: record(time),
  waits: record(object({ ...note, until: z.number("be a number") })),
  unknownSubmissions: record(object(note)),
  lostCauses: record(object(note)),
});

/** Everything that an emulator of this version can know. What it can't is no state of ours. */
export const stateSchema: z.ZodMiniType<StateData> = object({
  seed: wholeNumber(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  owner: object({ accountId: text, apiKey: text }),
  counts: object({
    accounts: count,
    keys: count,
    requests: count,
    connections: count,
    faults: count,
    arrivals: count,
    payments: count,
    invoices: count,
    authorizations: count,
  }),
  policy: policySchema,
  limits: object({ requests: wholeNumber(1, 1e9), windowSeconds: numberBetween(0.001, 1e6) }),
  accounts: list(accountSchema),
  tasks: list(taskSchema),
  scripts: object({ provider_a: script, provider_b: script }),
  faults: list(object({ ordinal: count, rule: ruleSchema, left: z.nullable(count), met: count })),
  requests: list(requestSchema),
  conduct: conductSchema,
});
