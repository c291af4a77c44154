import { bodies } from "./row.js";

const CREATION = "Resources: Task creation request";
const CHOICES = "Errors: Condition, where the design fixes what it leaves open";

const input = { prompt: "a letter to the sea" };

/** The root of the body. */
export const ENVELOPE = [
  ...bodies(CREATION, [
    ["everything that is required", { model: "provider_a", task_type: "lyrics", input }, "accepted"],
    ["an extra at the root", { model: "provider_a", task_type: "lyrics", input, callback: "x" }, "accepted"],
    [
      "extras of every type at the root",
      { model: "provider_a", task_type: "lyrics", input, a: 1, b: null, c: [{}] },
      "accepted",
    ],
    [
      "a field of an input at the root is an extra",
      { model: "provider_a", task_type: "lyrics", input, seed: "x" },
      "accepted",
    ],
    [
      "an input field at the root is not the input's",
      { model: "provider_a", task_type: "lyrics", input: {}, prompt: "a letter" },
      "invalid_task_input",
    ],
    [
      "an extra inside the input",
      { model: "provider_a", task_type: "lyrics", input: { ...input, mood: "calm" } },
      "accepted",
    ],
    [
      "extras of every type inside the input",
      {
        model: "provider_a",
        task_type: "lyrics",
        input: { ...input, a: 1, b: null, c: [[]], d: { e: false } },
      },
      "accepted",
    ],
    ["model names in capitals", { model: "PROVIDER_A", task_type: "lyrics", input }, "invalid_model"],
    ["a model of a later day", { model: "provider_c", task_type: "music", input }, "invalid_model"],
    ["an empty model", { model: "", task_type: "music", input }, "invalid_model"],
    ["a model with a blank behind it", { model: "provider_a ", task_type: "music", input }, "invalid_model"],
    ["a model that is a number", { model: 1, task_type: "music", input }, "invalid_model"],
    ["a model that is a list", { model: ["provider_a"], task_type: "music", input }, "invalid_model"],
    ["a model that is an object", { model: {}, task_type: "music", input }, "invalid_model"],
    [
      "a model that is a name of every object",
      { model: "constructor", task_type: "music", input },
      "invalid_model",
    ],
    ["an unknown task type", { model: "provider_a", task_type: "video", input }, "unsupported_task_type"],
    ["an empty task type", { model: "provider_a", task_type: "", input }, "unsupported_task_type"],
    ["a task type in capitals", { model: "provider_a", task_type: "MUSIC", input }, "unsupported_task_type"],
    ["a task type that is a number", { model: "provider_a", task_type: 3, input }, "unsupported_task_type"],
    [
      "a task type that is a list",
      { model: "provider_a", task_type: ["lyrics"], input },
      "unsupported_task_type",
    ],
    [
      "a task type that is a name of every object",
      { model: "provider_a", task_type: "toString", input },
      "unsupported_task_type",
    ],
    ["lyrics by provider_b", { model: "provider_b", task_type: "lyrics", input }, "unsupported_task_type"],
    [
      "an upload by provider_b",
      { model: "provider_b", task_type: "upload", input: { url: "https://example.com/a.mp3" } },
      "unsupported_task_type",
    ],
    [
      "a concat by provider_b",
      { model: "provider_b", task_type: "concat", input: { clip_id: "c" } },
      "unsupported_task_type",
    ],
    [
      "an unknown task type of provider_b",
      { model: "provider_b", task_type: "video", input },
      "unsupported_task_type",
    ],
  ]),
  ...bodies("Errors: missing_required_fields", [
    ["no model", { task_type: "lyrics", input }, "missing_required_fields"],
    ["no task type", { model: "provider_a", input }, "missing_required_fields"],
    ["no input", { model: "provider_a", task_type: "lyrics" }, "missing_required_fields"],
    ["an empty object", {}, "missing_required_fields"],
    [
      "required fields in another case",
      { Model: "provider_a", Task_type: "lyrics", Input: input },
      "missing_required_fields",
    ],
  ]),
  ...bodies("Errors: invalid_request_body", [
    ["a list", [], "invalid_request_body"],
    ["a request in a list", [{ model: "provider_a", task_type: "lyrics", input }], "invalid_request_body"],
    ["null", null, "invalid_request_body"],
    ["a string", "lyrics", "invalid_request_body"],
    ["a number", 7, "invalid_request_body"],
    ["true", true, "invalid_request_body"],
  ]),
  ...bodies(CHOICES, [
    ["a model of null is missing", { model: null, task_type: "lyrics", input }, "missing_required_fields"],
    [
      "a task type of null is missing",
      { model: "provider_a", task_type: null, input },
      "missing_required_fields",
    ],
    [
      "an input of null is missing",
      { model: "provider_a", task_type: "lyrics", input: null },
      "missing_required_fields",
    ],
    [
      "an input that is a string",
      { model: "provider_a", task_type: "lyrics", input: "a" },
      "invalid_task_input",
    ],
    [
      "an input that is a list",
      { model: "provider_a", task_type: "lyrics", input: [] },
      "invalid_task_input",
    ],
    [
      "an input that is a number",
      { model: "provider_b", task_type: "music", input: 0 },
      "invalid_task_input",
    ],
    [
      "an input that is false",
      { model: "provider_b", task_type: "music", input: false },
      "invalid_task_input",
    ],
  ]),
];
