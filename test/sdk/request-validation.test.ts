import { BadRequestError, InvalidRequestError, type TaskRequest } from "async-music";
import { expect, test } from "vitest";
import { BADLY_JOINED } from "../support/badly-joined.js";
import { rejection } from "../support/rejection.js";
import { accepted, acceptedAs, type Fields, refusal } from "../support/responses.js";
import { createWorld } from "../support/world.js";

// Resources: Task creation request. test/spec covers every rule; these tests cover what the SDK adds.

const requestOf =
  (task_type: string) =>
  (input: unknown, fields: Fields = {}) => {
    return { model: "provider_a", task_type, input, ...fields };
  };
const [music, lyrics] = [requestOf("music"), requestOf("lyrics")];
const [upload, concat] = [requestOf("upload"), requestOf("concat")];
const musicB = (input: unknown, fields: Fields = {}) => ({ ...music(input, fields), model: "provider_b" });

const described = { gpt_description_prompt: "rain" };

const circular: Fields = music(described);
circular["self"] = circular;

/** Requests that are refused, and the field that the error names. */
const REFUSED: [errorCode: string, path: string, request: unknown][] = [
  ["invalid_request_body", "", "music"],
  ["invalid_request_body", "", [music(described)]],
  ["invalid_json", "", undefined],
  ["invalid_json", "", () => {}],
  ["invalid_json", "", music({ ...described, mood: 1n })],
  ["invalid_json", "", circular],
  ["missing_required_fields", "model", { ...music(described), toJSON: () => ({}) }],
  ["missing_required_fields", "model", { task_type: "music", input: described }],
  ["missing_required_fields", "task_type", { model: "provider_a", input: described }],
  ["missing_required_fields", "input", music(undefined)],
  ["invalid_model", "model", { ...music(described), model: "toString" }],
  ["unsupported_task_type", "task_type", { ...music(described), task_type: "video" }],
  ["invalid_audio_format", "audio_format", music({}, { audio_format: 1 })],
  ["invalid_task_input", "input", music("rain")],
];

/** Inputs that are refused, one for each kind of rule, and the field that the error names. */
const REFUSED_INPUTS: [field: string, request: ReturnType<typeof music>][] = [
  ["prompt", music({})],
  ["tags", music({ tags: ["fado"] })],
  ["make_instrumental", music({ tags: "fado", make_instrumental: "true" })],
  ["model_version", music({ ...described, model_version: "V6" })],
  ["gpt_description_prompt", music({ gpt_description_prompt: " \n" })],
  ["continue_clip_id", music({ ...described, continue_clip_id: " " })],
  ["continue_at", music({ continue_clip_id: "c", continue_at: Infinity })],
  ["lyrics", music({ ...described, lyrics: "x" })],
  ["lyrics_type", musicB({ prompt: "calm", lyrics_type: "auto" })],
  ["seed", musicB({ prompt: "calm", seed: 0.5 })],
  ["title", musicB({ prompt: "calm", title: 0 })],
  ["prompt", lyrics({ prompt: "\t" })],
  ["url", upload({ url: "ftp://example.com/a.mp3" })],
  ["url", upload({ url: "http://192.168.0.1/a.mp3" })],
  ["clip_id", concat({ clip_id: ["c"] })],
];

test("an undefined field is left out, and a field of another task type is sent", async () => {
  const { client, requests } = createWorld(() => accepted());
  const request = music({ ...described, url: 1, continue_clip_id: undefined, seed: undefined });
  await client.tasks.create(request as TaskRequest);
  expect(requests.map(({ method, path }) => [method, path])).toEqual([["POST", "/api/v1/task"]]);
  expect(JSON.parse(requests[0]?.body ?? "")).toEqual(music({ ...described, url: 1 }));
});

test.each([
  ...REFUSED,
  ...REFUSED_INPUTS.map(([field, request]) => ["invalid_task_input", `input.${field}`, request] as const),
])("an %s of `%s` is refused by create and run before anything is sent", async (errorCode, path, request) => {
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

/** The error of a request that a client refuses. */
function refusalOf(request: unknown): Promise<InvalidRequestError> {
  const { client } = createWorld(() => accepted());
  return rejection(client.tasks.create(request as TaskRequest), InvalidRequestError);
}

test("all invalid fields are named at once", async () => {
  const { issues } = await refusalOf(musicB({ prompt: "", title: "x", seed: 0.5 }));
  expect(issues.map(({ path }) => path).sort()).toEqual(["input.prompt", "input.seed", "input.title"]);
});

test("a field that breaks one rule is named once", async () => {
  for (const input of [{ prompt: [] }, { tags: [] }, { make_instrumental: "yes" }]) {
    const { issues } = await refusalOf(music(input));
    expect(issues.map(({ path }) => path)).toEqual(Object.keys(input).map((field) => `input.${field}`));
  }
});

test.each([
  ["a field", lyrics({}), lyrics({ prompt: 7 })],
  ["the input", { model: "provider_a", task_type: "lyrics" }, lyrics("rain")],
])("an invalid value and a missing one have different messages: %s", async (_, missing, wrong) => {
  const [{ issues: absent }, { issues: present }] = [await refusalOf(missing), await refusalOf(wrong)];
  expect(present.map(({ path }) => path)).toEqual(absent.map(({ path }) => path));
  expect(present.map(({ message }) => message)).not.toEqual(absent.map(({ message }) => message));
});

test.each([
  music({ prompt: 7, Tags: "fado" }),
  music({ prompt: "la la", model_version: "v4", Tags: "fado" }),
  musicB({ prompt: "calm", seed: 0.5, Tags: "fado" }),
  lyrics({ prompt: " ", Prompt: "rain" }),
])("another spelling of a field is mentioned only if the field is missing: %j", async (request) => {
  expect((await refusalOf(request)).message).not.toMatch(/Tags|Prompt/);
});

test.each([
  [undefined, "Invalid request (invalid_json): `request` is missing. Nothing was sent."],
  [circular, "`request` is not serializable as JSON."],
  [musicB({ prompt: "calm" }, { task_type: "lyrics" }), "`task_type` must be music for provider_b."],
  [{ ...music(described), task_type: undefined, taskType: "music" }, "`taskType` is an unknown field"],
  [music({ gptDescriptionPrompt: "rain" }), "unknown field: did you mean `gpt_description_prompt`?"],
  [concat({ "clip-id": "x" }), "`clip-id` is an unknown field: did you mean `clip_id`?"],
  [concat({ clip: "x" }), "`input.clip_id` is missing; `clip` is an unknown field: did you mean `clip_id`?"],
  [musicB({ promt: "x" }), "`input.prompt` is missing; `promt` is an unknown field: did you mean `prompt`?"],
  [music({ tgas: "x" }), "or `tags`; `tgas` is an unknown field: did you mean `tags`?"],
  [{ ...music(described), model: undefined, modle: "provider_a" }, "did you mean `model`? Nothing was sent."],
  [
    { ...music(described), model: undefined, modle: "provider_a", task_type: undefined },
    "did you mean `model`? `task_type` is missing. Nothing was sent.",
  ],
  [concat({ songs: "x" }), "`input.clip_id` is missing."],
  [musicB({ prompt_id: 7 }), "`input.prompt` is missing."],
  [musicB({ [`prompt ${"x".repeat(40)}`]: 7 }), "`input.prompt` is missing."],
  [music({ prompt: " " }), "`continue_clip_id`, `prompt` or `tags`."],
  [music({ prompt: "la", seed: 1 }), "is a field of provider_b: remove it"],
  [musicB({ prompt: "calm", title: "x" }), "is a field of provider_a: remove it"],
])("the error for %j says what is wrong and suggests a fix", async (request, words) => {
  const { message } = await refusalOf(request);
  expect(message).toContain(words);
  expect(message).not.toMatch(BADLY_JOINED);
});

test("the message of a refusal contains no prompt", async () => {
  expect((await refusalOf(music({ prompt: "secret words", tags: 5 }))).message).not.toContain("secret");
});

test("with validateRequests off, invalid requests are sent", async () => {
  const refuse = () => refusal(400, "invalid_task_input");
  const { client, requests } = createWorld(refuse, { validateRequests: false });
  for (const [, request] of REFUSED_INPUTS)
    await rejection(client.tasks.create(request as TaskRequest), BadRequestError);
  expect(requests).toHaveLength(REFUSED_INPUTS.length);
});

test("changes to the request after the call are not sent", async () => {
  const { client, requests } = createWorld(acceptedAs);
  const request = { model: "provider_a", task_type: "lyrics", input: { prompt: "rain" } } as const;
  const mutable: { input: { prompt: string } } = structuredClone(request);
  const created = client.tasks.create(mutable as typeof request);
  mutable.input.prompt = "";
  await created;
  expect(JSON.parse(requests[0]?.body ?? "")).toEqual(request);
});
