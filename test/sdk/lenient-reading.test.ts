import { extraField, InvalidResponseError, isMusic, TASK_TYPES } from "async-music";
import { describe, expect, test } from "vitest";
import { rejection } from "../support/rejection.js";
import { balance, CLIP, ok, REQUIRED_TASK, succeeded, TASK_ID, task } from "../support/responses.js";
import { createWorld } from "../support/world.js";

// Versioning: fields may appear and vanish, enums may grow. Only what the interface requires is required.

test("a task with only the required fields is accepted, and the other fields are null", async () => {
  const { client } = createWorld(() => ok(REQUIRED_TASK));
  const read = await client.tasks.retrieve(TASK_ID);
  expect(read).toEqual(task({ input: {}, created_at: null }));
});

const NO_OBJECTS = [null, "rain", 7, true, [], ["rain"], [{ prompt: "rain" }]];
test.each(NO_OBJECTS)("an input of %j, which is not an object, is read as an empty object", async (input) => {
  const { client } = createWorld(() => ok(task({ input } as never)));
  expect((await client.tasks.retrieve(TASK_ID)).input).toEqual({});
});

test("unknown fields of a task, its output, its clips and their metadata are kept", async () => {
  const metadata = { ...CLIP.metadata, bpm: 90 };
  const clip = { ...CLIP, mood: "blue", metadata, alternate_urls: ["https://a.example"] };
  const sent = succeeded({ region: "eu", audio_format: "opus", output: { queue: 3, result: [clip] } });
  const { client } = createWorld(() => ok(sent));
  await expect(client.tasks.retrieve(TASK_ID)).resolves.toEqual(sent);
  await expect(client.tasks.wait(TASK_ID)).resolves.toEqual(sent);
});

test("`extraField` reads an unknown field, and no property of the object's prototype", async () => {
  const metadata = { ...CLIP.metadata, bpm: 90 };
  const sent = succeeded({
    region: null,
    output: { queue: 3, result: [{ ...CLIP, mood: "blue", metadata }] },
  });
  const { client } = createWorld(() => ok(sent));
  const song = await client.tasks.wait(TASK_ID);
  const [clip] = isMusic(song) ? song.output.result : [];
  expect(extraField(song, "region")).toBe(null);
  expect(extraField(song.output, "queue")).toBe(3);
  expect(clip && extraField(clip, "mood")).toBe("blue");
  expect(clip?.metadata && extraField(clip.metadata, "bpm")).toBe(90);
  for (const name of ["absent", "constructor", "__proto__"]) expect(extraField(song, name)).toBe(undefined);
});

test("a task of an unknown type can succeed with any result", async () => {
  for (const output of [null, { result: null }, { result: [] }, { result: "x" }, { result: { frames: 7 } }]) {
    const { client } = createWorld(() => ok(succeeded({ type: "video", output })));
    const read = { type: "video", output: output ?? { result: null } };
    await expect(client.tasks.wait(TASK_ID)).resolves.toMatchObject(read);
    await expect(client.tasks.retrieve(TASK_ID)).resolves.toMatchObject(read);
  }
});

test("the other fields of a clip are passed on without a check", async () => {
  const metadata = { duration: "12", tags: null, prompt: 7 };
  const result = [
    { id: "c", audio_url: "https://a.example/c", title: null, image_url: 5, metadata },
    { id: "d", audio_url: "https://a.example/d", metadata: null },
  ];
  const { client } = createWorld(() => ok(succeeded({ output: { result, progress: 42 } })));
  await expect(client.tasks.wait(TASK_ID)).resolves.toMatchObject({ output: { result, progress: 42 } });
});

test("clips need only an ID and a URL", async () => {
  for (const type of TASK_TYPES.filter((each) => each !== "lyrics")) {
    const result = [{ id: "c", audio_url: "https://a.example/c" }];
    const { client } = createWorld(() => ok(succeeded({ type, output: { result } })));
    await expect(client.tasks.wait(TASK_ID)).resolves.toMatchObject({ output: { result } });
  }
});

// The fields that each response requires: test/spec/sdk-answers.test.ts.
describe("a response that breaks the contract", () => {
  test.each([
    ["status", undefined],
    ["retryable", "no"],
    ["retry_after_seconds", "5"],
    ["output", "done"],
  ])("with a task whose %s is %j is an InvalidResponseError", async (field, value) => {
    const { client } = createWorld(() => ok(task({ [field]: value }), { "X-Request-Id": "served-1" }));
    const error = await rejection(client.tasks.retrieve(TASK_ID), InvalidResponseError);
    expect(error).toMatchObject({ requestId: "served-1", taskId: TASK_ID });
    expect(error.issues).toEqual([{ path: `data.${field}`, message: expect.any(String) }]);
  });

  const NO_DATA = ["", "<h1>no</h1>", "null", "7", '"data"', "{}", '{"code":200}'];
  test.each(NO_DATA)("%j is an InvalidResponseError that names the body", async (text) => {
    const { client } = createWorld(() => new Response(text));
    const { issues, message } = await rejection(client.account.balance(), InvalidResponseError);
    expect(issues).toEqual([{ path: "", message: expect.any(String) }]);
    expect(message).toContain("interface: `body` is ");
  });

  test("is an error whose message names every field", async () => {
    const { client } = createWorld(() => balance({ total: "1", frozen: undefined }));
    const reading = client.account.balance({ requestId: "request-1" });
    const { issues, message } = await rejection(reading, InvalidResponseError);
    expect(issues.map(({ path }) => path)).toEqual(["data.frozen", "data.total"]);
    expect(message).toMatch(
      /interface: `data\.frozen` [^;`]+; `data\.total` [^;`]+\. \(request ID request-1\)$/,
    );
  });
});
