import type { Model, TaskType } from "../../src/contract/models.js";
import { priceOf } from "../../src/contract/models.js";
import {
  type InputVariant,
  inputSchemas,
  PROVIDER_A_FIELDS,
  PROVIDER_B_FIELDS,
} from "../../src/contract/request-rules.js";
import { IGNORED, INPUT_FIELDS } from "./input-fields.js";
import { type Details, fromContract, reference, type Schema } from "./schema.js";

/** One kind of request. */
interface Variant {
  readonly input: InputVariant;
  readonly model: Model;
  readonly taskType: TaskType;
  readonly description: string;
  /** Fields that must be absent from the input. */
  readonly forbidden: readonly string[];
}

const VARIANTS: Readonly<Record<string, Variant>> = {
  InspirationMusicRequest: {
    input: "inspiration",
    model: "provider_a",
    taskType: "music",
    description: "A song from a description.",
    forbidden: [...PROVIDER_B_FIELDS, "continue_clip_id"],
  },
  CustomMusicRequest: {
    input: "custom",
    model: "provider_a",
    taskType: "music",
    description: "A song from lyrics, styles or both.",
    forbidden: [...PROVIDER_B_FIELDS, "gpt_description_prompt", "continue_clip_id"],
  },
  ContinuationMusicRequest: {
    input: "continuation",
    model: "provider_a",
    taskType: "music",
    description: "More of an earlier clip.",
    forbidden: PROVIDER_B_FIELDS,
  },
  ProviderBMusicRequest: {
    input: "provider_b",
    model: "provider_b",
    taskType: "music",
    description: "A song by the other provider.",
    forbidden: PROVIDER_A_FIELDS,
  },
  LyricsRequest: {
    input: "lyrics",
    model: "provider_a",
    taskType: "lyrics",
    description: "Lyrics from a description.",
    forbidden: [],
  },
  UploadRequest: {
    input: "upload",
    model: "provider_a",
    taskType: "upload",
    description: "A clip from audio at a public address.",
    forbidden: [],
  },
  ConcatRequest: {
    input: "concat",
    model: "provider_a",
    taskType: "concat",
    description: "The whole song that a continued clip is the end of.",
    forbidden: [],
  },
};

/** The schemas of everything that can be asked for. */
export function requestSchemas(): Record<string, Schema> {
  const variants = Object.entries(VARIANTS).map(([name, variant]) => [name, requestSchema(variant)] as const);
  return {
    TaskRequest: {
      description:
        "What is to be made: exactly one of these. Fields that none of them names are let through.",
      oneOf: Object.keys(VARIANTS).map((name) => reference("schemas", name)),
    },
    ...Object.fromEntries(variants),
  };
}

function requestSchema({ input, model, taskType, description, forbidden }: Variant): Schema {
  return {
    type: "object",
    description: `${description} ${priceOf(model, taskType)} ${plural(priceOf(model, taskType))}.`,
    required: ["model", "task_type", "input"],
    properties: {
      model: { const: model },
      task_type: { const: taskType },
      input: inputSchema(input, forbidden),
      audio_format: {
        type: "string",
        enum: ["mp3"],
        description:
          taskType === "lyrics"
            ? "Taken and echoed, though lyrics have no sound."
            : "Pins the format of the audio; left out, it is whatever the provider made.",
      },
    },
    additionalProperties: {},
  };
}

function inputSchema(
  input: InputVariant,
  forbidden: readonly string[],
): { readonly [keyword: string]: Schema } {
  const { about, ignored } = INPUT_FIELDS[input];
  const details: Details = {
    ...about,
    ...Object.fromEntries(ignored.map((name) => [name, IGNORED])),
    ...Object.fromEntries(forbidden.map((name) => [name, false] as const)),
  };
  return { ...fromContract(inputSchemas[input], details), ...(input === "custom" && PROMPT_WHERE_NO_TAGS) };
}

/** The one rule about two fields at once: custom mode needs words in at least one of them. */
const PROMPT_WHERE_NO_TAGS = {
  if: { not: required("tags") },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: required("prompt"),
} as const;

function required(name: string) {
  return { required: [name], properties: { [name]: { pattern: "\\S" } }, additionalProperties: {} };
}

function plural(credits: number): string {
  return credits === 1 ? "credit" : "credits";
}
