/** What the interface accepts and gives no meaning: a request with it makes what the one without makes. */
export interface NoEffectRow {
  name: string;
  plain: { model: string; task_type: string; input: object };
  /** Put beside, or instead of, what the plain request's input holds. */
  input?: object;
  /** Put beside the input. */
  root?: object;
}

const inspiration = {
  model: "provider_a",
  task_type: "music",
  input: { gpt_description_prompt: "rain in Lisbon" },
};
const custom = { model: "provider_a", task_type: "music", input: { prompt: "[Verse]\nrain", tags: "fado" } };
const continuation = { model: "provider_a", task_type: "music", input: { continue_clip_id: "" } };
const providerB = { model: "provider_b", task_type: "music", input: { prompt: "calm and wide" } };
const lyrics = { model: "provider_a", task_type: "lyrics", input: { prompt: "a letter to the sea" } };
const concat = { model: "provider_a", task_type: "concat", input: { clip_id: "" } };

export const NO_EFFECT: readonly NoEffectRow[] = [
  {
    name: "an extra at the root",
    plain: inspiration,
    root: { quality: "best", callback: "https://a.example/" },
  },
  { name: "an extra inside the input", plain: custom, input: { temperature: 2, clips: 9 } },
  { name: "an extra of provider_b", plain: providerB, input: { mood: "loud" }, root: { priority: 1 } },
  { name: "an extra of lyrics", plain: lyrics, input: { language: "pt" } },
  { name: "an extra of concat", plain: concat, input: { gap_seconds: 9 } },
  { name: "lyrics in inspiration mode", plain: inspiration, input: { prompt: "[Verse]\nsnow" } },
  { name: "styles in inspiration mode", plain: inspiration, input: { tags: "polka" } },
  { name: "a title in inspiration mode", plain: inspiration, input: { title: "Snow" } },
  {
    name: "ignored fields of a wrong type in inspiration mode",
    plain: inspiration,
    input: { prompt: 7, tags: [] },
  },
  {
    name: "a description in continuation mode",
    plain: continuation,
    input: { gpt_description_prompt: "snow" },
  },
  { name: "styles in continuation mode", plain: continuation, input: { tags: "polka" } },
  { name: "styles to avoid in continuation mode", plain: continuation, input: { negative_tags: "fado" } },
  { name: "no singing in continuation mode", plain: continuation, input: { make_instrumental: true } },
  { name: "where to continue, in custom mode", plain: custom, input: { continue_at: 12 } },
  { name: "make_instrumental as it is by default", plain: custom, input: { make_instrumental: false } },
  { name: "model_version as it is by default", plain: custom, input: { model_version: "v6" } },
  { name: "model_version v5.5, which v6 stands in for", plain: custom, input: { model_version: "v5.5" } },
  { name: "model_version v5, which v6 stands in for", plain: inspiration, input: { model_version: "v5" } },
  { name: "an audio format of lyrics", plain: lyrics, root: { audio_format: "mp3" } },
];
