import { inputs } from "./row.js";

const MODES = "Input for `provider_a`, task `music`";

/** Custom mode: neither a description nor a clip to continue. */
export const CUSTOM = inputs(`${MODES}: custom`, "provider_a", "music", [
  ["lyrics alone", { prompt: "[Verse]\nrain" }, "accepted"],
  ["styles alone", { tags: "fado, slow" }, "accepted"],
  ["lyrics and styles", { prompt: "rain", tags: "fado" }, "accepted"],
  ["empty lyrics with styles", { prompt: "", tags: "fado" }, "accepted"],
  ["lyrics with empty styles", { prompt: "rain", tags: "" }, "accepted"],
  ["blank lyrics with styles", { prompt: " \n", tags: "fado" }, "accepted"],
  ["an instrumental by style", { tags: "fado", make_instrumental: true }, "accepted"],
  [
    "all fields",
    {
      prompt: "rain",
      tags: "fado",
      negative_tags: "drums",
      title: "Rain",
      make_instrumental: false,
      model_version: "v6",
    },
    "accepted",
  ],
  ["one character of lyrics", { prompt: "o" }, "accepted"],
  ["lyrics in another script", { prompt: "雨" }, "accepted"],

  ["nothing", {}, "invalid_task_input"],
  ["only extras", { mood: "calm" }, "invalid_task_input"],
  [
    "neither lyrics nor styles",
    { title: "Rain", make_instrumental: true, model_version: "v6" },
    "invalid_task_input",
  ],
  ["empty lyrics", { prompt: "" }, "invalid_task_input"],
  ["blank lyrics", { prompt: " \t\r\n" }, "invalid_task_input"],
  ["empty styles", { tags: "" }, "invalid_task_input"],
  ["blank styles", { tags: "   " }, "invalid_task_input"],
  ["empty lyrics and styles", { prompt: "", tags: "" }, "invalid_task_input"],
  ["blank lyrics and styles", { prompt: " ", tags: "\t" }, "invalid_task_input"],
  ["lyrics of no-break spaces", { prompt: "\u00a0\u3000" }, "invalid_task_input"],

  ["lyrics that are a number", { prompt: 7, tags: "fado" }, "invalid_task_input"],
  ["lyrics that are a list", { prompt: ["rain"] }, "invalid_task_input"],
  ["lyrics of null", { prompt: null, tags: "fado" }, "invalid_task_input"],
  ["styles that are a list", { tags: ["fado"] }, "invalid_task_input"],
  ["styles of null", { prompt: "rain", tags: null }, "invalid_task_input"],
  ["styles that are an object", { prompt: "rain", tags: {} }, "invalid_task_input"],

  ["styles to avoid", { tags: "fado", negative_tags: "drums" }, "accepted"],
  ["empty styles to avoid", { tags: "fado", negative_tags: "" }, "accepted"],
  ["styles to avoid that are a list", { tags: "fado", negative_tags: ["drums"] }, "invalid_task_input"],
  ["styles to avoid of null", { tags: "fado", negative_tags: null }, "invalid_task_input"],

  ["make_instrumental false", { tags: "fado", make_instrumental: false }, "accepted"],
  ["make_instrumental as text", { tags: "fado", make_instrumental: "true" }, "invalid_task_input"],
  ["make_instrumental as a number", { tags: "fado", make_instrumental: 1 }, "invalid_task_input"],
  ["make_instrumental of null", { tags: "fado", make_instrumental: null }, "invalid_task_input"],

  ["model_version v6", { tags: "fado", model_version: "v6" }, "accepted"],
  ["model_version v5.5", { tags: "fado", model_version: "v5.5" }, "accepted"],
  ["model_version v5", { tags: "fado", model_version: "v5" }, "accepted"],
  ["model_version v4", { tags: "fado", model_version: "v4" }, "invalid_task_input"],
  ["model_version V6", { tags: "fado", model_version: "V6" }, "invalid_task_input"],
  ["model_version without its letter", { tags: "fado", model_version: "6" }, "invalid_task_input"],
  ["an empty model_version", { tags: "fado", model_version: "" }, "invalid_task_input"],
  ["model_version as a number", { tags: "fado", model_version: 6 }, "invalid_task_input"],
  ["model_version of null", { tags: "fado", model_version: null }, "invalid_task_input"],

  ["a title", { tags: "fado", title: "Rain" }, "accepted"],
  ["an empty title", { tags: "fado", title: "" }, "accepted"],
  ["a title that is a number", { tags: "fado", title: 1984 }, "accepted"],
  ["a title that is a fraction", { tags: "fado", title: -0.5 }, "accepted"],
  ["a title that is true", { tags: "fado", title: true }, "accepted"],
  ["a title that is false", { tags: "fado", title: false }, "accepted"],
  ["a title of null", { tags: "fado", title: null }, "accepted"],
  ["a title that is a list", { tags: "fado", title: ["Rain", 2] }, "accepted"],
  ["a title that is an object", { tags: "fado", title: { en: "Rain" } }, "accepted"],

  ["lyrics of provider_b", { tags: "fado", lyrics: "rain" }, "invalid_task_input"],
  ["lyrics_type of provider_b", { tags: "fado", lyrics_type: "user" }, "invalid_task_input"],
  ["seed of provider_b", { tags: "fado", seed: 7 }, "invalid_task_input"],
  ["a field of another task type is an extra", { tags: "fado", url: 7, clip_id: false }, "accepted"],
  ["where to continue, with nothing to continue", { tags: "fado", continue_at: 12 }, "accepted"],
]);
