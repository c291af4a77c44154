import type { Policy } from "../../emulator/index.js";
import { TASK_ERROR_CODES } from "../../src/contract/service.js";
import type { ObservedFields, Value } from "./fields.js";
import type { Survey } from "./survey.js";
import { SHOWS } from "./tests.js";

/** What a survey shows about one policy field. */
export interface ShownPolicy {
  readonly field: keyof Policy;
  /** `null` if the survey does not show it. */
  readonly value: Policy[keyof Policy] | null;
  /** The test that shows it, or why none does. */
  readonly by: string;
}

interface PolicyRule {
  /** The test that shows the field; absent if none does. */
  readonly test?: string;
  read?(survey: Survey): Value | undefined;
  /** Why a survey may not show the field. */
  readonly otherwise: string;
}

const NO_TIMEOUT = "No task ran for an hour. The check does not wait for one.";

const POLICY_RULES: { readonly [Field in keyof Policy]: PolicyRule } = {
  invalid_audio_format_status: {
    test: SHOWS.invalidFormat,
    read: (survey) => statusWithCode(responseTo(survey, SHOWS.invalidFormat), "invalid_audio_format"),
    otherwise: "The service did not respond with `invalid_audio_format`.",
  },
  audio_format_unavailable_status: {
    test: SHOWS.mp3,
    read: (survey) => statusWithCode(responseTo(survey, SHOWS.mp3), "audio_format_unavailable"),
    otherwise: "Only a service whose conversion is off responds with `audio_format_unavailable`.",
  },
  audio_conversion: {
    test: SHOWS.mp3,
    read(survey) {
      if (responseTo(survey, SHOWS.mp3)["error_code"] === "audio_format_unavailable") return "off";
      const type = survey.observations.get(SHOWS.mp3)?.["audio"]?.["Content-Type header"];
      return { "audio/mpeg": "on", "the source's": "failing" }[String(type)];
    },
    otherwise: "The song that requests MP3 has no audio.",
  },
  mixed_field_sets: {
    test: SHOWS.mixedFields,
    read: (survey) =>
      choiceOf(responseTo(survey, SHOWS.mixedFields), {
        invalid_task_input: "reject",
        accepted: "named_only",
      }),
    otherwise: "The service neither accepted the request nor responded with `invalid_task_input`.",
  },
  null_audio_format: {
    test: SHOWS.nullFormat,
    read: (survey) =>
      choiceOf(responseTo(survey, SHOWS.nullFormat), { invalid_audio_format: "reject", accepted: "omitted" }),
    otherwise: "The service neither accepted the request nor responded with `invalid_audio_format`.",
  },
  rate_limit_window: {
    test: SHOWS.window,
    read(survey) {
      const fields = survey.observations.get(SHOWS.window)?.["window"];
      if (fields?.["change after three more"] !== -3) return undefined;
      return new Map<Value | undefined, Value>([
        [0, "fixed"],
        [-3, "sliding"],
      ]).get(fields["change after 65 s"]);
    },
    otherwise: "The remaining requests follow neither kind of window. Another program may use the key.",
  },
  running_after: {
    test: "the first read of each task",
    read({ observations, firstStatuses }) {
      const wasPending = [...observations.values()].some((parts) => "read while pending" in parts);
      if (wasPending) return "provider";
      const areRunning = firstStatuses.length > 0 && firstStatuses.every((status) => status === "running");
      return areRunning ? "first_read" : undefined;
    },
    otherwise: "It needs a task that is pending at its first read, or that all tasks are running at theirs.",
  },
  timeout_error_code: {
    test: "a task that timed out",
    read: (survey) => timeoutOf(survey)["data.error_code"],
    otherwise: NO_TIMEOUT,
  },
  timeout_retryable: {
    test: "a task that timed out",
    read: (survey) => timeoutOf(survey)["data.retryable"],
    otherwise: NO_TIMEOUT,
  },
  late_success: { otherwise: "It needs a task that is not read for an hour." },
  auto_top_up_month: { otherwise: "The API does not show top-ups, which charge a card." },
};

/** What a survey shows about each policy field of the emulator. */
export function policyShown(survey: Survey): ShownPolicy[] {
  return keysOf(POLICY_RULES).map((field) => {
    const { test = "none", read, otherwise } = POLICY_RULES[field];
    const value = read?.(survey);
    const left = [...survey.skipped, ...survey.incomplete].some((each) => each.test === test);
    const why = left ? `The test "${test}" has no result.` : otherwise;
    return isAllowed(field, value) ? { field, value, by: test } : { field, value: null, by: why };
  });
}

function keysOf<Table extends object>(table: Table): Extract<keyof Table, string>[] {
  const keys: Extract<keyof Table, string>[] = [];
  for (const key in table) keys.push(key);
  return keys;
}

/** The shown fields, for the option `policy` of an emulator. */
export function knownPolicy(shown: readonly ShownPolicy[]): Partial<Policy> {
  return Object.fromEntries(shown.flatMap(({ field, value }) => (value === null ? [] : [[field, value]])));
}

/** Whether the emulator accepts a value that came from the service. */
function isAllowed(field: keyof Policy, value: Value | undefined): value is Policy[keyof Policy] {
  if (value === undefined || value === null) return false;
  if (field.endsWith("_status")) return Number(value) >= 400 && Number(value) <= 599;
  if (field === "timeout_error_code") return TASK_ERROR_CODES.some((code) => code === value);
  return field !== "timeout_retryable" || typeof value === "boolean";
}

function responseTo({ observations }: Survey, test: string): ObservedFields {
  return observations.get(test)?.["response"] ?? {};
}

function statusWithCode(response: ObservedFields, errorCode: string): Value | undefined {
  return response["error_code"] === errorCode ? response["status"] : undefined;
}

function choiceOf(response: ObservedFields, choices: { accepted: string; [errorCode: string]: string }) {
  return response["status"] === 202 ? choices.accepted : choices[String(response["error_code"])];
}

function timeoutOf({ observations }: Survey): ObservedFields {
  const timedOut = [...observations.values()].find((parts) => "read while timeout" in parts);
  return timedOut?.["read while timeout"] ?? {};
}
