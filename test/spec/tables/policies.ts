import type { Verdict } from "./requests/row.js";

/** One request under one choice of the emulator's policy, with the status of the answer. */
export interface PolicyRow {
  name: string;
  policy: Readonly<Record<string, string | number>>;
  body: unknown;
  expected: Verdict;
  status: number;
}

const custom = { model: "provider_a", task_type: "music", input: { tags: "fado" } };
const providerB = { model: "provider_b", task_type: "music", input: { prompt: "calm" } };

/** Policy: what the interface leaves open about requests, and what each choice makes of them. */
export const POLICIES: readonly PolicyRow[] = [
  {
    name: "another status of invalid_audio_format",
    policy: { invalid_audio_format_status: 422 },
    body: { ...custom, audio_format: "wav" },
    expected: "invalid_audio_format",
    status: 422,
  },
  {
    name: "conversion switched off, when mp3 is asked for",
    policy: { audio_conversion: "off" },
    body: { ...custom, audio_format: "mp3" },
    expected: "audio_format_unavailable",
    status: 400,
  },
  {
    name: "conversion switched off, with another status",
    policy: { audio_conversion: "off", audio_format_unavailable_status: 409 },
    body: { ...providerB, audio_format: "mp3" },
    expected: "audio_format_unavailable",
    status: 409,
  },
  {
    name: "conversion switched off, when a wrong format is asked for",
    policy: { audio_conversion: "off" },
    body: { ...custom, audio_format: "wav" },
    expected: "invalid_audio_format",
    status: 400,
  },
  {
    name: "conversion switched off, when no format is asked for",
    policy: { audio_conversion: "off" },
    body: custom,
    expected: "accepted",
    status: 202,
  },
  {
    name: "conversion that fails, when mp3 is asked for",
    policy: { audio_conversion: "failing" },
    body: { ...custom, audio_format: "mp3" },
    expected: "accepted",
    status: 202,
  },
  {
    name: "a null format that is as good as none",
    policy: { null_audio_format: "omitted" },
    body: { ...custom, audio_format: null },
    expected: "accepted",
    status: 202,
  },
  {
    name: "an empty format, where null is as good as none",
    policy: { null_audio_format: "omitted" },
    body: { ...custom, audio_format: "" },
    expected: "invalid_audio_format",
    status: 400,
  },
  {
    name: "provider_b's seed for provider_a, where only the named fields are forbidden",
    policy: { mixed_field_sets: "named_only" },
    body: { ...custom, input: { tags: "fado", seed: 7, lyrics: "rain", lyrics_type: "user" } },
    expected: "accepted",
    status: 202,
  },
  {
    name: "provider_a's title for provider_b, where only the named fields are forbidden",
    policy: { mixed_field_sets: "named_only" },
    body: {
      ...providerB,
      input: { prompt: "calm", title: "Rain", negative_tags: "drums", model_version: "v6", clip_id: "c" },
    },
    expected: "accepted",
    status: 202,
  },
  {
    name: "provider_a's description for provider_b, where only the named fields are forbidden",
    policy: { mixed_field_sets: "named_only" },
    body: { ...providerB, input: { prompt: "calm", gpt_description_prompt: "rain" } },
    expected: "invalid_task_input",
    status: 400,
  },
  {
    name: "provider_a's make_instrumental for provider_b, where only the named fields are forbidden",
    policy: { mixed_field_sets: "named_only" },
    body: { ...providerB, input: { prompt: "calm", make_instrumental: false } },
    expected: "invalid_task_input",
    status: 400,
  },
];
