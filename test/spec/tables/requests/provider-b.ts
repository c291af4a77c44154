import { inputs } from "./row.js";

/** Music by `provider_b`. */
export const PROVIDER_B = [
  ...inputs("Input for `provider_b`, task `music`", "provider_b", "music", [
    ["a mood", { prompt: "calm and wide" }, "accepted"],
    [
      "all fields",
      { prompt: "calm", lyrics: "rain", tags: "fado", lyrics_type: "user", seed: 7 },
      "accepted",
    ],
    ["no prompt", { lyrics: "rain" }, "invalid_task_input"],
    ["nothing", {}, "invalid_task_input"],
    ["an empty prompt", { prompt: "" }, "invalid_task_input"],
    ["a blank prompt", { prompt: " \n " }, "invalid_task_input"],
    ["a blank prompt with styles", { prompt: " ", tags: "fado" }, "invalid_task_input"],
    ["styles alone", { tags: "fado" }, "invalid_task_input"],
    ["a prompt that is a number", { prompt: 7 }, "invalid_task_input"],
    ["a prompt of null", { prompt: null }, "invalid_task_input"],

    ["lyrics", { prompt: "calm", lyrics: "rain" }, "accepted"],
    ["empty lyrics", { prompt: "calm", lyrics: "" }, "accepted"],
    ["lyrics that are a list", { prompt: "calm", lyrics: ["rain"] }, "invalid_task_input"],
    ["lyrics of null", { prompt: "calm", lyrics: null }, "invalid_task_input"],
    ["styles", { prompt: "calm", tags: "fado" }, "accepted"],
    ["styles that are a list", { prompt: "calm", tags: ["fado"] }, "invalid_task_input"],
    ["styles of null", { prompt: "calm", tags: null }, "invalid_task_input"],

    ["lyrics_type generate", { prompt: "calm", lyrics_type: "generate" }, "accepted"],
    ["lyrics_type user", { prompt: "calm", lyrics_type: "user" }, "accepted"],
    ["lyrics_type instrumental", { prompt: "calm", lyrics_type: "instrumental" }, "accepted"],
    ["another lyrics_type", { prompt: "calm", lyrics_type: "auto" }, "invalid_task_input"],
    ["lyrics_type in capitals", { prompt: "calm", lyrics_type: "User" }, "invalid_task_input"],
    ["an empty lyrics_type", { prompt: "calm", lyrics_type: "" }, "invalid_task_input"],
    ["lyrics_type as a number", { prompt: "calm", lyrics_type: 1 }, "invalid_task_input"],
    ["lyrics_type of null", { prompt: "calm", lyrics_type: null }, "invalid_task_input"],

    ["seed 0", { prompt: "calm", seed: 0 }, "accepted"],
    ["a seed below zero", { prompt: "calm", seed: -5 }, "accepted"],
    ["a large seed", { prompt: "calm", seed: 9_007_199_254_740_991 }, "accepted"],
    ["a seed beyond the safe integers", { prompt: "calm", seed: 1e21 }, "accepted"],
    ["a seed with a fraction", { prompt: "calm", seed: 1.5 }, "invalid_task_input"],
    ["a seed that is next to nothing", { prompt: "calm", seed: 1e-7 }, "invalid_task_input"],
    ["a seed with a small fraction", { prompt: "calm", seed: 123_456_789.000_000_01 }, "invalid_task_input"],
    ["a seed as text", { prompt: "calm", seed: "7" }, "invalid_task_input"],
    ["a seed of true", { prompt: "calm", seed: true }, "invalid_task_input"],
    ["a seed of null", { prompt: "calm", seed: null }, "invalid_task_input"],

    ["a description of provider_a", { prompt: "calm", gpt_description_prompt: "rain" }, "invalid_task_input"],
    ["a description of provider_a alone", { gpt_description_prompt: "rain" }, "invalid_task_input"],
    ["make_instrumental of provider_a", { prompt: "calm", make_instrumental: true }, "invalid_task_input"],
    ["make_instrumental false", { prompt: "calm", make_instrumental: false }, "invalid_task_input"],
  ]),
  ...inputs("Policy: `mixed_field_sets`", "provider_b", "music", [
    ["negative_tags of provider_a", { prompt: "calm", negative_tags: "drums" }, "invalid_task_input"],
    ["title of provider_a", { prompt: "calm", title: "Rain" }, "invalid_task_input"],
    ["model_version of provider_a", { prompt: "calm", model_version: "v6" }, "invalid_task_input"],
    ["continue_clip_id of provider_a", { prompt: "calm", continue_clip_id: "c" }, "invalid_task_input"],
    ["continue_at of provider_a", { prompt: "calm", continue_at: 3 }, "invalid_task_input"],
    [
      "the address of an upload by provider_a",
      { prompt: "calm", url: "https://files.example.com/hum.wav" },
      "invalid_task_input",
    ],
    ["the clip of a concat by provider_a", { prompt: "calm", clip_id: "c" }, "invalid_task_input"],
    ["a field that nobody knows is an extra", { prompt: "calm", mood: 7 }, "accepted"],
  ]),
];
