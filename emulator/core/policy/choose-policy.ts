import { randomChoice, randomStream } from "../../time/random.js";
import { invalidOption } from "../options/invalid-option.js";
import { unknownName } from "../options/unknown-name.js";
import { POLICY_FIELDS, type PolicyField } from "./fields.js";
import type { Policy } from "./policy.js";

/** Every default. */
export function defaultPolicy(): Policy {
  return buildPolicy((field) => field.default);
}

/** Every choice drawn from the seed: the same seed draws the same policy. */
export function variedPolicy(seed: number): Policy {
  const random = randomStream(seed, "policy");
  return buildPolicy((field) => randomChoice(random, field.choices));
}

/**
 * The policy with some choices changed.
 *
 * @throws RangeError for a field that there is not, or a value that it can't have; the policy is then as it was.
 */
export function changePolicy(policy: Policy, changes: Partial<Policy>): Policy {
  for (const [name, value] of Object.entries(changes)) checkChoice(name, value);
  return { ...policy, ...changes };
}

function checkChoice(name: string, value: unknown): void {
  const field: PolicyField<unknown> | undefined = Object.entries(POLICY_FIELDS).find(
    ([each]) => each === name,
  )?.[1];
  if (field === undefined) throw unknownName("field", name, Object.keys(POLICY_FIELDS), "policy");
  const { choices, allows } = field;
  if (allows?.test(value) ?? choices.includes(value)) return;
  throw invalidOption(`policy.${name}`, `be ${allows?.rule ?? `one of ${choices.join(", ")}`}`, value);
}

function buildPolicy(choose: <Value>(field: PolicyField<Value>) => Value): Policy {
  const fields = POLICY_FIELDS;
  return {
    invalid_audio_format_status: choose(fields.invalid_audio_format_status),
    audio_format_unavailable_status: choose(fields.audio_format_unavailable_status),
    audio_conversion: choose(fields.audio_conversion),
    mixed_field_sets: choose(fields.mixed_field_sets),
    null_audio_format: choose(fields.null_audio_format),
    rate_limit_window: choose(fields.rate_limit_window),
    running_after: choose(fields.running_after),
    late_success: choose(fields.late_success),
    timeout_error_code: choose(fields.timeout_error_code),
    timeout_retryable: choose(fields.timeout_retryable),
    auto_top_up_month: choose(fields.auto_top_up_month),
  };
}
