import * as z from "zod/mini";
import { findRequestViolation, type RequestViolation } from "../../src/contract/request-rules.js";
import { randomChoice, randomStream } from "../time/random.js";
import { invalidValue, NAMED, objectOf, parseOption, text, wholeNumber, withChanges } from "./checks.js";
import { POLICY_FIELDS, type Policy, type PolicyChanges, type PolicyField } from "./policy-fields.js";

const schemas = Object.entries(POLICY_FIELDS).map(([name, field]) => [name, schemaOf(field)]);
export const policySchema = objectOf(
  Object.fromEntries(schemas) as { [Name in keyof Policy]: z.ZodMiniType<Policy[Name], Policy[Name]> },
).register(NAMED, { id: "Policy" });

function schemaOf({ choices, range }: PolicyField<Policy[keyof Policy]>): z.ZodMiniType {
  const rule = `be one of ${choices.join(", ")}`;
  if (range !== undefined) return wholeNumber(...range);
  return typeof choices[0] === "boolean" ? z.boolean(rule) : z.enum(choices.map(String), rule);
}

export const policyChangesSchema = z.partial(policySchema);
export const scopedPolicyChangesSchema = z.partial(objectOf({ ...policySchema.shape, account_id: text }));

/**
 * Changes the policy of an account, which then keeps it, or the one for all.
 *
 * @throws RangeError that names the invalid field; nothing is then changed.
 */
export function changePolicy(
  account: { policy?: Policy | undefined } | null,
  shared: { policy: Policy },
  changes: unknown,
): Policy {
  const checked = parseOption("", policyChangesSchema, changes);
  const policy = withChanges(account?.policy ?? shared.policy, checked);
  (account ?? shared).policy = policy;
  return policy;
}

/** The defaults with some fields changed; with `"vary"`, a choice for every field, drawn from the seed. */
export function createPolicy(seed: number, changes: PolicyChanges | "vary" = {}): Policy {
  const random = randomStream(seed, "policy");
  const choose = (field: PolicyField<unknown>) =>
    changes === "vary" ? randomChoice(random, field.choices) : field.default;
  const chosen = Object.entries(POLICY_FIELDS).map(([name, field]) => [name, choose(field)]);
  if (changes !== "vary" && typeof changes !== "object")
    throw invalidValue("policy", 'be an object or "vary"', changes);
  const given = changes === "vary" ? {} : parseOption("policy", policyChangesSchema, changes);
  return policySchema.parse(withChanges(Object.fromEntries(chosen), given));
}

/** What is wrong with the body of a task creation, or `null`. */
export function findViolation(body: unknown, policy: Policy): RequestViolation | null {
  return findRequestViolation(body, {
    mixedFieldSets: policy.mixed_field_sets,
    nullAudioFormat: policy.null_audio_format,
    audioConversion: policy.audio_conversion !== "off",
  });
}
