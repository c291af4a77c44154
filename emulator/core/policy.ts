import * as z from "zod/mini";
import { randomChoice, randomStream } from "../time/random.js";
import { NAMED, objectOf, oneOf, parseOption, someOf, wholeNumber } from "./checks.js";
import { POLICY_FIELDS, type Policy, type PolicyField } from "./policy-fields.js";

const errorStatus = wholeNumber(400, 599);
const fields = POLICY_FIELDS;

export const policySchema = objectOf({
  invalid_audio_format_status: errorStatus,
  audio_format_unavailable_status: errorStatus,
  audio_conversion: oneOf(...fields.audio_conversion.choices),
  mixed_field_sets: oneOf(...fields.mixed_field_sets.choices),
  null_audio_format: oneOf(...fields.null_audio_format.choices),
  rate_limit_window: oneOf(...fields.rate_limit_window.choices),
  running_after: oneOf(...fields.running_after.choices),
  late_success: oneOf(...fields.late_success.choices),
  timeout_error_code: oneOf(...fields.timeout_error_code.choices),
  timeout_retryable: z.boolean("be one of true, false"),
  auto_top_up_month: oneOf(...fields.auto_top_up_month.choices),
}).register(NAMED, { id: "Policy" });

export const policyChangesSchema = someOf(policySchema.shape);

export function defaultPolicy(): Policy {
  return policyOf((field) => field.default);
}

export function variedPolicy(seed: number): Policy {
  const random = randomStream(seed, "policy");
  return policyOf((field) => randomChoice(random, field.choices));
}

function policyOf(choose: (field: PolicyField<unknown>) => unknown): Policy {
  const chosen = Object.entries(fields).map(([name, field]) => [name, choose(field)] as const);
  return policySchema.parse(Object.fromEntries(chosen));
}

export function changePolicy(policy: Policy, changes: unknown): Policy {
  return { ...policy, ...parseOption("policy", policyChangesSchema, changes) };
}
