import type { TaskType } from "../../../../src/contract/service.js";
import type { Draft } from "./draft.js";

/** One field of an input, as it is asked for and as it is sent. */
export interface InputField {
  name: string;
  label: string;
  kind: "text" | "long" | "number" | "flag" | "choice";
  required?: boolean;
  hint?: string;
  choices?: readonly string[];
}

const instrumental: InputField = { name: "make_instrumental", label: "Instrumental", kind: "flag" };
const title: InputField = { name: "title", label: "Title", kind: "text" };
const negative: InputField = { name: "negative_tags", label: "Styles to avoid", kind: "text" };
const version: InputField = {
  name: "model_version",
  label: "Model version",
  kind: "choice",
  choices: ["", "v6", "v5.5", "v5"],
  hint: "v5.5 and v5 are retired, still accepted, and generate with v6.",
};

/** Of `provider_a`'s music. */
const MODES: Readonly<Record<Draft["mode"], readonly InputField[]>> = {
  inspiration: [
    { name: "gpt_description_prompt", label: "Description", kind: "long", required: true },
    negative,
    version,
    instrumental,
  ],
  custom: [
    { name: "prompt", label: "Lyrics", kind: "long", hint: "Lyrics or styles, one of them at least." },
    { name: "tags", label: "Styles", kind: "text", hint: "With commas between: fado, guitar." },
    title,
    negative,
    version,
    instrumental,
  ],
  continuation: [
    {
      name: "continue_clip_id",
      label: "Clip id",
      kind: "text",
      required: true,
      hint: "From a music or an upload task of this account.",
    },
    { name: "continue_at", label: "Continue at (seconds)", kind: "number" },
    { name: "prompt", label: "Lyrics", kind: "long" },
    title,
    version,
  ],
};

const PROVIDER_B: readonly InputField[] = [
  { name: "prompt", label: "Style and mood", kind: "long", required: true },
  { name: "lyrics", label: "Lyrics", kind: "long" },
  { name: "tags", label: "Tags", kind: "text" },
  {
    name: "lyrics_type",
    label: "Lyrics type",
    kind: "choice",
    choices: ["", "generate", "user", "instrumental"],
  },
  { name: "seed", label: "Seed", kind: "number" },
];

const OTHER_TASKS: Readonly<Record<Exclude<TaskType, "music">, readonly InputField[]>> = {
  lyrics: [{ name: "prompt", label: "What about", kind: "long", required: true }],
  upload: [
    {
      name: "url",
      label: "Address",
      kind: "text",
      required: true,
      hint: "Publicly accessible, http or https.",
    },
  ],
  concat: [{ name: "clip_id", label: "Clip id", kind: "text", required: true }],
};

/** The fields that go with what was chosen so far. */
export function fieldsOf({ model, type, mode }: Draft): readonly InputField[] {
  if (model === "provider_b") return PROVIDER_B;
  return type === "music" ? MODES[mode] : OTHER_TASKS[type];
}

/** The body of the request that a draft stands for. */
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
