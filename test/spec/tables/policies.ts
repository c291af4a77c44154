import type { Verdict } from "./requests/row.js";

/** One request under one choice of the emulator's policy, with the status of the response. */
export interface PolicyRow {
  name: string;
  policy: Readonly<Record<string, string | number>>;
  body: unknown;
  expected: Verdict;
  status: number;
}

const custom = { model: "provider_a", task_type: "music", input: { tags: "fado" } };
const requesting = (audio_format: unknown) => ({ ...custom, audio_format });
const [MP3, WAV] = [requesting("mp3"), requesting("wav")];
const off = { audio_conversion: "off" };
const offWith409 = { ...off, audio_format_unavailable_status: 409 };
const lenient = { null_audio_format: "omitted" };
const INVALID = "invalid_audio_format";
const UNAVAILABLE = "audio_format_unavailable";

/** The policy options for `audio_format`, and the response to a request under each choice. */
type Row = [name: string, policy: PolicyRow["policy"], body: object, expected?: Verdict, status?: number];
const FORMATS: Row[] = [
  ["another status of invalid_audio_format", { invalid_audio_format_status: 422 }, WAV, INVALID, 422],
  ["conversion switched off, when mp3 is requested", off, MP3, UNAVAILABLE, 400],
  ["conversion switched off, with another status", offWith409, MP3, UNAVAILABLE, 409],
  ["conversion switched off, when a wrong format is requested", off, WAV, INVALID, 400],
  ["conversion switched off, when no format is requested", off, custom],
  ["failing conversion, when mp3 is requested", { audio_conversion: "failing" }, MP3],
  ["a null format where null is like none", lenient, requesting(null)],
  ["an empty format where null is like none", lenient, requesting(""), INVALID, 400],
];

const providerA = { tags: "fado", seed: 7, lyrics: "rain", lyrics_type: "user" };
const calm = { prompt: "calm" };
const providerB = { ...calm, title: "Rain", negative_tags: "drums", model_version: "v6", clip_id: "c" };
const described = { ...calm, gpt_description_prompt: "rain" };
const instrumental = { ...calm, make_instrumental: false };

/** Inputs that mix the providers' fields, where only the fields that the interface names are forbidden. */
const MIXED_INPUTS: [name: string, model: string, input: object, expected?: Verdict, status?: number][] = [
  ["provider_b's seed for provider_a", "provider_a", providerA],
  ["provider_a's title for provider_b", "provider_b", providerB],
  ["provider_a's description for provider_b", "provider_b", described, "invalid_task_input", 400],
  ["provider_a's make_instrumental for provider_b", "provider_b", instrumental, "invalid_task_input", 400],
];

export const POLICIES: readonly PolicyRow[] = [
  ...FORMATS.map(([name, policy, body, expected = "accepted", status = 202]) => ({
    name,
    policy,
    body,
    expected,
    status,
  })),
  ...MIXED_INPUTS.map(([name, model, input, expected = "accepted", status = 202]) => ({
    name: `${name}, where only the named fields are forbidden`,
    policy: { mixed_field_sets: "named_only" },
    body: { model, task_type: "music", input },
    expected,
    status,
  })),
];
