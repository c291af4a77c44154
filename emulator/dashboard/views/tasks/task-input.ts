import {
  DESCRIBED_INPUTS,
  type DescribedInput,
  type FieldText,
} from "../../../../src/contract/input-texts.js";
import { chosenMode, type FieldRule, modesOf } from "../../../../src/contract/inputs.js";
import { MODELS, type Model, TASK_TYPES, type TaskType } from "../../../../src/contract/service.js";
import type { Task } from "../../../../src/contract/task.js";
import type { TaskDetails } from "../../api.js";

/** A request while it is edited. All fields are text, under their names in `input`. */
export interface Draft {
  model: Model;
  type: TaskType;
  /** The kind of `input`, if the task has several modes. */
  mode: string;
  format: "" | "mp3";
  /** The name of an outcome, or "". */
  outcome: string;
  fields: Readonly<Record<string, string>>;
}

type Json = Readonly<Record<string, unknown>>;

export interface InputField {
  readonly name: string;
  readonly rule: FieldRule;
  readonly text: FieldText;
}

/** The kind of `input` that a draft describes. */
export function describedBy(
  { model, type, mode }: Pick<Draft, "model" | "type" | "mode">,
  inputs: readonly DescribedInput[] = DESCRIBED_INPUTS,
): DescribedInput | undefined {
  const modes = modesOf(inputs, model, type);
  return modes.find(({ kind }) => kind === mode) ?? modes[0];
}

/** The fields of a draft. */
export function fieldsOf(draft: Draft, inputs: readonly DescribedInput[] = DESCRIBED_INPUTS): InputField[] {
  const described = describedBy(draft, inputs);
  return Object.entries(described?.fields ?? {}).flatMap(([name, rule]) => {
    const text = described?.texts.fields[name];
    return text === undefined ? [] : { name, rule, text };
  });
}

/** What makes a control accept the numbers of a field; nothing for another field. */
export function numberControl({ type, minimum, maximum }: FieldRule) {
  if (type !== "number" && type !== "integer") return {};
  return {
    type: "number",
    step: type === "integer" ? 1 : "any",
    ...(minimum !== undefined && { min: minimum }),
    ...(maximum !== undefined && { max: maximum }),
  } as const;
}

/** The draft of a request that was sent before. */
export function draftOf(request: Pick<Task, "model" | "type" | "audio_format" | "input">): Partial<Draft> {
  const { audio_format: format, input } = request;
  const model = MODELS.find((each) => each === request.model) ?? "provider_a";
  const type = TASK_TYPES.find((each) => each === request.type) ?? "music";
  const mode = chosenMode(modesOf(DESCRIBED_INPUTS, model, type), input);
  const fields = Object.entries(input).map(([name, value]) => {
    const isOff = mode?.fields[name]?.type === "boolean" && value === false;
    return [name, isOff ? "" : textOf(value)];
  });
  return {
    model,
    type,
    ...(mode !== undefined && { mode: mode.kind }),
    format: format === "mp3" ? format : "",
    fields: Object.fromEntries(fields),
  };
}

/** The OpenAPI document of the control plane has only the first fields of a task, but it is the one of the API. */
export function taskOf({ task }: TaskDetails): Task<TaskType> {
  return task as unknown as Task<TaskType>;
}

/** The body of the request that created a task. */
export function bodyOf(task: Pick<Task, "model" | "type" | "audio_format" | "input">): Json {
  const { model, type, audio_format, input } = task;
  return { model, task_type: type, ...(audio_format !== null && { audio_format }), input };
}

/** A title may be any JSON value. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The request body of a draft. */
export function requestOf(draft: Draft): Json {
  const { model, type, format, fields } = draft;
  const input: Record<string, unknown> = {};
  for (const { name, rule } of fieldsOf(draft)) {
    const text = fields[name] ?? "";
    if (text === "" && rule.isRequired !== true) continue;
    const isNumber = rule.type === "number" || rule.type === "integer";
    input[name] = isNumber ? Number(text) : rule.type === "boolean" ? true : text;
  }
  return { model, task_type: type, ...(format !== "" && { audio_format: format }), input };
}

/** The request as a program with the SDK. */
export function sdkCode(request: Json, outcome: Json | null): string {
  const options =
    outcome === null
      ? ""
      : `, {\n  headers: { "X-Emulator-Outcome": ${quoted(JSON.stringify(outcome))} },\n}`;
  return `import { AsyncMusic } from "async-music";

// It reads ASYNC_MUSIC_BASE_URL and ASYNC_MUSIC_API_KEY.
const client = new AsyncMusic();
const task = await client.tasks.run(${literal(request)}${options});
console.log(task.output.result);`;
}

/** JSON as a literal. Names that need no quotes are easier to read without. */
export function literal(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(/^( *)"([a-z_]+)":/gm, "$1$2:");
}

function quoted(text: string): string {
  return text.includes("'") ? JSON.stringify(text) : `'${text.replaceAll("\\", "\\\\")}'`;
}
