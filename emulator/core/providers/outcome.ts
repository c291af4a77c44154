import * as z from "zod/mini";
import { TASK_ERROR_CODES, type TaskErrorCode } from "../../../src/contract/wire.js";
import { AUDIO_FORMATS, type AudioFormat } from "../../audio/formats/formats.js";
import { numberBetween, wholeNumber } from "../options/numbers.js";
import { objectOf } from "../options/object-of.js";
import { parseOption } from "../options/parse-option.js";

/** What a provider is told to do with a task. What is left out happens as it would have by itself. */
export interface Outcome {
  /**
   * How the task ends. `"hang"`: never; `"reject"`: the provider refuses it at submission, so that the POST answers 502
   * and leaves neither task nor frozen credits. @defaultValue "success"
   */
  outcome?: "success" | "failure" | "hang" | "reject" | undefined;
  /** How long the provider lets it wait, in seconds of service time. 0 where only `process_seconds` is given. */
  queue_seconds?: number | undefined;
  /** How long the provider then works on it, in seconds of service time. */
  process_seconds?: number | undefined;
  /** The task ends at this read of it, counted from 1, and not by time. */
  polls?: number | undefined;
  /** How many clips it makes, 0 to 20. */
  clips?: number | undefined;
  /** The provider's own format, whatever it makes by itself. @defaultValue "wav" by `provider_a`, "mp3" by `provider_b` */
  format?: AudioFormat | undefined;
  /** Whether the service can store the audio; if not, `audio_url` points at the provider's own origin. @defaultValue true */
  storable?: boolean | undefined;
  /** URLs that each clip carries as `alternate_urls`. */
  alternate_urls?: readonly string[] | undefined;
  /** Of a failure: the reason, as prose. */
  error?: string | undefined;
  /** Of a failure. @defaultValue "upstream_provider_error" */
  error_code?: TaskErrorCode | undefined;
  /** Of a failure. @defaultValue `false` for `content_moderation` and `invalid_task_input`, else `true` */
  retryable?: boolean | undefined;
  /** Of a failure: the wait that the provider states, in whole seconds. @defaultValue null */
  retry_after_seconds?: number | null | undefined;
}

const MOST_SECONDS = 1e9;

/** Bounds of what an outcome can ask for, and so of what a plan can hold. */
export const LONGEST_PLAN_MS = MOST_SECONDS * 1000;
export const MOST_POLLS = 1e9;
export const MOST_CLIPS = 20;

const seconds = numberBetween(0, MOST_SECONDS);
const formats = Object.keys(AUDIO_FORMATS).filter(isAudioFormat);

/** @internal */
export const outcomeSchema = objectOf({
  outcome: z.optional(
    z.enum(["success", "failure", "hang", "reject"], "be success, failure, hang or reject"),
  ),
  queue_seconds: z.optional(seconds),
  process_seconds: z.optional(seconds),
  polls: z.optional(wholeNumber(1, MOST_POLLS)),
  clips: z.optional(wholeNumber(0, MOST_CLIPS)),
  format: z.optional(z.enum(formats, `be one of ${formats.join(", ")}`)),
  storable: z.optional(z.boolean("be true or false")),
  alternate_urls: z.optional(z.array(z.string("be a string"), "be a list of URLs")),
  error: z.optional(z.string("be a string")),
  error_code: z.optional(z.enum(TASK_ERROR_CODES, `be one of ${TASK_ERROR_CODES.join(", ")}`)),
  retryable: z.optional(z.boolean("be true or false")),
  retry_after_seconds: z.optional(z.nullable(wholeNumber(0, 1e9))),
});

/**
 * An outcome that a caller asked for.
 *
 * @throws RangeError that names the field that is wrong.
 */
export function parseOutcome(value: unknown): Outcome {
  return parseOption("outcome", outcomeSchema, value);
}

function isAudioFormat(name: string): name is AudioFormat {
  return name in AUDIO_FORMATS;
}
