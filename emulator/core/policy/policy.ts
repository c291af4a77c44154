import type { TaskErrorCode } from "../../../src/contract/wire.js";

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
