/** One request of every offer that needs no earlier task. */
export const SAMPLES = {
  "provider_a music": {
    model: "provider_a",
    task_type: "music",
    input: { gpt_description_prompt: "rain in Lisbon" },
  },
  "provider_b music": { model: "provider_b", task_type: "music", input: { prompt: "calm and wide" } },
  "provider_a lyrics": { model: "provider_a", task_type: "lyrics", input: { prompt: "a letter to the sea" } },
  "provider_a upload": {
    model: "provider_a",
    task_type: "upload",
    input: { url: "https://example.com/song.mp3" },
  },
} as const;

/** The field by which the requests of a task type name a clip. Such a type has no other sample. */
const CLIP_FIELDS: Readonly<Record<string, string>> = { concat: "clip_id" };

/** Whether the requests of a task type must name a clip. */
export function namesClip(type: string): boolean {
  return type in CLIP_FIELDS;
}

/** A request of an offer. It names this clip, if its type needs one. */
export function sampleOf(
  { model, type }: { model: string; type: string },
  clipId: unknown = "some-clip",
): object {
  const clipField = CLIP_FIELDS[type];
  if (clipField !== undefined) return { model, task_type: type, input: { [clipField]: clipId } };
  const sample = Object.entries(SAMPLES).find(([name]) => name === `${model} ${type}`)?.[1];
  if (sample === undefined) throw new Error(`There is no sample of ${type} by ${model}`);
  return sample;
}
