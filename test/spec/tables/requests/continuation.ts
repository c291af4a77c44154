import { inputs } from "./row.js";

const on = (more: object) => ({ continue_clip_id: "c", ...more });

const MODES = "Input for `provider_a`, task `music`";

/** Continuation mode: a clip to continue, whatever else there is. */
export const CONTINUATION = [
  ...inputs(`${MODES}: continuation`, "provider_a", "music", [
    ["a clip", { continue_clip_id: "c" }, "accepted"],
    ["a clip and a description, ignored", on({ gpt_description_prompt: "rain" }), "accepted"],
    ["an empty clip ID", { continue_clip_id: "" }, "invalid_task_input"],
    ["a blank clip ID", { continue_clip_id: "  " }, "invalid_task_input"],
    ["a clip ID that is a number", { continue_clip_id: 7 }, "invalid_task_input"],
    ["a clip ID that is a list", { continue_clip_id: ["c"] }, "invalid_task_input"],
    ["a clip ID of null", { continue_clip_id: null }, "invalid_task_input"],
    [
      "an empty clip ID beside a description",
      { continue_clip_id: "", gpt_description_prompt: "rain" },
      "invalid_task_input",
    ],
    ["an empty clip ID beside lyrics", { continue_clip_id: "", prompt: "rain" }, "invalid_task_input"],
    ["a clip ID of null beside lyrics", { continue_clip_id: null, prompt: "rain" }, "invalid_task_input"],

    ["continuation lyrics", on({ prompt: "more rain" }), "accepted"],
    ["empty continuation lyrics", on({ prompt: "" }), "accepted"],
    ["continuation lyrics that are a number", on({ prompt: 7 }), "invalid_task_input"],
    ["continuation lyrics of null", on({ prompt: null }), "invalid_task_input"],
    ["styles, ignored", on({ tags: "fado" }), "accepted"],
    ["styles to avoid, ignored", on({ negative_tags: "drums" }), "accepted"],
    ["make_instrumental, ignored", on({ make_instrumental: true }), "accepted"],
    ["a title", on({ title: "Rain, too" }), "accepted"],
    ["a title that is a number", on({ title: 2 }), "accepted"],
    ["a title of null", on({ title: null }), "accepted"],
    ["a title that is an object", on({ title: { part: 2 } }), "accepted"],
    ["model_version v6", on({ model_version: "v6" }), "accepted"],
    ["model_version v5.5", on({ model_version: "v5.5" }), "accepted"],
    ["model_version v5", on({ model_version: "v5" }), "accepted"],
    ["model_version v3", on({ model_version: "v3" }), "invalid_task_input"],
    ["model_version of null", on({ model_version: null }), "invalid_task_input"],

    ["from the start", on({ continue_at: 0 }), "accepted"],
    ["from a whole second", on({ continue_at: 42 }), "accepted"],
    ["from a part of a second", on({ continue_at: 12.75 }), "accepted"],
    ["from before the start", on({ continue_at: -1 }), "invalid_task_input"],
    ["from just before the start", on({ continue_at: -0.001 }), "invalid_task_input"],
    ["continue_at as text", on({ continue_at: "12" }), "invalid_task_input"],
    ["continue_at of null", on({ continue_at: null }), "invalid_task_input"],
    ["continue_at of true", on({ continue_at: true }), "invalid_task_input"],

    ["lyrics of provider_b", on({ lyrics: "words" }), "invalid_task_input"],
    ["lyrics_type of provider_b", on({ lyrics_type: "user" }), "invalid_task_input"],
    ["seed of provider_b", on({ seed: 0 }), "invalid_task_input"],
  ]),
  ...inputs(`${MODES}: continuation; what a mode ignores is not validated`, "provider_a", "music", [
    ["an ignored description of another type", on({ gpt_description_prompt: 7 }), "accepted"],
    ["an ignored empty description", on({ gpt_description_prompt: "" }), "accepted"],
    ["ignored styles of another type", on({ tags: 7, negative_tags: [] }), "accepted"],
    ["an ignored make_instrumental of another type", on({ make_instrumental: "yes" }), "accepted"],
  ]),
];
