import { AsyncMusicError, creditsFor, InvalidOptionError, type TaskRequest } from "async-music";
import { expect, test } from "vitest";
import { sampleOf } from "../spec/tables/samples.js";
import { OFFERS } from "../spec/tables/service.js";

test("a request costs the documented credits, also by its model and task type alone", () => {
  for (const offer of OFFERS) {
    expect(creditsFor(sampleOf(offer) as TaskRequest)).toBe(offer.credits);
    expect(creditsFor({ model: offer.model, task_type: offer.type } as TaskRequest)).toBe(offer.credits);
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
  { model: "provider_a", task_type: "video" },
  { model: "__proto__", task_type: "toString" },
  { model: "provider_a", task_type: "constructor" },
  { model: ["provider_a"], task_type: ["music"] },
])("creditsFor(%j) throws a usage error", (request) => {
  const price = () => creditsFor(request as never);
  expect(price).toThrow(InvalidOptionError);
  expect(price).toThrow(AsyncMusicError);
  expect(price).toThrow(/^`request` must name a task type that its model offers: .*; got .*\.$/);
});
