import type { Model, TaskType } from "../../src/contract/service.js";

const TASK_ID = "3f0c5d0e-9a3b-4c56-8b1e-2f6d7a90c1de";
const CREATED_AT = "2026-05-04T09:30:00.000Z";

export const REQUEST_EXAMPLES = {
  inspiration: example(
    "A song from a description, as MP3",
    "provider_a",
    "music",
    { gpt_description_prompt: "rain in Lisbon, a slow fado" },
    { audio_format: "mp3" },
  ),
  custom: example("A song from lyrics and styles", "provider_a", "music", {
    prompt: "[Verse]\nrain on the tram",
    tags: "fado, slow",
    title: "Tram 28",
  }),
  instrumental: example("An instrumental from styles", "provider_a", "music", {
    tags: "fado, guitar",
    make_instrumental: true,
  }),
  continuation: example("A continuation of a clip", "provider_a", "music", {
    continue_clip_id: "clip-1",
    continue_at: 42.5,
  }),
  providerB: example("A song by provider_b", "provider_b", "music", {
    prompt: "calm and wide",
    lyrics_type: "instrumental",
    seed: 35,
  }),
  lyrics: example("Lyrics", "provider_a", "lyrics", { prompt: "a letter to the sea" }),
  upload: example("A clip from a file", "provider_a", "upload", { url: "https://example.com/humming.mp3" }),
  concat: example("The whole of a continued song", "provider_a", "concat", { clip_id: "clip-2" }),
};

function example(summary: string, model: Model, task_type: TaskType, input: object, options: object = {}) {
  return { summary, value: { model, task_type, input, ...options } };
}

export const RESPONSE_EXAMPLES = {
  submission: {
    code: 202,
    data: {
      task_id: TASK_ID,
      type: "music",
      status: "pending",
      credits_charged: 10,
      created_at: CREATED_AT,
      audio_format: "mp3",
    },
  },
  task: {
    code: 200,
    data: {
      task_id: TASK_ID,
      model: "provider_a",
      type: "music",
      status: "success",
      credits_cost: 10,
      input: { gpt_description_prompt: "rain in Lisbon, a slow fado" },
      audio_format: "mp3",
      output: {
        task_type: "music",
        status: "completed",
        progress: "100%",
        fail_reason: null,
        result: [
          {
            id: "clip-1",
            audio_url: "https://music.example/audio/clip-1",
            image_url: "https://provider.example/art/clip-1",
            title: "Tram 28",
            metadata: { duration: 94.5, tags: "fado, slow", prompt: "[Verse]\nrain on the tram" },
          },
        ],
      },
      error: null,
      error_code: null,
      retryable: null,
      retry_after_seconds: null,
      created_at: CREATED_AT,
      completed_at: "2026-05-04T09:32:10.000Z",
    },
  },
  balance: { code: 200, data: { available: 80, frozen: 10, total: 90 } },
  usage: { code: 200, data: { tasks_created: 3, credits_used: 20, credits_topped_up: 100 } },
} as const;
