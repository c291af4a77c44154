import { inputs } from "./row.js";

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

    ["lyrics, ignored", { gpt_description_prompt: "rain", prompt: "words" }, "accepted"],
    ["styles, ignored", { gpt_description_prompt: "rain", tags: "fado" }, "accepted"],
    ["a title, ignored", { gpt_description_prompt: "rain", title: { any: ["thing"] } }, "accepted"],
    ["styles to avoid", { gpt_description_prompt: "rain", negative_tags: "drums" }, "accepted"],
    [
      "styles to avoid that are a number",
      { gpt_description_prompt: "rain", negative_tags: 7 },
      "invalid_task_input",
    ],
    ["make_instrumental true", { gpt_description_prompt: "rain", make_instrumental: true }, "accepted"],
    [
      "make_instrumental as text",
      { gpt_description_prompt: "rain", make_instrumental: "yes" },
      "invalid_task_input",
    ],
    ["model_version v6", { gpt_description_prompt: "rain", model_version: "v6" }, "accepted"],
    ["model_version v5.5", { gpt_description_prompt: "rain", model_version: "v5.5" }, "accepted"],
    ["model_version v5", { gpt_description_prompt: "rain", model_version: "v5" }, "accepted"],
    ["model_version v7", { gpt_description_prompt: "rain", model_version: "v7" }, "invalid_task_input"],

    ["lyrics of provider_b", { gpt_description_prompt: "rain", lyrics: "words" }, "invalid_task_input"],
    [
      "lyrics_type of provider_b",
      { gpt_description_prompt: "rain", lyrics_type: "generate" },
      "invalid_task_input",
    ],
    ["seed of provider_b", { gpt_description_prompt: "rain", seed: 1 }, "invalid_task_input"],
  ]),
  ...inputs(`${MODES}: inspiration; what a mode ignores is not validated`, "provider_a", "music", [
    ["ignored lyrics of another type", { gpt_description_prompt: "rain", prompt: 7 }, "accepted"],
    ["ignored styles of another type", { gpt_description_prompt: "rain", tags: ["fado"] }, "accepted"],
    [
      "ignored lyrics and styles of null",
      { gpt_description_prompt: "rain", prompt: null, tags: null },
      "accepted",
    ],
  ]),
];
