import { inputs } from "./row.js";

const MODES = "Input for `provider_a`, task `music`";

/** Continuation mode: a clip to continue, whatever else there is. */
export const CONTINUATION = [
  ...inputs(`${MODES}: continuation`, "provider_a", "music", [
    ["a clip", { continue_clip_id: "c" }, "accepted"],
    [
      "a clip and a description, ignored",
      { continue_clip_id: "c", gpt_description_prompt: "rain" },
      "accepted",
    ],
    ["an empty clip id", { continue_clip_id: "" }, "invalid_task_input"],
    ["a blank clip id", { continue_clip_id: "  " }, "invalid_task_input"],
    ["a clip id that is a number", { continue_clip_id: 7 }, "invalid_task_input"],
    ["a clip id that is a list", { continue_clip_id: ["c"] }, "invalid_task_input"],
    ["a clip id of null", { continue_clip_id: null }, "invalid_task_input"],
    [
      "an empty clip id beside a description",
      { continue_clip_id: "", gpt_description_prompt: "rain" },
      "invalid_task_input",
    ],
    ["an empty clip id beside lyrics", { continue_clip_id: "", prompt: "rain" }, "invalid_task_input"],
    ["a clip id of null beside lyrics", { continue_clip_id: null, prompt: "rain" }, "invalid_task_input"],

    ["continuation lyrics", { continue_clip_id: "c", prompt: "more rain" }, "accepted"],
    ["empty continuation lyrics", { continue_clip_id: "c", prompt: "" }, "accepted"],
    ["continuation lyrics that are a number", { continue_clip_id: "c", prompt: 7 }, "invalid_task_input"],
    ["continuation lyrics of null", { continue_clip_id: "c", prompt: null }, "invalid_task_input"],
    ["styles, ignored", { continue_clip_id: "c", tags: "fado" }, "accepted"],
    ["styles to avoid, ignored", { continue_clip_id: "c", negative_tags: "drums" }, "accepted"],
    ["make_instrumental, ignored", { continue_clip_id: "c", make_instrumental: true }, "accepted"],
    ["a title", { continue_clip_id: "c", title: "Rain, too" }, "accepted"],
    ["a title that is a number", { continue_clip_id: "c", title: 2 }, "accepted"],
    ["a title of null", { continue_clip_id: "c", title: null }, "accepted"],
    ["a title that is an object", { continue_clip_id: "c", title: { part: 2 } }, "accepted"],
    ["model_version v6", { continue_clip_id: "c", model_version: "v6" }, "accepted"],
    ["model_version v5.5", { continue_clip_id: "c", model_version: "v5.5" }, "accepted"],
    ["model_version v5", { continue_clip_id: "c", model_version: "v5" }, "accepted"],
    ["model_version v3", { continue_clip_id: "c", model_version: "v3" }, "invalid_task_input"],
    ["model_version of null", { continue_clip_id: "c", model_version: null }, "invalid_task_input"],

    ["from the start", { continue_clip_id: "c", continue_at: 0 }, "accepted"],
    ["from a whole second", { continue_clip_id: "c", continue_at: 42 }, "accepted"],
    ["from a part of a second", { continue_clip_id: "c", continue_at: 12.75 }, "accepted"],
    ["from before the start", { continue_clip_id: "c", continue_at: -1 }, "invalid_task_input"],
    ["from just before the start", { continue_clip_id: "c", continue_at: -0.001 }, "invalid_task_input"],
    ["continue_at as text", { continue_clip_id: "c", continue_at: "12" }, "invalid_task_input"],
    ["continue_at of null", { continue_clip_id: "c", continue_at: null }, "invalid_task_input"],
    ["continue_at of true", { continue_clip_id: "c", continue_at: true }, "invalid_task_input"],

    ["lyrics of provider_b", { continue_clip_id: "c", lyrics: "words" }, "invalid_task_input"],
    ["lyrics_type of provider_b", { continue_clip_id: "c", lyrics_type: "user" }, "invalid_task_input"],
    ["seed of provider_b", { continue_clip_id: "c", seed: 0 }, "invalid_task_input"],
  ]),
  ...inputs(`${MODES}: continuation; what a mode ignores is not validated`, "provider_a", "music", [
    [
      "an ignored description of another type",
      { continue_clip_id: "c", gpt_description_prompt: 7 },
      "accepted",
    ],
    ["an ignored empty description", { continue_clip_id: "c", gpt_description_prompt: "" }, "accepted"],
    ["ignored styles of another type", { continue_clip_id: "c", tags: 7, negative_tags: [] }, "accepted"],
    [
      "an ignored make_instrumental of another type",
      { continue_clip_id: "c", make_instrumental: "yes" },
      "accepted",
    ],
  ]),
];
