import type { JsonValue, Model, TaskType } from "./service.js";

/** The only format that can be requested. Without it, the audio has the provider's own format. */
export type AudioFormat = "mp3";

/** Versions of `provider_a`'s music model. The older two are still accepted and generate with `v6`. */
export type ModelVersion = "v6" | "v5.5" | "v5";

/** Where `provider_b`'s lyrics come from. */
export type LyricsType = "generate" | "user" | "instrumental";

/** A continuation of an earlier clip: `provider_a`, continuation mode. 10 credits. */
export interface ContinuationMusicRequest extends MusicRequestFields<"provider_a"> {
  input: ContinuationInput;
}

/** A song from a description: `provider_a`, inspiration mode. 10 credits. */
export interface InspirationMusicRequest extends MusicRequestFields<"provider_a"> {
  input: InspirationInput;
}

/** A song from lyrics, styles or both: `provider_a`, custom mode. 10 credits. */
export interface CustomMusicRequest extends MusicRequestFields<"provider_a"> {
  input: CustomInput;
}

/** A song by `provider_b`. 5 credits. */
export interface ProviderBMusicRequest extends MusicRequestFields<"provider_b"> {
  input: ProviderBMusicInput;
}

/**
 * A song by `provider_a`. The fields of `input` choose its mode. 10 credits. The modes are declared in the order in which the
 * service looks for their fields, and no mode lists a field that only an earlier one has: the compiler compares a wrong
 * `input` with the last mode that has its fields.
 */
export interface ProviderAMusicRequest extends MusicRequestFields<"provider_a"> {
  input: ContinuationInput | InspirationInput | CustomInput;
}

/** Any request for a song. With a `model` that is known only at run time, `input` must fit both models. */
export type MusicRequest = ProviderAMusicRequest | ProviderBMusicRequest;

/** Lyrics from a description: `provider_a`. 5 credits. */
export interface LyricsRequest {
  model: "provider_a";
  task_type: "lyrics";
  input: LyricsInput;
  /** Accepted and echoed, without effect. */
  audio_format?: AudioFormat | undefined;
}

/** A clip from audio at a public address: `provider_a`. 1 credit. */
export interface UploadRequest {
  model: "provider_a";
  task_type: "upload";
  input: UploadInput;
  /** Requests MP3. If the conversion fails, the audio has the provider's own format. */
  audio_format?: AudioFormat | undefined;
}

/** The whole song that ends with a continued clip: `provider_a`. 5 credits. */
export interface ConcatRequest {
  model: "provider_a";
  task_type: "concat";
  input: ConcatInput;
  /** Requests MP3. If the conversion fails, the audio has the provider's own format. */
  audio_format?: AudioFormat | undefined;
}

/**
 * Every request for a task: a union by `model` and `task_type`, and for `provider_a`'s music by the mode of its `input`.
 * A field of the other model is a type error. The compiler does not find everything that the service forbids: `create` checks the
 * whole request. For example, a `gpt_description_prompt` of `null` beside `tags` compiles if `input` is a variable.
 *
 * @example
 * ```ts sketch
 * import type { Model, TaskRequest } from "async-music";
 *
 * function songOf(model: Model, prompt: string): TaskRequest {
 *   return { model, task_type: "music", input: { prompt } };
 * }
 * ```
 */
export type TaskRequest = MusicRequest | LyricsRequest | UploadRequest | ConcatRequest;

/**
 * The task type and the model that `create`, `run` and `plan` infer from a request, so that the compiler compares a wrong request
 * with those of the chosen model only. If the chosen model lacks the task type, the request is compared with the other model's.
 */
export type RequestChoice<Type extends TaskType, Chosen extends Model> = { task_type: Type } & (
  | { model: Chosen }
  | { model: Exclude<Model, Chosen>; task_type: Exclude<TaskType, "music"> }
);

/** The fields of every request for a song, without its `input`. */
export interface MusicRequestFields<Chosen extends Model> {
  model: Chosen;
  task_type: "music";
  /** Requests MP3. If the conversion fails, the audio has the provider's own format. */
  audio_format?: AudioFormat | undefined;
}

declare const reason: unique symbol;

/**
 * The type of a field that must be absent: it names the reason, and no value has it. Such a field is tagged as deprecated, so
 * that editors strike it through. In TypeScript 6, they also list it after the fields that the input may have.
 */
export interface Forbidden<Reason extends string> {
  readonly [reason]: Reason;
}

/** `provider_b`'s own fields: forbidden to `provider_a`. */
export interface NoProviderBFields {
  /** @deprecated A field of `provider_b`. */
  lyrics?: Forbidden<"provider_a refuses this field of provider_b">;
  /** @deprecated A field of `provider_b`. */
  lyrics_type?: Forbidden<"provider_a refuses this field of provider_b">;
  /** @deprecated A field of `provider_b`. */
  seed?: Forbidden<"provider_a refuses this field of provider_b">;
}

/** `provider_a`'s own fields: forbidden to `provider_b`. */
export interface NoProviderAFields {
  /** @deprecated A field of `provider_a`. */
  gpt_description_prompt?: Forbidden<"provider_b refuses this field of provider_a">;
  /** @deprecated A field of `provider_a`. */
  negative_tags?: Forbidden<"provider_b refuses this field of provider_a">;
  /** @deprecated A field of `provider_a`. */
  title?: Forbidden<"provider_b refuses this field of provider_a">;
  /** @deprecated A field of `provider_a`. */
  make_instrumental?: Forbidden<"provider_b refuses this field of provider_a">;
  /** @deprecated A field of `provider_a`. */
  model_version?: Forbidden<"provider_b refuses this field of provider_a">;
  /** @deprecated A field of `provider_a`. */
  continue_clip_id?: Forbidden<"provider_b refuses this field of provider_a">;
  /** @deprecated A field of `provider_a`. */
  continue_at?: Forbidden<"provider_b refuses this field of provider_a">;
  /** @deprecated A field of `provider_a`. */
  url?: Forbidden<"provider_b refuses this field of provider_a">;
  /** @deprecated A field of `provider_a`. */
  clip_id?: Forbidden<"provider_b refuses this field of provider_a">;
}

/** The input of continuation mode. */
export interface ContinuationInput extends NoProviderBFields {
  /** The clip to continue: one of an earlier music or upload task. */
  continue_clip_id: string;
  /** Where in the source clip to continue, in seconds; 0 or more. */
  continue_at?: number | undefined;
  /** The lyrics of the continuation. */
  prompt?: string | undefined;
  /** The title. A value that is not a string is serialized. */
  title?: JsonValue | undefined;
  /** The version of the music model; all of them generate with `v6`. @defaultValue "v6" */
  model_version?: ModelVersion | undefined;
  /** Accepted and ignored in continuation mode. */
  gpt_description_prompt?: string | undefined;
  /** Accepted and ignored in continuation mode. */
  tags?: string | undefined;
  /** Accepted and ignored in continuation mode. */
  negative_tags?: string | undefined;
  /** Accepted and ignored in continuation mode. */
  make_instrumental?: boolean | undefined;
}

/** The input of inspiration mode. */
export interface InspirationInput extends NoProviderBFields {
  /** What the song is about and how it sounds. Must not be blank. */
  gpt_description_prompt: string;
  /** Styles to avoid. */
  negative_tags?: string | undefined;
  /** Whether the song has no vocals. @defaultValue false */
  make_instrumental?: boolean | undefined;
  /** The version of the music model; all of them generate with `v6`. @defaultValue "v6" */
  model_version?: ModelVersion | undefined;
  /** Accepted and ignored in inspiration mode. */
  prompt?: string | undefined;
  /** Accepted and ignored in inspiration mode. */
  tags?: string | undefined;
  /** Accepted and ignored in inspiration mode. */
  title?: JsonValue | undefined;
}

/** The input of custom mode: lyrics in `prompt`, styles in `tags`, or both. */
export type CustomInput = CustomFields &
  ({ prompt: string; tags?: string | undefined } | { prompt?: string | undefined; tags: string });

/** The fields of custom mode beside `prompt` and `tags`. */
export interface CustomFields extends NoProviderBFields {
  /** The lyrics. At least one of `prompt` and `tags` must not be blank. */
  prompt?: string | undefined;
  /** Styles, comma-separated. Alone with `make_instrumental: true` they make an instrumental. */
  tags?: string | undefined;
  /** Styles to avoid. */
  negative_tags?: string | undefined;
  /** The title. A value that is not a string is serialized. */
  title?: JsonValue | undefined;
  /** Whether the song has no vocals. @defaultValue false */
  make_instrumental?: boolean | undefined;
  /** The version of the music model; all of them generate with `v6`. @defaultValue "v6" */
  model_version?: ModelVersion | undefined;
}

/** The input of `provider_b`'s music. */
export interface ProviderBMusicInput extends NoProviderAFields {
  /** Style and mood. Must not be blank. */
  prompt: string;
  /** The lyrics, as free text. The interface states no greatest length. */
  lyrics?: string | undefined;
  /** Styles, comma-separated. */
  tags?: string | undefined;
  /** Where the lyrics come from. The interface does not state the provider's default. */
  lyrics_type?: LyricsType | undefined;
  /** A seed for the provider's random numbers: a whole number. A fraction is refused with `invalid_task_input`. */
  seed?: number | undefined;
}

/** The input of a lyrics task. */
export interface LyricsInput extends NoProviderBFields {
  /** What the lyrics are about. Must not be blank. */
  prompt: string;
}

/** The input of an upload task. */
export interface UploadInput extends NoProviderBFields {
  /** A public `http://` or `https://` address; local and private networks are refused. */
  url: string;
}

/** The input of a concat task. */
export interface ConcatInput extends NoProviderBFields {
  /** A clip of an earlier music task. */
  clip_id: string;
}
