import * as z from "zod/mini";
import { accountSchema } from "../../accounts.js";
import { CONDUCT_RULES } from "../../audit.js";
import { objectOf, oneOf, wholeNumber } from "../../checks.js";
import { ruleSchema } from "../../faults.js";
import { policySchema } from "../../policy.js";
import { outcomeSchema } from "../../providers.js";
import { limitsSchema } from "../../rate-limit.js";
import type { StateData } from "../state.js";
import { count, list, nullableText, record, text, time } from "./parts.js";
import { taskSchema } from "./task-schema.js";

const note = { requestId: text, arrivals: count };
const script = objectOf({ next: list(outcomeSchema), always: z.nullable(outcomeSchema) });

const requestSchema = objectOf({
  at: text,
  method: text,
  path: text,
  status: z.nullable(count),
  request_id: text,
  account_id: nullableText,
  error_code: nullableText,
});

const auditSchema = objectOf({
  findings: list(
    objectOf({
      rule: oneOf(...CONDUCT_RULES),
      at: text,
      request_id: text,
      detail: text,
    }),
  ),
  lastReads: record(time),
  waits: record(objectOf({ ...note, until: z.number("be a number") })),
  unknownSubmissions: record(objectOf(note)),
  permanentFailures: record(objectOf(note)),
});

/** Everything that an emulator of this version can know. What it can't is no state of ours. */
export const stateSchema: z.ZodMiniType<StateData> = objectOf({
  seed: wholeNumber(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  owner: objectOf({ accountId: text, apiKey: text }),
  counts: objectOf({
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
  limits: limitsSchema,
  accounts: list(accountSchema),
  tasks: list(taskSchema),
  scripts: objectOf({ provider_a: script, provider_b: script }),
  faults: list(objectOf({ ordinal: count, rule: ruleSchema, left: z.nullable(count), met: count })),
  requests: list(requestSchema),
  audit: auditSchema,
});
