import * as z from "zod/mini";
import type { ErrorCode } from "./service.js";
import {
  isModel,
  isRecord,
  isTaskType,
  type Model,
  recordOf,
  TASK_TYPES_BY_MODEL,
  type TaskType,
} from "./service.js";
import { nearestName } from "./text.js";
import { isPublicHttpUrl } from "./upload-address.js";

/** What is wrong with one field of a request. */
export interface RequestIssue {
  /** Where, for example `input.prompt`; empty for the request as a whole. */
  path: string;
  /** Which rule it breaks. */
  message: string;
}

/** Why the service refuses a request: its error code, and every field that the code is about. */
export interface RequestViolation {
  errorCode: ErrorCode;
  issues: RequestIssue[];
}

/** What the interface leaves open about requests; the defaults are its strictest reading. */
export interface RequestRules {
  /** `"named_only"`: of the other model's fields only the two that the interface names are forbidden. */
  mixedFieldSets: "reject" | "named_only";
  /** `"omitted"`: an `audio_format` of `null` counts as absent. */
  nullAudioFormat: "reject" | "omitted";
  /** `false`: the service refuses every `audio_format`, since it cannot convert at the moment. */
  audioConversion: boolean;
}

const STRICT_RULES: RequestRules = {
  mixedFieldSets: "reject",
  nullAudioFormat: "reject",
  audioConversion: true,
};

/** Fields that only `provider_b`'s music has; `provider_a`'s music must not have them. */
export const PROVIDER_B_FIELDS = ["lyrics", "lyrics_type", "seed"] as const;

/** Fields that only `provider_a` has, its other task types included; `provider_b` must not have them. */
export const PROVIDER_A_FIELDS = [
  "gpt_description_prompt",
  "make_instrumental",
  "negative_tags",
  "title",
  "model_version",
  "continue_clip_id",
  "continue_at",
  "url",
  "clip_id",
] as const;

/** The fields of the other model that a music request must not have. The interface names two of them (Input for `provider_b`). */
const FORBIDDEN_FIELDS: Record<Model, Record<RequestRules["mixedFieldSets"], readonly string[]>> = {
  provider_a: { reject: PROVIDER_B_FIELDS, named_only: [] },
  provider_b: { reject: PROVIDER_A_FIELDS, named_only: ["gpt_description_prompt", "make_instrumental"] },
};

/** The fields that choose the mode of `provider_a`'s music: it needs one of them. */
const MODE_FIELDS = ["prompt", "tags", "gpt_description_prompt", "continue_clip_id"];

const text = z.string("must be a string");
const filledText = text.check(z.regex(/\S/, "must not be blank"));
const anything = z.optional(z.unknown());
const flag = z.boolean("must be true or false");
const seconds = numberThat((value) => value >= 0, "must be a number of 0 or more");
const wholeNumber = numberThat(Number.isInteger, "must be a whole number");
const publicUrl = text.check(
  z.regex(/^https?:\/\//i, "must begin with http:// or https://"),
  z.refine(isPublicHttpUrl, "must be a public address: local and private networks are refused"),
);

/** Checks with `refine`, since each of zod's own checks would add to every bundle. */
function numberThat(fits: (value: number) => boolean, message: string) {
  return z.number(message).check(z.refine(fits, message));
}

const modelVersion = z.enum(["v6", "v5.5", "v5"], "must be v6, v5.5 or v5");
const lyricsType = z.enum(["generate", "user", "instrumental"], "must be generate, user or instrumental");

const customInput = z.looseObject({
  prompt: z.optional(text),
  tags: z.optional(text),
  negative_tags: z.optional(text),
  title: anything,
  make_instrumental: z.optional(flag),
  model_version: z.optional(modelVersion),
});

const hasWords = z.refine<z.output<typeof customInput>>(
  ({ prompt = "", tags = "" }) => /\S/.test(prompt + tags),
  {
    error: "is missing: pass one of `gpt_description_prompt`, `prompt`, `tags` or `continue_clip_id`",
    path: ["prompt"],
    when: ({ issues }) => issues.length === 0,
  },
);

/**
 * The fields that the service reads, by mode of a music task and by other task type (Resources: Task creation request). What a
 * mode does not read is not checked: fields of the other modes, which have no effect, and unknown ones.
 */
export const inputSchemas = {
  inspiration: z.looseObject({
    gpt_description_prompt: filledText,
    negative_tags: z.optional(text),
    make_instrumental: z.optional(flag),
    model_version: z.optional(modelVersion),
  }),
  custom: customInput.check(hasWords),
  continuation: z.looseObject({
    continue_clip_id: filledText,
    continue_at: z.optional(seconds),
    prompt: z.optional(text),
    title: anything,
    model_version: z.optional(modelVersion),
  }),
  provider_b: z.looseObject({
    prompt: filledText,
    lyrics: z.optional(text),
    tags: z.optional(text),
    lyrics_type: z.optional(lyricsType),
    seed: z.optional(wholeNumber),
  }),
  lyrics: z.looseObject({ prompt: filledText }),
  upload: z.looseObject({ url: publicUrl }),
  concat: z.looseObject({ clip_id: filledText }),
} as const;

/** The modes of a music task, and the other task types: each has its own input. */
export type InputVariant = keyof typeof inputSchemas;

/** The input that a request has: of `provider_a`'s music, the fields that are present choose the mode. */
export function inputVariant(
  model: Model,
  taskType: TaskType,
  input: Readonly<Record<string, unknown>>,
): InputVariant {
  if (taskType !== "music") return taskType;
  if (model === "provider_b") return "provider_b";
  if (input["continue_clip_id"] !== undefined) return "continuation";
  if (input["gpt_description_prompt"] !== undefined) return "inspiration";
  return "custom";
}

/** The modes of `provider_a`'s music, each with the field that decides about it. */
const MODES: Readonly<Partial<Record<InputVariant, string>>> = {
  inspiration: "with `gpt_description_prompt`",
  custom: "without `continue_clip_id`",
  continuation: "with `continue_clip_id`",
};

function fieldsOf(variant: InputVariant): readonly string[] {
  return Object.keys(inputSchemas[variant].shape);
}

/** The names of all input fields that a model has for a task type, in any of its modes. */
function inputFields(variant: InputVariant): readonly string[] {
  return (variant in MODES ? (Object.keys(MODES) as InputVariant[]) : [variant]).flatMap(fieldsOf);
}

/**
 * Returns a warning about each field of the input that is charged for and has no effect: one that the mode ignores, and one
 * whose name is probably a misspelled one. No warning contains a value.
 */
export function warningsAbout(request: unknown): string[] {
  const { model, task_type: taskType, input } = recordOf(request);
  if (!isModel(model) || !isTaskType(taskType) || !isRecord(input)) return [];
  const variant = inputVariant(model, taskType, input);
  const known = inputFields(variant);
  return Object.keys(input).flatMap((name) => {
    if (input[name] === null || fieldsOf(variant).includes(name)) return [];
    if (known.includes(name)) return [`The service ignores \`input.${name}\` ${MODES[variant]}.`];
    const meant = meantBy(name, known);
    if (meant === null) return [];
    return [`Unknown field \`input.${name}\`, which the service ignores. Did you mean \`${meant}\`?`];
  });
}

/** A longer field name is not a misspelled one, and may contain anything: no message contains it. */
const LONGEST_NAME = 40;

/** The known field that an unknown one probably misspells. A name such as `prompt_id` extends a known one on purpose. */
function meantBy(name: string, known: readonly string[]): string | null {
  if (known.includes(name) || name.length > LONGEST_NAME) return null;
  const meant = nearestName(name, known);
  return meant === null || `_${name}_`.includes(`_${meant}_`) ? null : meant;
}

const REQUEST_FIELDS = ["model", "task_type", "input", "audio_format"];

/**
 * The first rule of the interface that a request body breaks, or `null`. Rules are tried in a fixed order: body shape,
 * required fields, model, task type, audio format, input.
 */
export function findRequestViolation(
  body: unknown,
  rules: RequestRules = STRICT_RULES,
): RequestViolation | null {
  if (!isRecord(body)) return violation("invalid_request_body", "", "must be a JSON object");

  const issues = ["model", "task_type", "input"]
    .filter((path) => body[path] === undefined || body[path] === null)
    .map((path) => ({ path, message: `is missing${hintAbout([path], body, REQUEST_FIELDS)}` }));
  if (issues.length > 0) return { errorCode: "missing_required_fields", issues };

  const { model, task_type: taskType, input, audio_format: audioFormat } = body;
  if (!isModel(model)) return violation("invalid_model", "model", "must be provider_a or provider_b");
  const taskTypes = TASK_TYPES_BY_MODEL[model];
  if (!isTaskType(taskType) || !taskTypes.includes(taskType)) {
    const message = `must be ${taskTypes.length > 1 ? "one of " : ""}${taskTypes.join(", ")} for ${model}`;
    return violation("unsupported_task_type", "task_type", message);
  }

  if (audioFormat !== undefined && (audioFormat !== null || rules.nullAudioFormat === "reject")) {
    if (audioFormat !== "mp3")
      return violation("invalid_audio_format", "audio_format", "must be mp3 or absent");
    const message = "is unavailable at the moment: omit it to get the provider's own format";
    if (!rules.audioConversion) return violation("audio_format_unavailable", "audio_format", message);
  }
  return findInputViolation(model, taskType, input, rules);
}

function findInputViolation(
  model: Model,
  taskType: TaskType,
  input: unknown,
  rules: RequestRules,
): RequestViolation | null {
  if (!isRecord(input)) return violation("invalid_task_input", "input", "must be an object");

  const other = model === "provider_a" ? "provider_b" : "provider_a";
  const forbidden = taskType === "music" ? FORBIDDEN_FIELDS[model][rules.mixedFieldSets] : [];
  const mixed = forbidden
    .filter((field) => input[field] !== undefined)
    .map((field) => ({ path: `input.${field}`, message: `is a field of ${other}: remove it` }));

  const variant = inputVariant(model, taskType, input);
  const parsed = inputSchemas[variant].safeParse(input);
  const invalid = (parsed.error?.issues ?? []).map(({ code, path, message }) => {
    const field = String(path[0]);
    const isMissing = code === "invalid_type" && input[field] === undefined;
    const wanted = isMissing ? [field] : code === "custom" && variant === "custom" ? MODE_FIELDS : [];
    return {
      path: ["input", ...path].join("."),
      message: `${isMissing ? "is missing" : message}${hintAbout(wanted, input, inputFields(variant))}`,
    };
  });

  const issues = [...mixed, ...invalid];
  return issues.length === 0 ? null : { errorCode: "invalid_task_input", issues };
}

/** Names an unknown field that is probably a misspelled wanted one, such as `taskType`. */
function hintAbout(
  wanted: readonly string[],
  given: Readonly<Record<string, unknown>>,
  known: readonly string[],
): string {
  for (const name of Object.keys(given)) {
    const meant = meantBy(name, known);
    if (meant !== null && wanted.includes(meant))
      return `; \`${name}\` is an unknown field: did you mean \`${meant}\`?`;
  }
  return "";
}

function violation(errorCode: ErrorCode, path: string, message: string): RequestViolation {
  return { errorCode, issues: [{ path, message }] };
}
