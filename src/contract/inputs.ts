import type { Model, TaskType } from "./service.js";

/** What a field of `input` accepts. */
export interface FieldRule {
  /** The type in JSON; an `"integer"` is a number without a fraction. */
  readonly type: "string" | "number" | "integer" | "boolean" | "any";
  /** A required text must not be blank. */
  readonly isRequired?: true;
  readonly choices?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  /** Whether the service must be able to fetch from the text: see `isPublicHttpUrl`. */
  readonly isPublicUrl?: true;
  /** The types of task whose clips the text may name. */
  readonly clipOf?: readonly TaskType[];
}

/** One kind of `input`: a mode of `provider_a`'s music, the music of `provider_b`, or another type of task. */
export interface InputRules {
  readonly model: Model;
  readonly task_type: TaskType;
  /** The price of a task, in credits. */
  readonly credits: number;
  /** Of a mode: the field that chooses it. The mode without one is chosen if no other is. */
  readonly chosenBy?: string;
  /** The fields that the service reads. */
  readonly fields: Readonly<Record<string, FieldRule>>;
  /** Fields that this mode accepts and does not read: they have no effect. */
  readonly ignored?: readonly string[];
  /** One of these texts must not be blank. */
  readonly oneOf?: readonly string[];
}

const text = { type: "string" } as const;
const requiredText = { type: "string", isRequired: true } as const;
const flag = { type: "boolean" } as const;
const anything = { type: "any" } as const;
const modelVersion = { type: "string", choices: ["v6", "v5.5", "v5"] } as const;

const PROVIDER_A_MUSIC = { model: "provider_a", task_type: "music", credits: 10 } as const;

/**
 * Every kind of `input`, with its fields (Resources: Task creation request), in the order in which people see them. Of two
 * modes whose choosing fields are present, the later one is chosen.
 */
export const INPUTS = {
  inspiration: {
    ...PROVIDER_A_MUSIC,
    chosenBy: "gpt_description_prompt",
    fields: {
      gpt_description_prompt: requiredText,
      negative_tags: text,
      make_instrumental: flag,
      model_version: modelVersion,
    },
    ignored: ["prompt", "tags", "title"],
  },
  custom: {
    ...PROVIDER_A_MUSIC,
    fields: {
      prompt: text,
      tags: text,
      negative_tags: text,
      title: anything,
      make_instrumental: flag,
      model_version: modelVersion,
    },
    oneOf: ["prompt", "tags"],
  },
  continuation: {
    ...PROVIDER_A_MUSIC,
    chosenBy: "continue_clip_id",
    fields: {
      continue_clip_id: { type: "string", isRequired: true, clipOf: ["music", "upload"] },
      continue_at: { type: "number", minimum: 0 },
      prompt: text,
      title: anything,
      model_version: modelVersion,
    },
    ignored: ["gpt_description_prompt", "tags", "negative_tags", "make_instrumental"],
  },
  provider_b: {
    model: "provider_b",
    task_type: "music",
    credits: 5,
    fields: {
      prompt: requiredText,
      lyrics: text,
      tags: text,
      lyrics_type: { type: "string", choices: ["generate", "user", "instrumental"] },
      seed: { type: "integer" },
    },
  },
  lyrics: { model: "provider_a", task_type: "lyrics", credits: 5, fields: { prompt: requiredText } },
  upload: {
    model: "provider_a",
    task_type: "upload",
    credits: 1,
    fields: { url: { type: "string", isRequired: true, isPublicUrl: true } },
  },
  concat: {
    model: "provider_a",
    task_type: "concat",
    credits: 5,
    fields: { clip_id: { type: "string", isRequired: true, clipOf: ["music"] } },
  },
} as const satisfies Readonly<Record<string, InputRules>>;

export type InputKind = keyof typeof INPUTS;

/** All of them. */
export const KINDS = /* @__PURE__ */ Object.keys(INPUTS) as InputKind[];

export const INPUT_LIST: readonly InputRules[] = /* @__PURE__ */ Object.values(INPUTS);

/** The names of all fields, each once. */
export function fieldNames(inputs: readonly InputRules[]): string[] {
  return [...new Set(inputs.flatMap(({ fields }) => Object.keys(fields)))];
}

/** The kinds of `input` that a model has for a task type: the modes of `provider_a`'s music, otherwise one or none. */
export function modesOf<Input extends InputRules>(
  inputs: readonly Input[],
  model: unknown,
  taskType: unknown,
): Input[] {
  return inputs.filter((each) => each.model === model && each.task_type === taskType);
}

/** The one of these modes that the fields of an `input` choose. */
export function chosenMode<Input extends InputRules>(
  modes: readonly Input[],
  input: Readonly<Record<string, unknown>>,
): Input | undefined {
  const isChosen = ({ chosenBy }: InputRules) => chosenBy !== undefined && input[chosenBy] !== undefined;
  return modes.findLast(isChosen) ?? modes.find(({ chosenBy }) => chosenBy === undefined);
}

/** The kind of the `input` of a valid request. */
export function inputKind(
  model: Model,
  taskType: TaskType,
  input: Readonly<Record<string, unknown>>,
): InputKind {
  const chosen = chosenMode(modesOf(INPUT_LIST, model, taskType), input);
  const kind = KINDS.find((each) => INPUTS[each] === chosen);
  if (kind === undefined) throw new RangeError(`${model} does not offer ${taskType}`);
  return kind;
}
