import { type FieldRule, INPUTS, type InputKind, type InputRules, KINDS } from "./inputs.js";

export interface FieldText {
  /** The heading of its control in a form. */
  readonly label: string;
  /** What the field is, as one sentence. */
  readonly description: string;
  /** What else a reader must know, as sentences. Plain text, since forms show it too. */
  readonly note?: string;
  readonly example: string | number | boolean;
  /** Whether the text usually has several lines. */
  readonly isLong?: true;
  /** The name of the argument that agents fill in; `null` if they can't. @defaultValue the name of the field */
  readonly argument?: string | null;
}

export interface InputTexts {
  /** What the task makes, as a noun phrase with its article. */
  readonly result: string;
  /** The tool by which agents request it. @defaultValue none */
  readonly tool?: string;
  readonly fields: Readonly<Record<string, FieldText>>;
}

const title: FieldText = {
  label: "Title",
  description: "The title.",
  note: "A value of any JSON type; all but a string are serialized.",
  example: "Tram 28",
};
const lyrics: FieldText = {
  label: "Lyrics",
  description: "The lyrics.",
  example: "rain on the tram",
  isLong: true,
  argument: "lyrics",
};
const styles: FieldText = {
  label: "Styles",
  description: "Styles, separated by commas.",
  example: "fado, guitar",
  argument: "styles",
};
const stylesToAvoid: FieldText = {
  label: "Styles to avoid",
  description: "Styles to avoid, separated by commas.",
  example: "drums, rock",
  argument: "styles_to_avoid",
};
const instrumental: FieldText = {
  label: "Instrumental",
  description: "No vocals.",
  note: "False by default.",
  example: true,
  argument: "instrumental",
};
const version: FieldText = {
  label: "Model version",
  description: "The version of the model.",
  note: "By default v6. The retired v5.5 and v5 are accepted, and generate with v6.",
  example: "v6",
  argument: null,
};

/** The texts about every kind of `input`. The SDK's bundle does not contain them. */
export const INPUT_TEXTS = {
  inspiration: {
    result: "a song from a description",
    tool: "make_song",
    fields: {
      gpt_description_prompt: {
        label: "Description",
        description: "What the song is about and how it sounds.",
        note: "It is not sung.",
        example: "rain in Lisbon",
        isLong: true,
        argument: "description",
      },
      negative_tags: stylesToAvoid,
      make_instrumental: instrumental,
      model_version: version,
    },
  },
  custom: {
    result: "a song from lyrics, styles or both",
    tool: "make_song",
    fields: {
      prompt: lyrics,
      tags: styles,
      negative_tags: stylesToAvoid,
      title,
      make_instrumental: instrumental,
      model_version: version,
    },
  },
  continuation: {
    result: "a continuation of a clip",
    tool: "continue_song",
    fields: {
      continue_clip_id: {
        label: "Clip ID",
        description: "The clip to continue.",
        example: "clip-1",
      },
      continue_at: {
        label: "Continue at (seconds)",
        description: "Where the continuation begins in the clip, in seconds.",
        note: "The interface does not state the provider's default.",
        example: 42.5,
      },
      prompt: lyrics,
      title,
      model_version: version,
    },
  },
  provider_b: {
    result: "a song of provider_b",
    tool: "make_song",
    fields: {
      prompt: {
        label: "Style and mood",
        description: "Style and mood.",
        note: "It is not sung.",
        example: "calm and wide",
        isLong: true,
        argument: "description",
      },
      lyrics,
      tags: styles,
      lyrics_type: {
        label: "Lyrics type",
        description: "Where the lyrics come from.",
        note: "The interface does not state the provider's default.",
        example: "instrumental",
        argument: "instrumental",
      },
      seed: { label: "Seed", description: "The seed of the provider's random numbers.", example: 35 },
    },
  },
  lyrics: {
    result: "lyrics from a description",
    tool: "write_lyrics",
    fields: {
      prompt: {
        label: "Subject",
        description: "What the lyrics are about.",
        example: "a lighthouse",
        isLong: true,
        argument: "description",
      },
    },
  },
  upload: {
    result: "a clip from audio at a public address",
    fields: {
      url: {
        label: "Address",
        description: "The http or https address of the audio.",
        note: "It must be public: local and private networks are refused.",
        example: "https://example.com/humming.mp3",
      },
    },
  },
  concat: {
    result: "the whole of a continued song",
    fields: {
      clip_id: { label: "Clip ID", description: "The last clip of the song.", example: "clip-2" },
    },
  },
} as const satisfies {
  readonly [Kind in InputKind]: InputTexts & {
    readonly fields: Readonly<Record<keyof (typeof INPUTS)[Kind]["fields"], FieldText>>;
  };
};

/** A kind of `input`, with the texts about it. */
export interface DescribedInput extends InputRules {
  readonly kind: string;
  readonly texts: InputTexts;
}

/** All kinds of `input`, for everything that describes requests. */
export const DESCRIBED_INPUTS: readonly DescribedInput[] = /* @__PURE__ */ KINDS.map((kind) => ({
  ...INPUTS[kind],
  kind,
  texts: INPUT_TEXTS[kind],
}));

/** The tools by which agents request these kinds of `input`. */
export function toolNames(inputs: readonly DescribedInput[] = DESCRIBED_INPUTS): string[] {
  return [...new Set(inputs.flatMap(({ texts: { tool = [] } }) => tool))];
}

/** What a reader must know about a field beside its description, as sentences. */
export function noteOf({ clipOf }: FieldRule, { note }: FieldText): string {
  const source = clipOf === undefined ? [] : [`From an earlier ${clipOf.join(" or ")} task of the account.`];
  return [note ?? [], source].flat().join(" ");
}

/** What a field means, and the kinds of `input` in which it means that. */
export interface Meaning {
  readonly rule: FieldRule;
  readonly text: FieldText;
  readonly kinds: readonly DescribedInput[];
}

/** Everything that a field means: each of its texts, with limits of its own. */
export function meaningsOf(field: string, inputs: readonly DescribedInput[]): Meaning[] {
  const meanings = new Map<string, Meaning>();
  for (const kind of inputs) {
    const [rule, text] = [kind.fields[field], kind.texts.fields[field]];
    if (rule === undefined || text === undefined) continue;
    const { isRequired, ...limits } = rule;
    const meaning = JSON.stringify([text.description, limits]);
    const kinds = [...(meanings.get(meaning)?.kinds ?? []), kind];
    meanings.set(meaning, { rule, text, kinds });
  }
  return [...meanings.values()];
}

/** The names of the fields that a request needs: the required ones, and those of which it needs one. */
export function neededFields({ fields, oneOf = [] }: InputRules): string[] {
  return Object.keys(fields).filter((name) => fields[name]?.isRequired === true || oneOf.includes(name));
}

/** An `input` with the fields that a request needs. */
export function exampleInput(described: DescribedInput): Record<string, string | number | boolean> {
  const { fields } = described.texts;
  return Object.fromEntries(
    neededFields(described).flatMap((name) => {
      const text = fields[name];
      return text === undefined ? [] : [[name, text.example]];
    }),
  );
}
