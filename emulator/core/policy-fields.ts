import { TASK_ERROR_CODES, type TaskErrorCode } from "../../src/contract/service.js";

/**
 * Decides how the emulator behaves where the interface allows several ways. Test your application with every choice, so
 * that it depends on none of them.
 */
export interface Policy {
  /** The HTTP status of `invalid_audio_format`, 400 to 599. @defaultValue 400 */
  invalid_audio_format_status: number;
  /** The HTTP status of `audio_format_unavailable`, 400 to 599. @defaultValue 400 */
  audio_format_unavailable_status: number;
  /**
   * Whether the service converts to MP3. `"off"`: a request for MP3 is refused with `audio_format_unavailable`;
   * `"failing"`: it is accepted, and the source is delivered. @defaultValue "on"
   */
  audio_conversion: "on" | "off" | "failing";
  /**
   * Which of the other model's fields make a request invalid: every known one, or only the two that the
   * interface names, `gpt_description_prompt` and `make_instrumental`. @defaultValue "reject"
   */
  mixed_field_sets: "reject" | "named_only";
  /** Whether an `audio_format` of `null` is invalid, or the same as none. @defaultValue "reject" */
  null_audio_format: "reject" | "omitted";
  /** The rate limit window: it starts with the first request of an API key, or it is the last 60 s. @defaultValue "fixed" */
  rate_limit_window: "fixed" | "sliding";
  /** When a task becomes `running`: when the provider starts work, or at its first read. @defaultValue "provider" */
  running_after: "provider" | "first_read";
  /**
   * The status of a task that is first read when it is older than the task timeout: always `timeout`, or the provider's
   * report if it had finished in time. @defaultValue "timeout"
   */
  late_success: "timeout" | "success";
  /** The `error_code` of a task that timed out. @defaultValue "upstream_provider_error" */
  timeout_error_code: TaskErrorCode;
  /** The `retryable` of a task that timed out. @defaultValue true */
  timeout_retryable: boolean;
  /** The period of the monthly cap of automatic top-up. @defaultValue "calendar_utc" */
  auto_top_up_month: "calendar_utc" | "rolling_30_days";
}

/** Some fields of a policy. One that is `undefined` counts as omitted. */
export type PolicyChanges = { [Name in keyof Policy]?: Policy[Name] | undefined };

export interface PolicyField<Value> {
  readonly default: Value;
  /** The values from which `"vary"` draws. */
  readonly choices: readonly Value[];
  /** All whole numbers from the first to the second may be set. */
  readonly range?: readonly [number, number];
  /** What the choice decides, in one sentence. */
  readonly decides: string;
}

export type PolicyFields = { readonly [Name in keyof Policy]: PolicyField<Policy[Name]> };

export const POLICY_FIELDS: PolicyFields = {
  invalid_audio_format_status: statusField(415, "The HTTP status of invalid_audio_format."),
  audio_format_unavailable_status: statusField(409, "The HTTP status of audio_format_unavailable."),
  audio_conversion: field(
    ["on", "off", "failing"],
    "Whether the service converts audio: it does, it refuses the request, or it fails and delivers the source.",
  ),
  mixed_field_sets: field(
    ["reject", "named_only"],
    "Whether any known field of the other model's set is invalid, or only the two that the interface names.",
  ),
  null_audio_format: field(
    ["reject", "omitted"],
    "Whether an audio_format of null is invalid or the same as none.",
  ),
  rate_limit_window: field(
    ["fixed", "sliding"],
    "Whether a window begins with the first request of an API key and then ends, or always reaches back from now.",
  ),
  running_after: field(
    ["provider", "first_read"],
    "Whether a task is running once the provider works on it, or from its first read on.",
  ),
  late_success: field(
    ["timeout", "success"],
    "Whether a task that finished in time has timed out if it is first read after the task timeout.",
  ),
  timeout_error_code: {
    ...field(TASK_ERROR_CODES, "The error_code of a task that timed out."),
    default: "upstream_provider_error",
  },
  timeout_retryable: field([true, false], "Whether a task that timed out is retryable."),
  auto_top_up_month: field(
    ["calendar_utc", "rolling_30_days"],
    "Whether the monthly cap of the automatic top-up counts calendar months or the last 30 days.",
  ),
};

/** A field whose default is the first choice. */
function field<Value>(choices: readonly [Value, ...Value[]], decides: string): PolicyField<Value> {
  return { default: choices[0], choices, decides };
}

function statusField(another: number, decides: string): PolicyField<number> {
  return { ...field([400, another, 422], decides), range: [400, 599] };
}
