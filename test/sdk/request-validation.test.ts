import { InvalidRequestError, type TaskRequest } from "async-music";
import { describe, expect, test } from "vitest";
import { accepted, type Fields, refusal } from "../support/answers.js";
import { rejection } from "../support/rejection.js";
import { createWorld } from "../support/world.js";

// Resources: Task creation request, field by field. What is refused here must have been refused by the service.

const music = (input: unknown, fields: Fields = {}) => ({
  model: "provider_a",
  task_type: "music",
  input,
  ...fields,
});
const musicB = (input: unknown, fields: Fields = {}) => ({ ...music(input, fields), model: "provider_b" });
const lyrics = (input: unknown) => ({ model: "provider_a", task_type: "lyrics", input });
const upload = (input: unknown) => ({ model: "provider_a", task_type: "upload", input });
const concat = (input: unknown) => ({ model: "provider_a", task_type: "concat", input });

const described = { gpt_description_prompt: "rain" };

const GOOD: [what: string, request: unknown][] = [
  ["inspiration", music(described)],
  [
    "inspiration with all it can have",
    music({ ...described, negative_tags: "", make_instrumental: true, model_version: "v6" }),
  ],
  ["inspiration with ignored fields of any type", music({ ...described, prompt: 1, tags: null, title: [] })],
  ["custom with lyrics alone", music({ prompt: "la" })],
  ["custom with styles alone", music({ tags: "fado" })],
  ["custom with no lyrics but styles", music({ prompt: "", tags: "fado" })],
  ["custom with lyrics and blank styles", music({ prompt: "la", tags: "  " })],
  ["a style-driven instrumental", music({ tags: "fado", make_instrumental: true })],
  [
    "custom with all it can have",
    music({ prompt: "la", tags: "fado", negative_tags: "rock", model_version: "v5.5" }),
  ],
  ...[7, null, true, ["x"], { x: 1 }, "x", ""].map((title): [string, unknown] => [
    `a title that is ${JSON.stringify(title)}`,
    music({ tags: "fado", title }),
  ]),
  ["the oldest version of the model", music({ tags: "fado", model_version: "v5" })],
  ["continuation", music({ continue_clip_id: "c" })],
  ["continuation from the beginning", music({ continue_clip_id: "c", continue_at: 0 })],
  [
    "continuation from a part of a second",
    music({ continue_clip_id: "c", continue_at: 1.25, prompt: "", title: 1 }),
  ],
  [
    "continuation with ignored fields of any type",
    music({
      continue_clip_id: "c",
      gpt_description_prompt: 1,
      tags: 2,
      negative_tags: 3,
      make_instrumental: "x",
    }),
  ],
  ["provider_b", musicB({ prompt: "calm" })],
  [
    "provider_b with all it can have",
    musicB({ prompt: "calm", lyrics: "", tags: "", lyrics_type: "user", seed: -3 }),
  ],
  ["provider_b with a seed of 0", musicB({ prompt: "calm", seed: 0 })],
  ["lyrics", lyrics({ prompt: "rain" })],
  ["an upload", upload({ url: "https://example.com/a.mp3" })],
  ["an upload in capitals", upload({ url: "HTTP://EXAMPLE.COM" })],
  ["a concat", concat({ clip_id: "c" })],
  ["MP3", music(described, { audio_format: "mp3" })],
  ["MP3 of lyrics, where it changes nothing", { ...lyrics({ prompt: "rain" }), audio_format: "mp3" }],
  ["extra properties", music({ ...described, mood: 1 }, { reference: "order 7" })],
  ["another task type's fields, which are extras", music({ ...described, url: 1, clip_id: 2 })],
  ["lyrics with fields of music, which are extras", lyrics({ prompt: "rain", seed: "x", tags: 1 })],
  [
    "what is undefined, and so is not sent",
    music({ ...described, continue_clip_id: undefined, seed: undefined }),
  ],
];

const BAD: [what: string, request: unknown, errorCode: string, path: string][] = [
  ["no object", "music", "invalid_request_body", ""],
  ["null", null, "invalid_request_body", ""],
  ["a list", [music(described)], "invalid_request_body", ""],
  ["a number", 7, "invalid_request_body", ""],
  ["nothing at all", undefined, "invalid_json", ""],
  ["a function", () => {}, "invalid_json", ""],
  ["a big integer", music({ ...described, mood: 1n }), "invalid_json", ""],
  [
    "what becomes bad on its way into JSON",
    { ...music(described), toJSON: () => ({}) },
    "missing_required_fields",
    "model",
  ],
  ["an empty object", {}, "missing_required_fields", "model"],
  ["no model", { task_type: "music", input: described }, "missing_required_fields", "model"],
  ["no task type", { model: "provider_a", input: described }, "missing_required_fields", "task_type"],
  ["no input", { model: "provider_a", task_type: "music" }, "missing_required_fields", "input"],
  ["an input of undefined", music(undefined), "missing_required_fields", "input"],
  ["an unknown model", { ...music(described), model: "provider_c" }, "invalid_model", "model"],
  ["a model that is no text", { ...music(described), model: 1 }, "invalid_model", "model"],
  ["a model of another case", { ...music(described), model: "Provider_A" }, "invalid_model", "model"],
  [
    "a model by the name of an object's own method",
    { ...music(described), model: "toString" },
    "invalid_model",
    "model",
  ],
  ["an unknown task type", { ...music(described), task_type: "video" }, "unsupported_task_type", "task_type"],
  ...["lyrics", "upload", "concat"].map((task_type): [string, unknown, string, string] => [
    `${task_type} by provider_b`,
    { model: "provider_b", task_type, input: { prompt: "x" } },
    "unsupported_task_type",
    "task_type",
  ]),
  ["WAV", music(described, { audio_format: "wav" }), "invalid_audio_format", "audio_format"],
  ["MP3 in capitals", music(described, { audio_format: "MP3" }), "invalid_audio_format", "audio_format"],
  ["an empty format", music(described, { audio_format: "" }), "invalid_audio_format", "audio_format"],
  [
    "a format before an input that is bad too",
    music({}, { audio_format: 1 }),
    "invalid_audio_format",
    "audio_format",
  ],
  ["an input that is text", music("rain"), "invalid_task_input", "input"],
  ["an input that is a list", music([described]), "invalid_task_input", "input"],
];

/** Everything about the input has one code. */
const BAD_INPUT: [what: string, request: unknown, path: string][] = [
  ["music of nothing", music({}), "input.prompt"],
  ["music of blanks", music({ prompt: " \n\t", tags: "  " }), "input.prompt"],
  ["music of empty texts", music({ prompt: "", tags: "" }), "input.prompt"],
  ["an instrumental of nothing", music({ make_instrumental: true }), "input.prompt"],
  ["an empty description", music({ gpt_description_prompt: "" }), "input.gpt_description_prompt"],
  ["a blank description", music({ gpt_description_prompt: " \n" }), "input.gpt_description_prompt"],
  ["a description that is null", music({ gpt_description_prompt: null }), "input.gpt_description_prompt"],
  ["a description that is a number", music({ gpt_description_prompt: 1 }), "input.gpt_description_prompt"],
  ["styles that are a list", music({ tags: ["fado"] }), "input.tags"],
  ["lyrics that are a number", music({ prompt: 1, tags: "fado" }), "input.prompt"],
  ["unwanted styles that are a list", music({ tags: "fado", negative_tags: ["x"] }), "input.negative_tags"],
  [
    "unwanted styles that are a list, in inspiration",
    music({ ...described, negative_tags: 1 }),
    "input.negative_tags",
  ],
  [
    "an instrumental that is text",
    music({ tags: "fado", make_instrumental: "true" }),
    "input.make_instrumental",
  ],
  ["an unknown version", music({ tags: "fado", model_version: "v4" }), "input.model_version"],
  ["an unknown version, in inspiration", music({ ...described, model_version: "V6" }), "input.model_version"],
  [
    "an unknown version, in continuation",
    music({ continue_clip_id: "c", model_version: 6 }),
    "input.model_version",
  ],
  ["an empty clip id", music({ continue_clip_id: "" }), "input.continue_clip_id"],
  [
    "a blank clip id beside a description",
    music({ ...described, continue_clip_id: " " }),
    "input.continue_clip_id",
  ],
  ["a clip id that is a number", music({ continue_clip_id: 7 }), "input.continue_clip_id"],
  ["a place before the beginning", music({ continue_clip_id: "c", continue_at: -1 }), "input.continue_at"],
  ["a place that is text", music({ continue_clip_id: "c", continue_at: "5" }), "input.continue_at"],
  ["a place that is endless", music({ continue_clip_id: "c", continue_at: Infinity }), "input.continue_at"],
  ["continuation lyrics that are a number", music({ continue_clip_id: "c", prompt: 1 }), "input.prompt"],
  ["provider_b's lyrics for provider_a", music({ ...described, lyrics: "la" }), "input.lyrics"],
  [
    "provider_b's lyrics type for provider_a",
    music({ tags: "fado", lyrics_type: "user" }),
    "input.lyrics_type",
  ],
  ["provider_b's seed for a continuation", music({ continue_clip_id: "c", seed: 1 }), "input.seed"],
  ["provider_b without a prompt", musicB({ tags: "fado" }), "input.prompt"],
  ["provider_b with a blank prompt", musicB({ prompt: " " }), "input.prompt"],
  ["provider_b with lyrics that are a list", musicB({ prompt: "calm", lyrics: [] }), "input.lyrics"],
  ["provider_b with styles that are a list", musicB({ prompt: "calm", tags: [] }), "input.tags"],
  [
    "provider_b with an unknown lyrics type",
    musicB({ prompt: "calm", lyrics_type: "auto" }),
    "input.lyrics_type",
  ],
  ["provider_b with half a seed", musicB({ prompt: "calm", seed: 0.5 }), "input.seed"],
  ["provider_b with a seed of text", musicB({ prompt: "calm", seed: "1" }), "input.seed"],
  ...[
    ["gpt_description_prompt", "rain"],
    ["make_instrumental", false],
    ["title", "Rain"],
    ["negative_tags", ""],
    ["model_version", "v6"],
    ["continue_clip_id", "c"],
    ["continue_at", 0],
  ].map(([field, value]): [string, unknown, string] => [
    `provider_a's ${field} for provider_b`,
    musicB({ prompt: "calm", [String(field)]: value }),
    `input.${field}`,
  ]),
  ["lyrics without a prompt", lyrics({}), "input.prompt"],
  ["lyrics with a blank prompt", lyrics({ prompt: "\t" }), "input.prompt"],
  ["an upload without an address", upload({}), "input.url"],
  ["an upload of an empty address", upload({ url: "" }), "input.url"],
  ["an upload from an FTP server", upload({ url: "ftp://example.com/a.mp3" }), "input.url"],
  ["an upload from a private network", upload({ url: "http://192.168.0.1/a.mp3" }), "input.url"],
  ["an upload from this machine", upload({ url: "http://localhost:3000/a.mp3" }), "input.url"],
  ["an upload from an address that is no text", upload({ url: 7 }), "input.url"],
  ["a concat without a clip", concat({}), "input.clip_id"],
  ["a concat of a blank clip", concat({ clip_id: " " }), "input.clip_id"],
  ["a concat of a list of clips", concat({ clip_id: ["c"] }), "input.clip_id"],
];

test.each(GOOD)("%s is sent as it stands", async (_, request) => {
  const { client, requests } = createWorld(() => accepted());
  await client.tasks.create(request as TaskRequest);
  expect(requests.map(({ method, path }) => [method, path])).toEqual([["POST", "/api/v1/task"]]);
  expect(JSON.parse(requests[0]?.body ?? "")).toEqual(JSON.parse(JSON.stringify(request)));
  expect(requests[0]?.headers.get("Content-Type")).toBe("application/json");
});

describe("is refused before anything is sent, with the service's own code and the path of the field", () => {
  const all = [
    ...BAD,
    ...BAD_INPUT.map(([what, request, path]) => [what, request, "invalid_task_input", path] as const),
  ];

  test.each(all)("%s", async (_, request, errorCode, path) => {
    const { client, requests } = createWorld(() => accepted());
    const error = await rejection(client.tasks.create(request as TaskRequest), InvalidRequestError);
    expect(error.errorCode).toBe(errorCode);
    expect(error.issues.map((issue) => issue.path)).toContain(path);
    expect(error.message).toContain(errorCode);
    expect(error.message).toContain(path);
    for (const issue of error.issues) expect(issue.message).toMatch(/^(is|must|has) /);
    await rejection(client.tasks.run(request as TaskRequest), InvalidRequestError);
    expect(requests).toEqual([]);
  });
});

test("a request that is circular is refused", async () => {
  const request: Fields = music(described);
  request["self"] = request;
  const { client, requests } = createWorld(() => accepted());
  await rejection(client.tasks.create(request as unknown as TaskRequest), InvalidRequestError);
  expect(requests).toEqual([]);
});

test("every field that is wrong is named at once", async () => {
  const { client } = createWorld(() => accepted());
  const request = musicB({ prompt: "", title: "x", seed: 0.5 }) as unknown as TaskRequest;
  const { issues } = await rejection(client.tasks.create(request), InvalidRequestError);
  expect(issues.map(({ path }) => path).sort()).toEqual(["input.prompt", "input.seed", "input.title"]);
});

test("a field that breaks one rule is named once", async () => {
  const { client } = createWorld(() => accepted());
  for (const input of [{ prompt: [] }, { tags: [] }, { make_instrumental: "yes" }]) {
    const request = music(input) as unknown as TaskRequest;
    const { issues } = await rejection(client.tasks.create(request), InvalidRequestError);
    expect(issues.map(({ path }) => path)).toEqual(Object.keys(input).map((field) => `input.${field}`));
  }
});

test.each([
  ["a field", lyrics({}), lyrics({ prompt: 7 })],
  ["the input", { model: "provider_a", task_type: "lyrics" }, lyrics("rain")],
])("%s that is wrong is told from one that is missing", async (_, missing, wrong) => {
  const { client } = createWorld(() => accepted());
  const issuesOf = async (request: unknown) =>
    (await rejection(client.tasks.create(request as TaskRequest), InvalidRequestError)).issues;
  const [absent, present] = [await issuesOf(missing), await issuesOf(wrong)];
  expect(present.map(({ path }) => path)).toEqual(absent.map(({ path }) => path));
  expect(present.map(({ message }) => message)).not.toEqual(absent.map(({ message }) => message));
});

test.each([
  [music({ prompt: "la", seed: 1 }), "provider_b"],
  [musicB({ prompt: "calm", title: "x" }), "provider_a"],
])("a field of the other model (%j) is refused with that model's name", async (request, model) => {
  const { client } = createWorld(() => accepted());
  const { issues } = await rejection(client.tasks.create(request as TaskRequest), InvalidRequestError);
  expect(issues[0]?.message).toContain(model);
});

test.each([
  music({ prompt: 7, Tags: "fado" }),
  music({ prompt: "la la", model_version: "v4", Tags: "fado" }),
  musicB({ prompt: "calm", seed: 0.5, Tags: "fado" }),
  lyrics({ prompt: " ", Prompt: "rain" }),
])("another spelling of a name is only pointed at where the name is missing: %j", async (request) => {
  const { client } = createWorld(() => accepted());
  const error = await rejection(client.tasks.create(request as unknown as TaskRequest), InvalidRequestError);
  expect(error.message).not.toMatch(/Tags|Prompt/);
});

test.each([
  [musicB({ prompt: "calm" }, { task_type: "lyrics" }), "`task_type` must be music for provider_b."],
  [
    { model: "provider_a", taskType: "music", input: described },
    "`task_type` is missing; `taskType` is not read.",
  ],
  [music({ gptDescriptionPrompt: "rain" }), "`continue_clip_id`; `gptDescriptionPrompt` is not read."],
  [concat({ "clip-id": "x" }), "`input.clip_id` is missing; `clip-id` is not read."],
  [concat({ clip: "x" }), "`input.clip_id` is missing."],
  [music({ prompt: " " }), "or `continue_clip_id`."],
])("the refusal of %j says what is wrong and what was meant", async (request, words) => {
  const { client } = createWorld(() => accepted());
  const error = await rejection(client.tasks.create(request as TaskRequest), InvalidRequestError);
  expect(error.message).toContain(words);
});

test("no prompt stands in the message of a refusal", async () => {
  const { client } = createWorld(() => accepted());
  const request = music({ prompt: "secret words", tags: 5 }) as unknown as TaskRequest;
  const { message } = await rejection(client.tasks.create(request), InvalidRequestError);
  expect(message).not.toContain("secret");
});

test("with validateRequests off every refused request is sent, and the service decides", async () => {
  const { client, requests } = createWorld(() => refusal(400, "invalid_task_input"), {
    validateRequests: false,
  });
  for (const [, request] of BAD_INPUT) {
    await expect(client.tasks.create(request as TaskRequest)).rejects.toMatchObject({
      name: "BadRequestError",
    });
  }
  expect(requests).toHaveLength(BAD_INPUT.length);
});

test("what is sent is what stood there when the call was made", async () => {
  const { client, requests } = createWorld(() => accepted());
  const request = { model: "provider_a", task_type: "lyrics", input: { prompt: "rain" } } as const;
  const mutable: { input: { prompt: string } } = structuredClone(request);
  const created = client.tasks.create(mutable as typeof request);
  mutable.input.prompt = "";
  await created;
  expect(JSON.parse(requests[0]?.body ?? "")).toEqual(request);
});
