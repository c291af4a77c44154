import { TASK_ERROR_CODES, type TaskErrorCode } from "../../src/contract/service.js";

/**
 * What the interface leaves open. Each field is one choice; an application that passes under every choice does not
 * depend on what nobody promised.
 */
export interface Policy {
  /** The HTTP status of `invalid_audio_format`, 400 to 599. @defaultValue 400 */
  invalid_audio_format_status: number;
  /** The HTTP status of `audio_format_unavailable`, 400 to 599. @defaultValue 400 */
  audio_format_unavailable_status: number;
  /**
   * Whether the service converts to MP3. `"off"`: asking for it is refused with `audio_format_unavailable`;
   * `"failing"`: it is accepted, and the source is delivered. @defaultValue "on"
   */
  audio_conversion: "on" | "off" | "failing";
  /**
   * Which of the other model's fields make a music request invalid: every known one, or only the two that the
   * interface names, `gpt_description_prompt` and `make_instrumental`. @defaultValue "reject"
   */
  mixed_field_sets: "reject" | "named_only";
  /** What an `audio_format` of `null` is: invalid, or as good as none. @defaultValue "reject" */
  null_audio_format: "reject" | "omitted";
  /** How requests are counted: in windows that begin with a key's first request, or over the last 60 s. @defaultValue "fixed" */
  rate_limit_window: "fixed" | "sliding";
  /** When a task is `running`: once the provider works on it, or from its first read on. @defaultValue "provider" */
  running_after: "provider" | "first_read";
  /**
   * What becomes of a task that is first read when it is older than an hour: always `timeout`, or what the provider
   * reports if it had finished in time. @defaultValue "timeout"
   */
  late_success: "timeout" | "success";
  /** The `error_code` of a task that timed out. @defaultValue "upstream_provider_error" */
  timeout_error_code: TaskErrorCode;
  /** The `retryable` of a task that timed out. @defaultValue true */
  timeout_retryable: boolean;
  /** What a month is to the monthly cap of the automatic top-up. @defaultValue "calendar_utc" */
  auto_top_up_month: "calendar_utc" | "rolling_30_days";
}

/** One choice that the interface leaves open. */
export interface PolicyField<Value> {
  readonly default: Value;
  /** What `"vary"` draws from: every answer that a real service might plausibly give. */
  readonly choices: readonly Value[];
  /** Whole numbers that may be set too: the least and the most. */
  readonly range?: readonly [number, number];
  /** What the choice decides, in one sentence. */
  readonly decides: string;
}

/** The table of all choices. */
export type PolicyFields = { readonly [Name in keyof Policy]: PolicyField<Policy[Name]> };

export const POLICY_FIELDS: PolicyFields = {
  invalid_audio_format_status: {
    default: 400,
    choices: [400, 415, 422],
    range: [400, 599],
    decides: "The HTTP status of invalid_audio_format.",
  },
  audio_format_unavailable_status: {
    default: 400,
    choices: [400, 409, 422],
    range: [400, 599],
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
