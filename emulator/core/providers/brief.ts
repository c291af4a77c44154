import type { Model, TaskType } from "../../../src/contract/models.js";
import { inputVariant } from "../../../src/contract/request-rules.js";
import type { JsonValue } from "../../../src/contract/wire.js";

/** A task as its provider gets it: what is wanted of which model. */
export interface ProviderTask {
  model: Model;
  type: TaskType;
  /** As it was submitted. */
  input: Readonly<Record<string, JsonValue>>;
}

/** What a request for sound means to the provider. What the mode ignores is left out (Input for `provider_a`). */
export interface Brief {
  /** What describes the song. */
  text: string;
  /** What is sung. */
  lyrics: string;
  instrumental: boolean;
  /** The clip that it goes on from, and where, in seconds; `null` for the clip's end. */
  continues: ClipPlace | null;
  /** The clip whose whole song is wanted. */
  joins: string | null;
  /** The requested title, as a string. */
  title: string | null;
  tags: string;
  extras: Readonly<Record<string, JsonValue>>;
}

/** A place in a clip. */
export interface ClipPlace {
  clipId: string;
  atSeconds: number | null;
}

const NOTHING: Brief = {
  text: "",
  lyrics: "",
  instrumental: false,
  continues: null,
  joins: null,
  title: null,
  tags: "",
  extras: {},
};

/** `v5.5` and `v5` are retired upstream, and generate with this (Versioning). */
const GENERATING_VERSION = "v6";

export function readBrief({ model, type, input }: ProviderTask): Brief {
  const variant = inputVariant(model, type, input);
  switch (variant) {
    case "inspiration":
      return {
        ...NOTHING,
        text: words(input["gpt_description_prompt"]),
        instrumental: input["make_instrumental"] === true,
        extras: { model_version: GENERATING_VERSION },
      };
    case "custom":
      return {
        ...NOTHING,
        text: words(input["tags"]),
        lyrics: words(input["prompt"]),
        instrumental: input["make_instrumental"] === true,
        title: titleOf(input["title"]),
        tags: words(input["tags"]),
        extras: { model_version: GENERATING_VERSION },
      };
    case "continuation": {
      const { continue_at: at } = input;
      return {
        ...NOTHING,
        lyrics: words(input["prompt"]),
        continues: {
          clipId: words(input["continue_clip_id"]),
          atSeconds: typeof at === "number" ? at : null,
        },
        title: titleOf(input["title"]),
        extras: { model_version: GENERATING_VERSION },
      };
    }
    case "provider_b":
      return {
        ...NOTHING,
        text: [input["prompt"], input["tags"]].map(words).join(" ").trim(),
        lyrics: words(input["lyrics"]),
        instrumental: input["lyrics_type"] === "instrumental",
        tags: words(input["tags"]),
      };
    case "upload":
      return { ...NOTHING, text: words(input["url"]) };
    case "concat":
      return { ...NOTHING, joins: words(input["clip_id"]) };
    case "lyrics":
      return NOTHING;
    default:
      return variant satisfies never;
  }
}

function words(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

/** A title can be any JSON value; what is no string becomes one. */
function titleOf(value: JsonValue | undefined): string | null {
  if (value === undefined) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}
