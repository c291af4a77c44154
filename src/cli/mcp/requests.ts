import * as z from "zod/mini";
import * as sdk from "../../index.js";
import { Refusal } from "./refusal.js";

const filledText = (description: string) =>
  z.string().check(z.regex(/\S/, "must not be blank"), z.describe(description));
const text = (description: string) => z.optional(z.string().check(z.describe(description)));

export const ORDER = {
  order: filledText(
    "Your name for this result. Repeat the call with the same order to continue with it; it is charged once.",
  ),
};

const PAID = {
  ...ORDER,
  max_credits: z.optional(
    z
      .number()
      .check(
        z.nonnegative(),
        z.describe("The most that this call may cost, in credits. Default: what the server may spend."),
      ),
  ),
};

const AUDIO_FORMAT = z.optional(
  z.literal("mp3").check(z.describe("Request MP3. Default: the format of the provider.")),
);

/** The arguments of `make_song`. Each has one meaning, whatever the field of the model that it becomes. */
export const SONG = z.strictObject({
  ...PAID,
  model: z.optional(z.enum(sdk.MODELS).check(z.describe("Default: provider_a."))),
  description: text(
    "What the song is about and how it sounds, such as `a slow fado about rain`. It is never sung. provider_a: use it alone, without `lyrics`, `styles` and `title`. provider_b: required; describe style and mood.",
  ),
  lyrics: text("The words to sing. Default: the model writes them."),
  styles: text("Styles, separated by commas, such as `fado, acoustic guitar`."),
  title: text("The title. provider_a only, without `description`."),
  styles_to_avoid: text("Styles to avoid, separated by commas. provider_a only."),
  instrumental: z.optional(z.boolean().check(z.describe("No singing. Needs no `lyrics`."))),
  seed: z.optional(z.int().check(z.describe("Seed of the generation. provider_b only."))),
  audio_format: AUDIO_FORMAT,
});

export const LYRICS = z.strictObject({ ...PAID, description: filledText("What the lyrics are about.") });

export const CONTINUATION = z.strictObject({
  ...PAID,
  continue_clip_id: filledText("The `id` of the clip to continue."),
  continue_at: z.optional(
    z
      .number()
      .check(
        z.nonnegative(),
        z.describe("Where the continuation begins in the clip, in seconds. Default: its end."),
      ),
  ),
  lyrics: text("The words to sing in the continuation."),
  title: text("The title."),
  audio_format: AUDIO_FORMAT,
});

type SongArguments = z.infer<typeof SONG>;

/** The request of `make_song`. @throws Refusal an argument would be ignored, or one is missing */
export function songRequest({ order, max_credits, model, audio_format, ...given }: SongArguments) {
  const song = withoutBlanks(given);
  if (song.instrumental === true && song.lyrics !== undefined)
    throw refusal("`lyrics` are not sung in an instrumental. Remove `lyrics`, or remove `instrumental`.");
  return model === "provider_b"
    ? requestOf(model, "music", inputOfProviderB(song), audio_format)
    : requestOf("provider_a", "music", inputOfProviderA(song), audio_format);
}

export function lyricsRequest({ description }: z.infer<typeof LYRICS>) {
  return requestOf("provider_a", "lyrics", { prompt: description });
}

export function continuationRequest({ audio_format, ...given }: z.infer<typeof CONTINUATION>) {
  const { continue_clip_id, continue_at, lyrics, title } = withoutBlanks(given);
  const input = { continue_clip_id, continue_at, prompt: lyrics, title };
  return requestOf("provider_a", "music", input, audio_format);
}

type Song = Omit<SongArguments, "order" | "max_credits" | "model" | "audio_format">;

function inputOfProviderA(song: Song) {
  const { description, lyrics, styles, title, styles_to_avoid: negative_tags, instrumental, seed } = song;
  refuse({ seed }, "is an argument of provider_b", "Remove it, or pass `model: provider_b`.");
  const shared = { negative_tags, make_instrumental: instrumental };
  if (description !== undefined) {
    refuse(
      { lyrics, styles, title },
      "would be ignored beside `description`: provider_a then chooses the words, the styles and the title",
      "Pass `description` alone, or remove it and describe the song with `styles`.",
    );
    return { gpt_description_prompt: description, ...shared };
  }
  if (lyrics === undefined && styles === undefined)
    throw refusal("The song is not described. Pass `description`; or `lyrics`, `styles`, or both.");
  return { prompt: lyrics, tags: styles, title, ...shared };
}

function inputOfProviderB(song: Song) {
  const { description, lyrics, styles, title, styles_to_avoid, instrumental, seed } = song;
  refuse({ title, styles_to_avoid }, "is an argument of provider_a", "Remove it, or use provider_a.");
  if (description === undefined)
    throw refusal("provider_b needs a `description` of style and mood. Pass it beside the other arguments.");
  // The default of the provider is not documented.
  const lyrics_type = instrumental === true ? "instrumental" : lyrics === undefined ? "generate" : "user";
  return { prompt: description, lyrics, tags: styles, lyrics_type, seed };
}

function refuse(unusable: Readonly<Record<string, unknown>>, why: string, advice: string): void {
  const names = Object.keys(unusable).filter((name) => unusable[name] !== undefined);
  if (names.length === 0) return;
  throw refusal(`${names.map((name) => `\`${name}\` ${why}`).join("; ")}. ${advice}`);
}

function refusal(reason: string): Refusal {
  return new Refusal(`${reason} Nothing was sent or charged. Then call again with the same order.`);
}

/** Models fill arguments that they don't use with empty strings. */
function withoutBlanks<Arguments extends object>(given: Arguments): Arguments {
  const filled = Object.entries(given).filter(([, value]) => typeof value !== "string" || /\S/.test(value));
  return Object.fromEntries(filled) as Arguments;
}

function requestOf(
  model: sdk.Model,
  task_type: sdk.TaskType,
  fields: Readonly<Record<string, unknown>>,
  audio_format?: "mp3",
): sdk.TaskRequest {
  const input = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const request = { model, task_type, ...(audio_format !== undefined && { audio_format }), input };
  return request as unknown as sdk.TaskRequest;
}
