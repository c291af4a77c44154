/** Fields that the interface accepts without a meaning: a request has the same result with and without them. */
export interface NoEffectRow {
  name: string;
  plain: { model: string; task_type: string; input: object };
  /** Fields added to the input of the plain request, or replacing some of them. */
  input?: object;
  /** Fields added beside the input. */
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

const extras = { quality: "best", callback: "https://a.example/" };

type Row = [name: string, plain: NoEffectRow["plain"], input: object, root?: object];

const ROWS: readonly Row[] = [
  ["an extra at the root", inspiration, {}, extras],
  ["an extra inside the input", custom, { temperature: 2, clips: 9 }],
  ["an extra of provider_b", providerB, { mood: "loud" }, { priority: 1 }],
  ["an extra of lyrics", lyrics, { language: "pt" }],
  ["an extra of concat", concat, { gap_seconds: 9 }],
  ["lyrics in inspiration mode", inspiration, { prompt: "[Verse]\nsnow" }],
  ["styles in inspiration mode", inspiration, { tags: "polka" }],
  ["a title in inspiration mode", inspiration, { title: "Snow" }],
  ["ignored fields of a wrong type in inspiration mode", inspiration, { prompt: 7, tags: [] }],
  ["a description in continuation mode", continuation, { gpt_description_prompt: "snow" }],
  ["styles in continuation mode", continuation, { tags: "polka" }],
  ["styles to avoid in continuation mode", continuation, { negative_tags: "fado" }],
  ["no singing in continuation mode", continuation, { make_instrumental: true }],
  ["where to continue, in custom mode", custom, { continue_at: 12 }],
  ["make_instrumental as it is by default", custom, { make_instrumental: false }],
  ["model_version as it is by default", custom, { model_version: "v6" }],
  ["model_version v5.5, which v6 stands in for", custom, { model_version: "v5.5" }],
  ["model_version v5, which v6 stands in for", inspiration, { model_version: "v5" }],
  ["an audio format of lyrics", lyrics, {}, { audio_format: "mp3" }],
];

export const NO_EFFECT: readonly NoEffectRow[] = ROWS.map(([name, plain, input, root = {}]) => ({
  name,
  plain,
  input,
  root,
}));
