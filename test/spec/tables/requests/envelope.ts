import { bodies } from "./row.js";

const CREATION = "Resources: Task creation request";
const CHOICES = "Errors: Condition, where the design fixes what it leaves open";

const input = { prompt: "a letter to the sea" };
const EXTRAS = { a: 1, b: null, c: [[]], d: { e: false } };
const upload = { url: "https://example.com/a.mp3" };
const lyrics = (more: object) => ({ model: "provider_a", task_type: "lyrics", input, ...more });
const from = (model: unknown) => ({ model, task_type: "music", input });
const byA = (task_type: unknown) => ({ model: "provider_a", task_type, input });
const byB = (task_type: unknown, its: unknown = input) => ({ model: "provider_b", task_type, input: its });

export const ENVELOPE = [
  ...bodies(CREATION, [
    ["everything that is required", lyrics({}), "accepted"],
    ["an extra at the root", lyrics({ callback: "x" }), "accepted"],
    ["extras of every type at the root", lyrics(EXTRAS), "accepted"],
    ["a field of an input at the root is an extra", lyrics({ seed: "x" }), "accepted"],
    [
      "an input field at the root is not the input's",
      lyrics({ input: {}, prompt: "a" }),
      "invalid_task_input",
    ],
    ["an extra inside the input", lyrics({ input: { ...input, mood: "calm" } }), "accepted"],
    ["extras of every type inside the input", lyrics({ input: { ...input, ...EXTRAS } }), "accepted"],
    ["model names in capitals", from("PROVIDER_A"), "invalid_model"],
    ["a model of a later day", from("provider_c"), "invalid_model"],
    ["an empty model", from(""), "invalid_model"],
    ["a model with a blank behind it", from("provider_a "), "invalid_model"],
    ["a model that is a number", from(1), "invalid_model"],
    ["a model that is a list", from(["provider_a"]), "invalid_model"],
    ["a model that is an object", from({}), "invalid_model"],
    ["a model that is a name of every object", from("constructor"), "invalid_model"],
    ["an unknown task type", byA("video"), "unsupported_task_type"],
    ["an empty task type", byA(""), "unsupported_task_type"],
    ["a task type in capitals", byA("MUSIC"), "unsupported_task_type"],
    ["a task type that is a number", byA(3), "unsupported_task_type"],
    ["a task type that is a list", byA(["lyrics"]), "unsupported_task_type"],
    ["a task type that is a name of every object", byA("toString"), "unsupported_task_type"],
    ["lyrics by provider_b", byB("lyrics"), "unsupported_task_type"],
    ["an upload by provider_b", byB("upload", upload), "unsupported_task_type"],
    ["a concat by provider_b", byB("concat", { clip_id: "c" }), "unsupported_task_type"],
    ["an unknown task type of provider_b", byB("video"), "unsupported_task_type"],
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
    ["a request in a list", [lyrics({})], "invalid_request_body"],
    ["null", null, "invalid_request_body"],
    ["a string", "lyrics", "invalid_request_body"],
    ["a number", 7, "invalid_request_body"],
    ["true", true, "invalid_request_body"],
  ]),
  ...bodies(CHOICES, [
    ["a model of null is missing", lyrics({ model: null }), "missing_required_fields"],
    ["a task type of null is missing", lyrics({ task_type: null }), "missing_required_fields"],
    ["an input of null is missing", lyrics({ input: null }), "missing_required_fields"],
    ["an input that is a string", lyrics({ input: "a" }), "invalid_task_input"],
    ["an input that is a list", lyrics({ input: [] }), "invalid_task_input"],
    ["an input that is a number", byB("music", 0), "invalid_task_input"],
    ["an input that is false", byB("music", false), "invalid_task_input"],
  ]),
];
