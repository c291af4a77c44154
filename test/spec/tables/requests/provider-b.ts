import { inputs } from "./row.js";

const calm = (more: object) => ({ prompt: "calm", ...more });

export const PROVIDER_B = [
  ...inputs("Input for `provider_b`, task `music`", "provider_b", "music", [
    ["a mood", { prompt: "calm and wide" }, "accepted"],
    ["all fields", calm({ lyrics: "rain", tags: "fado", lyrics_type: "user", seed: 7 }), "accepted"],
    ["no prompt", { lyrics: "rain" }, "invalid_task_input"],
    ["nothing", {}, "invalid_task_input"],
    ["an empty prompt", { prompt: "" }, "invalid_task_input"],
    ["a blank prompt", { prompt: " \n " }, "invalid_task_input"],
    ["a blank prompt with styles", { prompt: " ", tags: "fado" }, "invalid_task_input"],
    ["styles alone", { tags: "fado" }, "invalid_task_input"],
    ["a prompt that is a number", { prompt: 7 }, "invalid_task_input"],
    ["a prompt of null", { prompt: null }, "invalid_task_input"],

    ["lyrics", calm({ lyrics: "rain" }), "accepted"],
    ["empty lyrics", calm({ lyrics: "" }), "accepted"],
    ["lyrics that are a list", calm({ lyrics: ["rain"] }), "invalid_task_input"],
    ["lyrics of null", calm({ lyrics: null }), "invalid_task_input"],
    ["styles", calm({ tags: "fado" }), "accepted"],
    ["styles that are a list", calm({ tags: ["fado"] }), "invalid_task_input"],
    ["styles of null", calm({ tags: null }), "invalid_task_input"],

    ["lyrics_type generate", calm({ lyrics_type: "generate" }), "accepted"],
    ["lyrics_type user", calm({ lyrics_type: "user" }), "accepted"],
    ["lyrics_type instrumental", calm({ lyrics_type: "instrumental" }), "accepted"],
    ["another lyrics_type", calm({ lyrics_type: "auto" }), "invalid_task_input"],
    ["lyrics_type in capitals", calm({ lyrics_type: "User" }), "invalid_task_input"],
    ["an empty lyrics_type", calm({ lyrics_type: "" }), "invalid_task_input"],
    ["lyrics_type as a number", calm({ lyrics_type: 1 }), "invalid_task_input"],
    ["lyrics_type of null", calm({ lyrics_type: null }), "invalid_task_input"],

    ["seed 0", calm({ seed: 0 }), "accepted"],
    ["a seed below zero", calm({ seed: -5 }), "accepted"],
    ["a large seed", calm({ seed: 9_007_199_254_740_991 }), "accepted"],
    ["a seed beyond the safe integers", calm({ seed: 1e21 }), "accepted"],
    ["a seed with a fraction", calm({ seed: 1.5 }), "invalid_task_input"],
    ["a seed that is next to nothing", calm({ seed: 1e-7 }), "invalid_task_input"],
    ["a seed with a small fraction", calm({ seed: 123_456_789.000_000_01 }), "invalid_task_input"],
    ["a seed as text", calm({ seed: "7" }), "invalid_task_input"],
    ["a seed of true", calm({ seed: true }), "invalid_task_input"],
    ["a seed of null", calm({ seed: null }), "invalid_task_input"],

    ["a description of provider_a", calm({ gpt_description_prompt: "rain" }), "invalid_task_input"],
    ["a description of provider_a alone", { gpt_description_prompt: "rain" }, "invalid_task_input"],
    ["make_instrumental of provider_a", calm({ make_instrumental: true }), "invalid_task_input"],
    ["make_instrumental false", calm({ make_instrumental: false }), "invalid_task_input"],
  ]),
  ...inputs("Policy: `mixed_field_sets`", "provider_b", "music", [
    ["negative_tags of provider_a", calm({ negative_tags: "drums" }), "invalid_task_input"],
    ["title of provider_a", calm({ title: "Rain" }), "invalid_task_input"],
    ["model_version of provider_a", calm({ model_version: "v6" }), "invalid_task_input"],
    ["continue_clip_id of provider_a", calm({ continue_clip_id: "c" }), "invalid_task_input"],
    ["continue_at of provider_a", calm({ continue_at: 3 }), "invalid_task_input"],
    [
      "the address of an upload by provider_a",
      calm({ url: "https://files.example.com/hum.wav" }),
      "invalid_task_input",
    ],
    ["the clip of a concat by provider_a", calm({ clip_id: "c" }), "invalid_task_input"],
    ["an unknown field is an extra", calm({ mood: 7 }), "accepted"],
  ]),
];
