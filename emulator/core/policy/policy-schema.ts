import * as z from "zod/mini";
import { TASK_ERROR_CODES } from "../../../src/contract/wire.js";
import { wholeNumber } from "../options/numbers.js";
import { objectOf } from "../options/object-of.js";
import { oneOf } from "../options/one-of.js";
import type { Policy } from "./policy.js";

const errorStatus = wholeNumber(400, 599);

/** A whole policy, as it stands in a snapshot and travels to the control plane. */
export const policySchema = objectOf({
  invalid_audio_format_status: errorStatus,
  audio_format_unavailable_status: errorStatus,
  audio_conversion: oneOf("on", "off", "failing"),
  mixed_field_sets: oneOf("reject", "named_only"),
  null_audio_format: oneOf("reject", "omitted"),
  rate_limit_window: oneOf("fixed", "sliding"),
  running_after: oneOf("provider", "first_read"),
  late_success: oneOf("timeout", "success"),
  timeout_error_code: oneOf(...TASK_ERROR_CODES),
  timeout_retryable: z.boolean("be true or false"),
  auto_top_up_month: oneOf("calendar_utc", "rolling_30_days"),
});

/** Some fields of a policy. JSON has no `undefined`: what is there is a value, which the schema's own type does not say. */
export const policyChangesSchema = z.partial(policySchema) as unknown as z.ZodMiniType<Partial<Policy>>;
