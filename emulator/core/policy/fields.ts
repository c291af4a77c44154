import { TASK_ERROR_CODES } from "../../../src/contract/wire.js";
import type { Policy } from "./policy.js";

/** One choice that the interface leaves open. */
export interface PolicyField<Value> {
  readonly default: Value;
  /** What `"vary"` draws from: every answer that a real service might plausibly give. */
  readonly choices: readonly Value[];
  /** What may be set: the choices, where nothing else is said. */
  readonly allows?: { readonly rule: string; test(value: unknown): boolean };
  /** What the choice decides, in one sentence. */
  readonly decides: string;
}

/** The table of all choices. */
export type PolicyFields = { readonly [Name in keyof Policy]: PolicyField<Policy[Name]> };

const errorStatus = {
  rule: "a whole number from 400 to 599",
  test: (value: unknown) => Number.isInteger(value) && Number(value) >= 400 && Number(value) <= 599,
};

export const POLICY_FIELDS: PolicyFields = {
  invalid_audio_format_status: {
    default: 400,
    choices: [400, 415, 422],
    allows: errorStatus,
    decides: "The HTTP status of invalid_audio_format.",
  },
  audio_format_unavailable_status: {
    default: 400,
    choices: [400, 409, 422],
    allows: errorStatus,
    decides: "The HTTP status of audio_format_unavailable.",
  },
  audio_conversion: {
    default: "on",
    choices: ["on", "off", "failing"],
    decides:
      "Whether the service converts audio: it does, it refuses to be asked, or it tries and delivers the source.",
  },
  mixed_field_sets: {
    default: "reject",
    choices: ["reject", "named_only"],
    decides:
      "Whether any known field of the other model's set is invalid, or only the two that the interface names.",
  },
  null_audio_format: {
    default: "reject",
    choices: ["reject", "omitted"],
    decides: "Whether an audio_format of null is invalid or as good as none.",
  },
  rate_limit_window: {
    default: "fixed",
    choices: ["fixed", "sliding"],
    decides:
      "Whether a window begins with the key's first request and then ends, or always reaches back from now.",
  },
  running_after: {
    default: "provider",
    choices: ["provider", "first_read"],
    decides: "Whether a task is running once the provider works on it, or from its first read on.",
  },
  late_success: {
    default: "timeout",
    choices: ["timeout", "success"],
    decides: "Whether a task that finished in time and is first read after its hour has timed out.",
  },
  timeout_error_code: {
    default: "upstream_provider_error",
    choices: TASK_ERROR_CODES,
    decides: "The error_code of a task that timed out.",
  },
  timeout_retryable: {
    default: true,
    choices: [true, false],
    decides: "Whether a task that timed out says that it may be sent again.",
  },
  auto_top_up_month: {
    default: "calendar_utc",
    choices: ["calendar_utc", "rolling_30_days"],
    decides: "Whether the monthly cap of the automatic top-up counts calendar months or the last 30 days.",
  },
};
