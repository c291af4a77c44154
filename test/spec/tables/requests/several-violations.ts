import { bodies } from "./row.js";

const byA = (task_type: string, input: unknown, audio_format?: unknown) => ({
  ...{ model: "provider_a", task_type, input },
  ...(audio_format !== undefined && { audio_format }),
});
const mixed = { prompt: "a", make_instrumental: true };
const byB = (...given: Parameters<typeof byA>) => ({ ...byA(...given), model: "provider_b" });
const byX = (...given: Parameters<typeof byA>) => ({ ...byA(...given), model: "x" });

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
  ["everything wrong", byX("video", 7, "wav"), "invalid_model"],
  ["an unknown model and a wrong format", byX("music", {}, "wav"), "invalid_model"],
  ["an unknown model and a wrong input", byX("music", []), "invalid_model"],
  ["a wrong task type, format and input", byA("video", 7, "wav"), "unsupported_task_type"],
  [
    "the other model's task type, a wrong format",
    byB("lyrics", { prompt: "rain" }, "wav"),
    "unsupported_task_type",
  ],
  ["the other model's task type, a wrong input", byB("upload", { url: "ftp://a" }), "unsupported_task_type"],
  ["a wrong format and no known input", byA("music", {}, "wav"), "invalid_audio_format"],
  ["a wrong format and an input that is no object", byB("music", "calm", null), "invalid_audio_format"],
  ["a wrong format and mixed field sets", byB("music", mixed, "ogg"), "invalid_audio_format"],
  [
    "several wrong fields",
    byA("music", { prompt: 1, tags: 2, seed: 3, model_version: "v1" }),
    "invalid_task_input",
  ],
]);
