import { bodies } from "./row.js";

/** Several violations at once: the order of errors that the design fixes. */
export const SEVERAL_VIOLATIONS = bodies("Errors: which error wins, as the design fixes it", [
  ["no required field, with a wrong format", { audio_format: "wav" }, "missing_required_fields"],
  ["no input, for an unknown model", { model: "provider_c", task_type: "music" }, "missing_required_fields"],
  [
    "no model, with an unknown type and a wrong input",
    { task_type: "video", input: 7 },
    "missing_required_fields",
  ],
  [
    "no task type, with a wrong format and input",
    { model: "x", input: {}, audio_format: 1 },
    "missing_required_fields",
  ],
  ["everything wrong", { model: "x", task_type: "video", input: 7, audio_format: "wav" }, "invalid_model"],
  [
    "an unknown model and a wrong format",
    { model: "x", task_type: "music", input: {}, audio_format: "wav" },
    "invalid_model",
  ],
  ["an unknown model and a wrong input", { model: "x", task_type: "music", input: [] }, "invalid_model"],
  [
    "a wrong task type, format and input",
    { model: "provider_a", task_type: "video", input: 7, audio_format: "wav" },
    "unsupported_task_type",
  ],
  [
    "a task type of the other model and a wrong format",
    { model: "provider_b", task_type: "lyrics", input: { prompt: "rain" }, audio_format: "wav" },
    "unsupported_task_type",
  ],
  [
    "a task type of the other model and a wrong input",
    { model: "provider_b", task_type: "upload", input: { url: "ftp://a" } },
    "unsupported_task_type",
  ],
  [
    "a wrong format and no known input",
    { model: "provider_a", task_type: "music", input: {}, audio_format: "wav" },
    "invalid_audio_format",
  ],
  [
    "a wrong format and an input that is no object",
    { model: "provider_b", task_type: "music", input: "calm", audio_format: null },
    "invalid_audio_format",
  ],
  [
    "a wrong format and mixed field sets",
    {
      model: "provider_b",
      task_type: "music",
      input: { prompt: "a", make_instrumental: true },
      audio_format: "ogg",
    },
    "invalid_audio_format",
  ],
  [
    "several wrong fields of one input",
    { model: "provider_a", task_type: "music", input: { prompt: 1, tags: 2, seed: 3, model_version: "v1" } },
    "invalid_task_input",
  ],
]);
