import { MODELS, type Model, TASK_TYPES, type TaskType } from "../../../../src/contract/service.js";
import type { Task } from "../../../../src/contract/task.js";

/** How music of `provider_a` is described. */
export type Mode = "inspiration" | "custom" | "continuation";

/** A request while it is edited. All fields are text, under their names in `input`. */
export interface Draft {
  model: Model;
  type: TaskType;
  mode: Mode;
  format: "" | "mp3";
  /** The name of an outcome, or "". */
  outcome: string;
  fields: Readonly<Record<string, string>>;
}

export interface InputField {
  name: string;
  label: string;
  /** @defaultValue "text" */
  kind?: "text" | "long" | "number" | "flag" | "choice";
  required?: boolean;
  hint?: string | undefined;
  choices?: readonly string[];
  /** Of a number. */
  min?: number;
  step?: number;
}

function choice(name: string, label: string, choices: readonly string[], hint?: string): InputField {
  return { name, label, kind: "choice", choices, hint };
}

const instrumental: InputField = { name: "make_instrumental", label: "Instrumental", kind: "flag" };
const title: InputField = { name: "title", label: "Title" };
const negative: InputField = { name: "negative_tags", label: "Styles to avoid" };
const retired = "v5.5 and v5 are retired: they are accepted, and generate with v6.";
const version = choice("model_version", "Model version", ["", "v6", "v5.5", "v5"], retired);
const clipHint = "From a music or upload task of this account.";

/** The fields of each kind of request. */
const FIELDS: Readonly<Record<Mode | "provider_b" | Exclude<TaskType, "music">, readonly InputField[]>> = {
  inspiration: [
    { name: "gpt_description_prompt", label: "Description", kind: "long", required: true },
    negative,
    version,
    instrumental,
  ],
  custom: [
    { name: "prompt", label: "Lyrics", kind: "long", hint: "Lyrics, styles or both are required." },
    { name: "tags", label: "Styles", hint: "Separated by commas: fado, guitar." },
    title,
    negative,
    version,
    instrumental,
  ],
  continuation: [
    { name: "continue_clip_id", label: "Clip ID", required: true, hint: clipHint },
    { name: "continue_at", label: "Continue at (seconds)", kind: "number", min: 0 },
    { name: "prompt", label: "Lyrics", kind: "long" },
    title,
    version,
  ],
  provider_b: [
    { name: "prompt", label: "Style and mood", kind: "long", required: true },
    { name: "lyrics", label: "Lyrics", kind: "long" },
    { name: "tags", label: "Tags" },
    choice("lyrics_type", "Lyrics type", ["", "generate", "user", "instrumental"]),
    { name: "seed", label: "Seed", kind: "number", step: 1 },
  ],
  lyrics: [{ name: "prompt", label: "Subject", kind: "long", required: true }],
  upload: [{ name: "url", label: "Address", required: true, hint: "Public, http or https." }],
  concat: [{ name: "clip_id", label: "Clip ID", required: true }],
};

export function fieldsOf({ model, type, mode }: Draft): readonly InputField[] {
  return FIELDS[model === "provider_b" ? model : type === "music" ? mode : type];
}

/** The draft of a request that was sent before. */
export function draftOf(request: Pick<Task, "model" | "type" | "audio_format" | "input">): Partial<Draft> {
  const { audio_format: format, input } = request;
  const fields = Object.entries(input).map(([name, value]) => [
    name,
    name === instrumental.name && value === false ? "" : textOf(value),
  ]);
  const isDescribed = "gpt_description_prompt" in input;
  return {
    model: MODELS.find((model) => model === request.model) ?? "provider_a",
    type: TASK_TYPES.find((type) => type === request.type) ?? "music",
    mode: "continue_clip_id" in input ? "continuation" : isDescribed ? "inspiration" : "custom",
    format: format === "mp3" ? format : "",
    fields: Object.fromEntries(fields),
  };
}

/** A title may be any JSON value. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The request body of a draft. */
export function requestOf(draft: Draft): Record<string, unknown> {
  const { model, type, format, fields } = draft;
  const input: Record<string, unknown> = {};
  for (const { name, kind, required = false } of fieldsOf(draft)) {
    const text = fields[name] ?? "";
    if (text === "" && !required) continue;
    input[name] = kind === "number" ? Number(text) : kind === "flag" ? true : text;
  }
  return { model, task_type: type, ...(format !== "" && { audio_format: format }), input };
}

type Json = Readonly<Record<string, unknown>>;

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

/** The request as a command for a shell. */
export function curlCommand(request: Json, outcome: Json | null, service: string): string {
  const lines = [
    `curl ${service}/api/v1/task`,
    `-H "x-api-key: $ASYNC_MUSIC_API_KEY"`,
    `-H "Content-Type: application/json"`,
    ...(outcome === null ? [] : [`-H ${shellQuoted(`X-Emulator-Outcome: ${JSON.stringify(outcome)}`)}`]),
    `--data-binary ${shellQuoted(JSON.stringify(request))}`,
  ];
  return lines.join(" \\\n  ");
}

/** JSON as a literal. Names that need no quotes are easier to read without. */
export function literal(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(/^( *)"([a-z_]+)":/gm, "$1$2:");
}

function quoted(text: string): string {
  return text.includes("'") ? JSON.stringify(text) : `'${text.replaceAll("\\", "\\\\")}'`;
}

export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
