import { inputs } from "./row.js";

const rain = (more: object) => ({ gpt_description_prompt: "rain", ...more });

const MODES = "Input for `provider_a`, task `music`";

/** Inspiration mode: a description, and no clip to continue. */
export const INSPIRATION = [
  ...inputs(`${MODES}: inspiration`, "provider_a", "music", [
    ["a description", { gpt_description_prompt: "rain in Lisbon" }, "accepted"],
    ["one character", { gpt_description_prompt: "x" }, "accepted"],
    ["blanks around a character", { gpt_description_prompt: " \n x " }, "accepted"],
    ["an empty description", { gpt_description_prompt: "" }, "invalid_task_input"],
    ["a blank description", { gpt_description_prompt: "  \t\n" }, "invalid_task_input"],
    ["a description that is a number", { gpt_description_prompt: 7 }, "invalid_task_input"],
    ["a description that is a list", { gpt_description_prompt: ["rain"] }, "invalid_task_input"],
    ["a description that is false", { gpt_description_prompt: false }, "invalid_task_input"],
    ["a description of null", { gpt_description_prompt: null }, "invalid_task_input"],
    [
      "an empty description beside lyrics",
      { gpt_description_prompt: "", prompt: "rain" },
      "invalid_task_input",
    ],

    ["lyrics, ignored", rain({ prompt: "words" }), "accepted"],
    ["styles, ignored", rain({ tags: "fado" }), "accepted"],
    ["a title, ignored", rain({ title: { any: ["thing"] } }), "accepted"],
    ["styles to avoid", rain({ negative_tags: "drums" }), "accepted"],
    ["styles to avoid that are a number", rain({ negative_tags: 7 }), "invalid_task_input"],
    ["make_instrumental true", rain({ make_instrumental: true }), "accepted"],
    ["make_instrumental as text", rain({ make_instrumental: "yes" }), "invalid_task_input"],
    ["model_version v6", rain({ model_version: "v6" }), "accepted"],
    ["model_version v5.5", rain({ model_version: "v5.5" }), "accepted"],
    ["model_version v5", rain({ model_version: "v5" }), "accepted"],
    ["model_version v7", rain({ model_version: "v7" }), "invalid_task_input"],

    ["lyrics of provider_b", rain({ lyrics: "words" }), "invalid_task_input"],
    ["lyrics_type of provider_b", rain({ lyrics_type: "generate" }), "invalid_task_input"],
    ["seed of provider_b", rain({ seed: 1 }), "invalid_task_input"],
  ]),
  ...inputs(`${MODES}: inspiration; what a mode ignores is not validated`, "provider_a", "music", [
    ["ignored lyrics of another type", rain({ prompt: 7 }), "accepted"],
    ["ignored styles of another type", rain({ tags: ["fado"] }), "accepted"],
    ["ignored lyrics and styles of null", rain({ prompt: null, tags: null }), "accepted"],
  ]),
];
