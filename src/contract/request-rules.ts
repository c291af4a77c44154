import * as z from "zod/mini";
import type { ErrorCode } from "./service.js";
import { isModel, isRecord, isTaskType, type Model, TASK_TYPES_BY_MODEL, type TaskType } from "./service.js";
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
  /** `"omitted"`: an `audio_format` of `null` is as good as none. */
  nullAudioFormat: "reject" | "omitted";
  /** `false`: the service can't convert at the moment, and refuses to be asked. */
  audioConversion: boolean;
}

const STRICT_RULES: RequestRules = {
  mixedFieldSets: "reject",
  nullAudioFormat: "reject",
  audioConversion: true,
};

/** What `provider_a`'s music has to have one of. */
const MODE_FIELDS = ["prompt", "tags", "gpt_description_prompt", "continue_clip_id"];

/** The modes of `provider_a`'s music. A `title` may be any value in each of them, so that no schema has it. */
const MODES = ["inspiration", "custom", "continuation"] as const;

/** Fields by which one model's music request is told to be meant for the other (Input for `provider_b`). */
const NAMED_PROVIDER_A_FIELDS = ["gpt_description_prompt", "make_instrumental"];

/**
 * The first rule of the interface that a request body breaks, or `null`. Rules are tried in a fixed order: body shape,
 * required fields, model, task type, audio format, input.
 */
export function findRequestViolation(
  body: unknown,
  rules: RequestRules = STRICT_RULES,
): RequestViolation | null {
  if (!isRecord(body)) return violation("invalid_request_body", "", "must be a JSON object");

  const missing: RequestIssue[] = [];
  for (const path of ["model", "task_type", "input"]) {
    if (body[path] === undefined || body[path] === null)
      missing.push({ path, message: `is missing${hintAbout([path], body)}` });
  }
  if (missing.length > 0) return { errorCode: "missing_required_fields", issues: missing };

  const { model, task_type: taskType, input } = body;
  if (!isModel(model)) return violation("invalid_model", "model", "must be provider_a or provider_b");
  if (!isTaskType(taskType) || !TASK_TYPES_BY_MODEL[model].includes(taskType)) {
    const taskTypes = TASK_TYPES_BY_MODEL[model];
    const message = `must be ${taskTypes.length > 1 ? "one of " : ""}${taskTypes.join(", ")} for ${model}`;
    return violation("unsupported_task_type", "task_type", message);
  }

  return (
    findFormatViolation(body["audio_format"], rules) ?? findInputViolation(model, taskType, input, rules)
  );
}

function findFormatViolation(audioFormat: unknown, rules: RequestRules): RequestViolation | null {
  if (audioFormat === undefined || (audioFormat === null && rules.nullAudioFormat === "omitted")) return null;
  if (audioFormat !== "mp3")
    return violation("invalid_audio_format", "audio_format", "must be mp3, or be left out");
  if (rules.audioConversion) return null;
  return violation(
    "audio_format_unavailable",
    "audio_format",
    "can't be had now; leave it out for the provider's own format",
  );
}

function findInputViolation(
  model: Model,
  taskType: TaskType,
  input: unknown,
  rules: RequestRules,
): RequestViolation | null {
  if (!isRecord(input)) return violation("invalid_task_input", "input", "must be an object");

  const variant = inputVariant(model, taskType, input);
  const mixed = forbiddenFields(variant, rules)
    .filter((field) => input[field] !== undefined)
    .map((field) => ({
      path: `input.${field}`,
      message: `must be absent: it belongs to ${otherModel(model)}`,
    }));

  const parsed = inputSchemas[variant].safeParse(input);
  const invalid = (parsed.error?.issues ?? []).map(({ code, path, message }) => {
    const field = String(path[0]);
    const isMissing = code === "invalid_type" && input[field] === undefined;
    const wanted = isMissing ? [field] : code === "custom" && variant === "custom" ? MODE_FIELDS : [];
    return {
      path: ["input", ...path].join("."),
      message: `${isMissing ? "is missing" : message}${hintAbout(wanted, input)}`,
    };
  });

  const issues = [...mixed, ...invalid];
  return issues.length === 0 ? null : { errorCode: "invalid_task_input", issues };
}

/** Another spelling of a name is an extra, which nobody reads: `taskType`. */
function hintAbout(wanted: readonly string[], given: Readonly<Record<string, unknown>>): string {
  const plain = (name: string) => name.replaceAll(/[_-]/g, "").toLowerCase();
  const meant = wanted.map(plain);
  const other = Object.keys(given).find((name) => !wanted.includes(name) && meant.includes(plain(name)));
  return other === undefined ? "" : `; \`${other}\` is not read`;
}

/** Which set of input fields a request is meant for: for `provider_a`'s music its mode, chosen by presence. */
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

/** The names of all input fields that a model has for a task type, in any of its modes. */
export function inputFields(model: Model, taskType: TaskType): readonly string[] {
  const isModal = model === "provider_a" && taskType === "music";
  const variants = isModal ? MODES : [inputVariant(model, taskType, {})];
  const fields: string[] = isModal ? ["title"] : [];
  for (const variant of variants) fields.push(...Object.keys(inputSchemas[variant].shape));
  return fields;
}

function forbiddenFields(variant: InputVariant, { mixedFieldSets }: RequestRules): readonly string[] {
  const namedOnly = mixedFieldSets === "named_only";
  switch (variant) {
    case "inspiration":
    case "custom":
    case "continuation":
      return namedOnly ? [] : PROVIDER_B_FIELDS;
    case "provider_b":
      return namedOnly ? NAMED_PROVIDER_A_FIELDS : PROVIDER_A_FIELDS;
    default:
      return [];
  }
}

function otherModel(model: Model): Model {
  return model === "provider_a" ? "provider_b" : "provider_a";
}

function violation(errorCode: ErrorCode, path: string, message: string): RequestViolation {
  return { errorCode, issues: [{ path, message }] };
}

/** The modes of a music task, and the other task types: each has an input of its own. */
export type InputVariant =
  | "inspiration"
  | "custom"
  | "continuation"
  | "provider_b"
  | Exclude<TaskType, "music">;

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

const text = z.string("must be a string");
const filledText = text.check(z.regex(/\S/, "must have a character that is no white space"));
const flag = z.boolean("must be true or false");
const seconds = numberThat((value) => value >= 0, "must be a number, 0 or more");
const wholeNumber = numberThat(Number.isInteger, "must be a whole number");
const publicUrl = text.check(
  z.regex(/^https?:\/\//i, "must begin with http:// or https://"),
  z.refine(isPublicHttpUrl, "must be an address that the public internet can reach"),
);

const modelVersion = z.enum(["v6", "v5.5", "v5"], "must be v6, v5.5 or v5");
const lyricsType = z.enum(["generate", "user", "instrumental"], "must be generate, user or instrumental");

const customInput = z
  .looseObject({
    prompt: z.optional(text),
    tags: z.optional(text),
    negative_tags: z.optional(text),
    make_instrumental: z.optional(flag),
    model_version: z.optional(modelVersion),
  })
  .check(
    z.refine(({ prompt, tags }) => [prompt, tags].some((words) => words !== undefined && /\S/.test(words)), {
      error: "must have words, or `tags`, unless there is `gpt_description_prompt` or `continue_clip_id`",
      path: ["prompt"],
      when: ({ issues }) => issues.length === 0,
    }),
  );

/**
 * The known fields of each input (Resources: Task creation request). What a mode ignores is not checked, and what is
 * unknown passes.
 */
export const inputSchemas = {
  inspiration: z.looseObject({
    gpt_description_prompt: filledText,
    negative_tags: z.optional(text),
    make_instrumental: z.optional(flag),
    model_version: z.optional(modelVersion),
  }),
  custom: customInput,
  continuation: z.looseObject({
    continue_clip_id: filledText,
    continue_at: z.optional(seconds),
    prompt: z.optional(text),
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
} as const satisfies Record<InputVariant, unknown>;

/** One kind of check for all numbers: each other would be in every bundle. The description says in its own words which. */
function numberThat(fits: (value: number) => boolean, message: string) {
  return z.number(message).check(z.refine(fits, message));
}
