import { chosenMode, type FieldRule, fieldNames, INPUT_LIST, type InputRules, modesOf } from "./inputs.js";
import { type ErrorCode, isModel, isRecord, type Model, recordOf } from "./service.js";
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

/** The fields that the interface forbids by name (Input for `provider_b`); of the others it says that they must not be mixed. */
const NAMED_FORBIDDEN: Readonly<Record<Model, readonly string[]>> = {
  provider_a: [],
  provider_b: ["gpt_description_prompt", "make_instrumental"],
};

/** The fields of the other model, which no task of a model may have: those of all its task types. */
export function foreignFields(inputs: readonly InputRules[], model: Model): readonly string[] {
  return fieldNames(inputs).filter((name) => isForeign(inputs, model, name));
}

function isForeign(inputs: readonly InputRules[], model: Model, name: string): boolean {
  const readers = inputs.filter(({ fields }) => Object.hasOwn(fields, name));
  return readers.length > 0 && readers.every((each) => each.model !== model);
}

/** What is wrong with the value of a field, as the rest of a sentence; `null` if it fits. */
export function misfitOf(rule: FieldRule, value: unknown): string | null {
  const { type, choices, minimum, maximum, isRequired, isPublicUrl } = rule;
  if (type === "any" || (value === undefined && isRequired !== true)) return null;
  if (value === undefined) return "is missing";
  if (type === "boolean") return typeof value === "boolean" ? null : "must be true or false";
  if (type !== "string") {
    const isOfType = (type === "integer" ? Number.isInteger : Number.isFinite)(value);
    const number = Number(value);
    if (isOfType && number >= (minimum ?? number) && number <= (maximum ?? number)) return null;
    const least = minimum === undefined ? "" : ` of ${minimum} or more`;
    const most = maximum === undefined ? "" : `, ${maximum} or less`;
    return `must be a ${type === "integer" ? "whole " : ""}number${least}${most}`;
  }
  if (choices !== undefined)
    return choices.some((each) => each === value) ? null : `must be ${orList(choices)}`;
  if (typeof value !== "string") return "must be a string";
  if (isRequired === true && isBlank(value)) return "must not be blank";
  if (isPublicUrl !== true) return null;
  if (!/^https?:\/\//i.test(value)) return "must begin with http:// or https://";
  if (!URL.canParse(value)) return "must be a valid absolute URL";
  return isPublicHttpUrl(value) ? null : "must be a public address: local and private networks are refused";
}

function isBlank(value: unknown): boolean {
  return typeof value !== "string" || !/\S/.test(value);
}

/** `a, b or c` */
export function orList(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}

/**
 * Returns a warning about each field that is charged for and has no effect: one of the input that the mode ignores, and one
 * whose name is probably a misspelled one. No warning contains a value.
 */
export function warningsAbout(request: unknown, inputs: readonly InputRules[] = INPUT_LIST): string[] {
  const { model, task_type: taskType, input } = recordOf(request);
  if (!isModel(model) || !isRecord(input)) return [];
  const modes = modesOf(inputs, model, taskType);
  const chosen = chosenMode(modes, input);
  if (chosen === undefined) return [];
  const outside = Object.keys(recordOf(request)).flatMap((name) => misspelling("", name, REQUEST_FIELDS));
  const inside = Object.keys(input).flatMap((name) => {
    if (input[name] === null || Object.hasOwn(chosen.fields, name)) return [];
    const reader = modes.find(({ fields }) => Object.hasOwn(fields, name));
    if (reader === undefined) return misspelling("input.", name, fieldNames(modes));
    const when =
      chosen.chosenBy === undefined ? `without \`${reader.chosenBy}\`` : `with \`${chosen.chosenBy}\``;
    return [`The service ignores \`input.${name}\` ${when}.`];
  });
  return [...outside, ...inside];
}

function misspelling(path: string, name: string, known: readonly string[]): string[] {
  const meant = meantBy(name, known);
  return meant === null
    ? []
    : [`Unknown field \`${path}${name}\`, which the service ignores. Did you mean \`${meant}\`?`];
}

/** A longer field name is not a misspelled one, and may contain anything: no message contains it. */
const LONGEST_NAME = 40;

/** The known field that an unknown one probably misspells. A name such as `prompt_id` extends a known one on purpose. */
export function meantBy(name: string, known: readonly string[]): string | null {
  if (known.includes(name) || name.length > LONGEST_NAME) return null;
  const meant = nearestName(name, known);
  return meant === null || `_${name}_`.includes(`_${meant}_`) ? null : meant;
}

export const REQUEST_FIELDS: readonly string[] = ["model", "task_type", "input", "audio_format"];

/**
 * The first rule of the interface that a request body breaks, or `null`. Rules are tried in a fixed order: body shape,
 * required fields, model, task type, audio format, input.
 */
export function findRequestViolation(
  body: unknown,
  rules: RequestRules = STRICT_RULES,
  inputs: readonly InputRules[] = INPUT_LIST,
): RequestViolation | null {
  if (!isRecord(body)) return violation("invalid_request_body", "", "must be a JSON object");

  const issues = ["model", "task_type", "input"]
    .filter((path) => body[path] === undefined || body[path] === null)
    .map((path) => ({ path, message: `is missing${hintAbout([path], body, REQUEST_FIELDS)}` }));
  if (issues.length > 0) return { errorCode: "missing_required_fields", issues };

  const { model, task_type: taskType, input, audio_format: audioFormat } = body;
  if (!isModel(model)) return violation("invalid_model", "model", "must be provider_a or provider_b");
  const modes = modesOf(inputs, model, taskType);
  if (modes.length === 0) {
    const offered = inputs.flatMap((each) => (each.model === model ? each.task_type : []));
    const taskTypes = [...new Set(offered)];
    const message = `must be ${taskTypes.length > 1 ? "one of " : ""}${taskTypes.join(", ")} for ${model}`;
    return violation("unsupported_task_type", "task_type", message);
  }

  if (audioFormat !== undefined && (audioFormat !== null || rules.nullAudioFormat === "reject")) {
    if (audioFormat !== "mp3")
      return violation("invalid_audio_format", "audio_format", "must be mp3 or absent");
    const message = "is unavailable at the moment: omit it to get the provider's own format";
    if (!rules.audioConversion) return violation("audio_format_unavailable", "audio_format", message);
  }
  if (!isRecord(input)) return violation("invalid_task_input", "input", "must be an object");
  return findInputViolation(model, modes, input, rules, inputs);
}

function findInputViolation(
  model: Model,
  modes: readonly InputRules[],
  input: Readonly<Record<string, unknown>>,
  { mixedFieldSets }: RequestRules,
  inputs: readonly InputRules[],
): RequestViolation | null {
  const chosen = chosenMode(modes, input);
  if (chosen === undefined) return null;
  const other = model === "provider_a" ? "provider_b" : "provider_a";
  const isMixed = (name: string) =>
    mixedFieldSets === "reject" ? isForeign(inputs, model, name) : NAMED_FORBIDDEN[model].includes(name);
  const others = Object.keys(input).filter(
    (name) => input[name] !== undefined && !Object.hasOwn(chosen.fields, name),
  );
  const mixed = others.filter(isMixed).map((name) => ({
    path: `input.${name}`,
    message: `is a field of ${other}: remove it`,
  }));

  // Without an issue there is no hint, and no list of names is made.
  const hint = (wanted: readonly string[]) => hintAbout(wanted, input, fieldNames(modes));
  const invalid = Object.entries(chosen.fields).flatMap(([name, rule]) => {
    const misfit = misfitOf(rule, input[name]);
    if (misfit === null) return [];
    return { path: `input.${name}`, message: `${misfit}${input[name] === undefined ? hint([name]) : ""}` };
  });
  const { oneOf = [] } = chosen;
  if (invalid.length === 0 && oneOf[0] !== undefined && oneOf.every((name) => isBlank(input[name]))) {
    const wanted = [...modes.flatMap(({ chosenBy = [] }) => chosenBy), ...oneOf];
    const names = orList(wanted.map((name) => `\`${name}\``));
    invalid.push({ path: `input.${oneOf[0]}`, message: `is missing: pass one of ${names}${hint(wanted)}` });
  }

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
