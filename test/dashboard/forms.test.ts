import { expect, test } from "vitest";
import { followed } from "../../emulator/dashboard/parts/fields.js";
import { type Draft, draftOf, requestOf } from "../../emulator/dashboard/views/tasks/task-input.js";
import { DESCRIBED_INPUTS } from "../../src/contract/input-texts.js";
import { clipsOf, createService, VALID } from "../emulator/support/service.js";

const EMPTY = { model: "provider_a", type: "music", mode: "custom", format: "", outcome: "" } as const;

/** The request that "Run again" opens for a task that was read. */
async function runAgain(body: object) {
  const { create, read } = createService();
  const draft: Draft = { ...EMPTY, fields: {}, ...draftOf(await read(await create(body))) };
  return requestOf(draft);
}

test.each(Object.entries(VALID))("a task runs again with the same request: %s", async (_, body) => {
  expect(await runAgain(body)).toEqual(body);
});

test.each(DESCRIBED_INPUTS)("a task runs again as $texts.result, also with ignored fields", async (kind) => {
  const { model, task_type, fields, ignored = [], texts } = kind;
  const examples: Record<string, unknown> = Object.fromEntries(
    Object.entries(texts.fields).map(([name, { example }]) => [name, example]),
  );
  const read = Object.fromEntries(Object.keys(fields).map((name) => [name, examples[name]]));
  const unread = Object.fromEntries(ignored.map((name) => [name, name === "make_instrumental" || "unread"]));
  const request = { model, task_type, input: { ...unread, ...read } };
  expect(await runAgain(request)).toEqual({ model, task_type, input: read });
});

test("a task runs again with the same numbers, flags and format", async () => {
  const flagged = { tags: "fado", make_instrumental: true, model_version: "v5" };
  for (const body of [
    { model: "provider_a", task_type: "music", audio_format: "mp3", input: flagged },
    { model: "provider_a", task_type: "music", input: { continue_clip_id: "c", continue_at: 0 } },
    { model: "provider_b", task_type: "music", input: { prompt: "fado", seed: -7 } },
  ])
    expect(await runAgain(body)).toEqual(body);
  const unflagged = { ...VALID.custom, input: { ...VALID.custom.input, make_instrumental: false } };
  expect(await runAgain(unflagged)).toEqual(VALID.custom);
});

test.each([[7], [0], [false], [true], [null], [{ name: "Rain" }], [["Rain", 2]], ["false"]])(
  "a task runs again with the title that the service makes of %j",
  async (title) => {
    const body = { ...VALID.custom, input: { ...VALID.custom.input, title } };
    const [clip] = await clipsOf(createService(), body);
    expect(await runAgain(body)).toMatchObject({ input: { title: clip.title } });
  },
);

test("a field shows a value that another program changed, and the others keep what was typed", () => {
  const initial = { requests: "120", window_seconds: "60" };
  const typed = { initial, values: { requests: "7", window_seconds: "9" } };
  expect(followed(typed, { ...initial })).toBe(typed);
  const changed = followed(typed, { requests: "50", window_seconds: "60" });
  expect(changed.values).toEqual({ requests: "50", window_seconds: "9" });
  // What was typed before does not return with the value that it replaced.
  expect(followed(changed, initial).values).toEqual({ requests: "120", window_seconds: "9" });
});
