import {
  type InputVariant,
  inputSchemas,
  PROVIDER_A_FIELDS,
  PROVIDER_B_FIELDS,
} from "../../src/contract/request-rules.js";
import { isTaskType, priceOf, type TaskType } from "../../src/contract/service.js";
import { type Details, fromContract, reference, type Schema } from "./schema.js";

/** One kind of request, with the parts of its input that the schema does not describe. */
interface Variant {
  readonly description: string;
  readonly fields: Details;
  /** Fields of the input that are accepted and have no effect, whatever their type. */
  readonly ignored?: readonly string[];
  /** Fields that must be absent from the input. */
  readonly forbidden?: readonly string[];
}

const TITLE = { description: "A title of any JSON type; all but a string are serialized." };
const INSTRUMENTAL = { description: "Whether the song has no vocals. False by default." };
const NEGATIVE_TAGS = { description: "Styles to avoid." };
const MODEL_VERSION = {
  description: "The version of the model, `v6` by default. `v5.5` and `v5` are accepted and use `v6`.",
};

const VARIANTS: Readonly<Record<InputVariant, Variant>> = {
  inspiration: {
    description: "A song from a description.",
    fields: {
      gpt_description_prompt: { description: "What the song is about and how it sounds." },
      negative_tags: NEGATIVE_TAGS,
      make_instrumental: INSTRUMENTAL,
      model_version: MODEL_VERSION,
    },
    ignored: ["prompt", "tags", "title"],
    forbidden: [...PROVIDER_B_FIELDS, "continue_clip_id"],
  },
  custom: {
    description: "A song from lyrics, styles or both.",
    fields: {
      prompt: { description: "The lyrics. May be blank if `tags` is not." },
      tags: { description: "Styles, separated by commas. May be blank if `prompt` is not." },
      negative_tags: NEGATIVE_TAGS,
      title: TITLE,
      make_instrumental: INSTRUMENTAL,
      model_version: MODEL_VERSION,
    },
    forbidden: [...PROVIDER_B_FIELDS, "gpt_description_prompt", "continue_clip_id"],
  },
  continuation: {
    description: "A continuation of an earlier clip.",
    fields: {
      continue_clip_id: { description: "A clip of an earlier music or upload task of the account." },
      // The contract's schema has rules for numbers that JSON Schema cannot express.
      continue_at: { description: "The second of the clip at which to continue.", minimum: 0 },
      prompt: { description: "The lyrics of the continuation." },
      title: TITLE,
      model_version: MODEL_VERSION,
    },
    ignored: ["gpt_description_prompt", "tags", "negative_tags", "make_instrumental"],
    forbidden: PROVIDER_B_FIELDS,
  },
  provider_b: {
    description: "A song by the other provider.",
    fields: {
      prompt: { description: "Style and mood." },
      lyrics: { description: "The lyrics." },
      tags: { description: "Styles." },
      lyrics_type: { description: "Whether lyrics are generated, the request's own, or absent." },
      seed: { description: "A seed for the provider's random numbers.", type: "integer" },
    },
    forbidden: PROVIDER_A_FIELDS,
  },
  lyrics: {
    description: "Lyrics from a description.",
    fields: { prompt: { description: "What the lyrics are about." } },
  },
  upload: {
    description: "A clip from audio at a public address.",
    fields: {
      url: {
        description: "The address of the audio. It must be public: no local or private address.",
        // JSON Schema has no flag for either case.
        pattern: "^[Hh][Tt][Tt][Pp][Ss]?://",
      },
    },
  },
  concat: {
    description: "The whole song that ends with a continued clip.",
    fields: { clip_id: { description: "The last clip of the song, from an earlier music task." } },
  },
};

export function requestSchemas(): Record<string, Schema> {
  const variants = Object.entries(VARIANTS).map(([input, variant]) => {
    const taskType = isTaskType(input) ? input : "music";
    const name = `_${input}`.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    const schema = requestSchema(input as InputVariant, taskType, variant);
    return [`${name}${input === taskType ? "" : "Music"}Request`, schema] as const;
  });
  return {
    TaskRequest: {
      description: "The task to create: exactly one of these. Unknown fields are ignored.",
      oneOf: variants.map(([name]) => reference("schemas", name)),
    },
    ...Object.fromEntries(variants),
  };
}

function requestSchema(input: InputVariant, taskType: TaskType, variant: Variant): Schema {
  const model = input === "provider_b" ? "provider_b" : "provider_a";
  const credits = priceOf(model, taskType);
  return {
    type: "object",
    description: `${variant.description} ${credits} ${credits === 1 ? "credit" : "credits"}.`,
    required: ["model", "task_type", "input"],
    properties: {
      model: { const: model },
      task_type: { const: taskType },
      input: inputSchema(input, variant),
      audio_format: {
        type: "string",
        enum: ["mp3"],
        description:
          taskType === "lyrics"
            ? "Accepted and returned, without effect."
            : "Requests MP3. By default, the audio has the provider's own format.",
      },
    },
    additionalProperties: {},
  };
}

function inputSchema(input: InputVariant, { fields, ignored = [], forbidden = [] }: Variant) {
  const effectless = { description: "Accepted, without effect in this mode." };
  const details: Details = {
    ...fields,
    ...Object.fromEntries(ignored.map((name) => [name, effectless])),
    ...Object.fromEntries(forbidden.map((name) => [name, false] as const)),
  };
  return { ...fromContract(inputSchemas[input], details), ...(input === "custom" && PROMPT_OR_TAGS) };
}

/** The one rule about two fields at once: in custom mode one of them must not be blank. */
const PROMPT_OR_TAGS = {
  if: { not: notBlank("tags") },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: notBlank("prompt"),
} as const;

function notBlank(name: string) {
  return { required: [name], properties: { [name]: { pattern: "\\S" } }, additionalProperties: {} };
}
