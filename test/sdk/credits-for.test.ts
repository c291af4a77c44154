import { AsyncMusicError, creditsFor, InvalidOptionError, type TaskRequest } from "async-music";
import { expect, test } from "vitest";
import { SONG_REQUEST } from "../support/responses.js";

test("a request costs the documented credits, also by its model and task type alone", () => {
  const requests: [TaskRequest, number][] = [
    [SONG_REQUEST, 10],
    [{ model: "provider_b", task_type: "music", input: { prompt: "calm" } }, 5],
    [{ model: "provider_a", task_type: "lyrics", input: { prompt: "rain" } }, 5],
    [{ model: "provider_a", task_type: "upload", input: { url: "https://example.com/a.mp3" } }, 1],
    [{ model: "provider_a", task_type: "concat", input: { clip_id: "clip-1" } }, 5],
  ];
  for (const [request, credits] of requests) {
    expect(creditsFor(request)).toBe(credits);
    expect(creditsFor({ model: request.model, task_type: request.task_type })).toBe(credits);
  }
});

test.each([
  undefined,
  null,
  "music",
  [],
  {},
  { model: "provider_a" },
  { task_type: "music" },
  { model: "provider_b", task_type: "lyrics" },
  { model: "provider_c", task_type: "music" },
  { model: "provider_a", task_type: "stems" },
  { model: "__proto__", task_type: "toString" },
  { model: "provider_a", task_type: "constructor" },
  { model: ["provider_a"], task_type: ["music"] },
])("creditsFor(%j) throws a usage error", (request) => {
  const price = () => creditsFor(request as never);
  expect(price).toThrow(InvalidOptionError);
  expect(price).toThrow(AsyncMusicError);
  expect(price).toThrow(/^`request` must name a task type that its model offers: .*; got .*\.$/);
});
