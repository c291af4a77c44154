import { DESCRIBED_INPUTS, exampleInput } from "../../src/contract/input-texts.js";
import { capitalized } from "../../src/contract/text.js";

const TASK_ID = "3f0c5d0e-9a3b-4c56-8b1e-2f6d7a90c1de";
const CREATED_AT = "2026-05-04T09:30:00.000Z";

/** An example of each kind of request. The first one also names a format. */
export const REQUEST_EXAMPLES = Object.fromEntries(
  DESCRIBED_INPUTS.map((described, index) => {
    const { kind, model, task_type, texts } = described;
    const value = { model, task_type, input: exampleInput(described) };
    return [
      kind,
      { summary: capitalized(texts.result), value: index === 0 ? { ...value, audio_format: "mp3" } : value },
    ];
  }),
);

/** By the schema of their data. */
export const RESPONSE_EXAMPLES = {
  TaskSubmission: {
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
  Task: {
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
  Balance: { code: 200, data: { available: 80, frozen: 10, total: 90 } },
  Usage: { code: 200, data: { tasks_created: 3, credits_used: 20, credits_topped_up: 100 } },
} as const;
