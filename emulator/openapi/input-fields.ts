import type { InputVariant } from "../../src/contract/request-rules.js";
import type { JsonValue } from "../../src/contract/wire.js";
import type { Details } from "./schema.js";

const CLIP_TO_CONTINUE = "The clip to go on from: made by an earlier music or upload task of the account.";
const TITLE = "A title of any JSON type; what is no string is turned into one.";
const INSTRUMENTAL = { description: "Leaves the singing out; left out itself, it is false." };
const AVOIDED = { description: "Styles to keep away from." };
const VERSION = {
  description:
    "The generation of the model, `v6` where it is left out. `v5.5` and `v5` are taken and answered by `v6`.",
};

// Of numbers the contract's schema says more than can be shown. JSON Schema calls whole what is whole, however large.
const FROM_ZERO = { minimum: 0 };
const WHOLE = { type: "integer" };

/** What each field of an input is, in words; a field that a mode takes and does not look at stands among `ignored`. */
export const INPUT_FIELDS: Readonly<Record<InputVariant, { about: Details; ignored: readonly string[] }>> = {
  inspiration: {
    about: {
      gpt_description_prompt: { description: "What the song is about and how it sounds." },
      negative_tags: AVOIDED,
      make_instrumental: INSTRUMENTAL,
      model_version: VERSION,
    },
    ignored: ["prompt", "tags", "title"],
  },
  custom: {
    about: {
      prompt: { description: "The lyrics. May be blank where `tags` is not." },
      tags: { description: "Styles, separated by commas. May be blank where `prompt` is not." },
      negative_tags: AVOIDED,
      title: { description: TITLE },
      make_instrumental: INSTRUMENTAL,
      model_version: VERSION,
    },
    ignored: [],
  },
  continuation: {
    about: {
      continue_clip_id: { description: CLIP_TO_CONTINUE },
      continue_at: { description: "The second of the source clip at which to go on.", ...FROM_ZERO },
      prompt: { description: "The lyrics of what follows." },
      title: { description: TITLE },
      model_version: VERSION,
    },
    ignored: ["gpt_description_prompt", "tags", "negative_tags", "make_instrumental"],
  },
  provider_b: {
    about: {
      prompt: { description: "Style and mood." },
      lyrics: { description: "The words to sing." },
      tags: { description: "Styles." },
      lyrics_type: { description: "Where the words come from: invented, the caller's, or none at all." },
      seed: { description: "A number that the provider's chance begins with.", ...WHOLE },
    },
    ignored: [],
  },
  lyrics: { about: { prompt: { description: "What the lyrics are about." } }, ignored: [] },
  upload: {
    about: {
      url: {
        description: "Where the audio is, for everybody on the internet: no local or private address.",
        // JSON Schema has no flag for either case.
        pattern: "^[Hh][Tt][Tt][Pp][Ss]?://",
      },
    },
    ignored: [],
  },
  concat: {
    about: { clip_id: { description: "The last clip of the song, made by an earlier music task." } },
    ignored: [],
  },
};

/** Of an ignored field the service looks at nothing, not even the type. */
export const IGNORED: Readonly<Record<string, JsonValue>> = {
  description: "Taken, and of no effect in this mode.",
};
