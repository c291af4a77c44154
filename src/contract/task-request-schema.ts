import * as z from "zod/mini";
import type { TaskType } from "./model.js";
import { isPublicHttpUrl } from "./upload-address.js";

/** The modes of a music task, and the other task types: each has an input of its own. */
export type InputVariant =
  | "inspiration"
  | "custom"
  | "continuation"
  | "provider_b"
  | Exclude<TaskType, "music">;

/** Fields that only `provider_b`'s music has; `provider_a`'s music must not have them. */
export const PROVIDER_B_FIELDS = ["lyrics", "lyrics_type", "seed"] as const;

/** Fields that only `provider_a` has, its other task types included; `provider_b` must not have them. */
export const PROVIDER_A_FIELDS = [
  "gpt_description_prompt",
  "make_instrumental",
  "negative_tags",
  "title",
  "model_version",
  "continue_clip_id",
  "continue_at",
  "url",
  "clip_id",
] as const;

const text = z.string("must be a string");
const filledText = text.check(z.regex(/\S/, "must have a character that is no white space"));
const flag = z.boolean("must be true or false");
const seconds = numberThat((value) => value >= 0, "must be a number, 0 or more");
const wholeNumber = numberThat(Number.isInteger, "must be a whole number");
const publicUrl = text.check(
  z.regex(/^https?:\/\//i, "must begin with http:// or https://"),
  z.refine(isPublicHttpUrl, "must be an address that the public internet can reach"),
);

const modelVersion = z.enum(["v6", "v5.5", "v5"], "must be v6, v5.5 or v5");
const lyricsType = z.enum(["generate", "user", "instrumental"], "must be generate, user or instrumental");

const customInput = z
  .looseObject({
    prompt: z.optional(text),
    tags: z.optional(text),
    negative_tags: z.optional(text),
    make_instrumental: z.optional(flag),
    model_version: z.optional(modelVersion),
  })
  .check(
    z.refine(({ prompt, tags }) => [prompt, tags].some((words) => words !== undefined && /\S/.test(words)), {
      error: "must have words, or `tags`, unless there is `gpt_description_prompt` or `continue_clip_id`",
      path: ["prompt"],
      when: ({ issues }) => issues.length === 0,
    }),
  );

/**
 * The known fields of each input (Resources: Task creation request). What a mode ignores is not checked, and what is
 * unknown passes.
 */
export const inputSchemas = {
  inspiration: z.looseObject({
    gpt_description_prompt: filledText,
    negative_tags: z.optional(text),
    make_instrumental: z.optional(flag),
    model_version: z.optional(modelVersion),
  }),
  custom: customInput,
  continuation: z.looseObject({
    continue_clip_id: filledText,
    continue_at: z.optional(seconds),
    prompt: z.optional(text),
    model_version: z.optional(modelVersion),
  }),
  provider_b: z.looseObject({
    prompt: filledText,
    lyrics: z.optional(text),
    tags: z.optional(text),
    lyrics_type: z.optional(lyricsType),
    seed: z.optional(wholeNumber),
  }),
  lyrics: z.looseObject({ prompt: filledText }),
  upload: z.looseObject({ url: publicUrl }),
  concat: z.looseObject({ clip_id: filledText }),
} as const satisfies Record<InputVariant, unknown>;

/** One kind of check for all numbers: each other would be in every bundle. The description says in its own words which. */
function numberThat(fits: (value: number) => boolean, message: string) {
  return z.number(message).check(z.refine(fits, message));
}
