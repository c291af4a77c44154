import { expect, test } from "vitest";
import type { JsonValue } from "../../../src/contract/service.js";
import { canonicalJson } from "../../../src/contract/text.js";

test.each<[JsonValue, JsonValue]>([
  [
    { a: 1, b: 2 },
    { b: 2, a: 1 },
  ],
  [
    { c: 1, a: 2, b: 3 },
    { a: 2, b: 3, c: 1 },
  ],
  [{ input: { a: [{ c: 1, d: null }], b: 2 } }, { input: { b: 2, a: [{ d: null, c: 1 }] } }],
  [{ seed: null }, { seed: null }],
])("%j and %j have the same canonical JSON", (one, other) => {
  expect(canonicalJson(one)).toBe(canonicalJson(other));
});

test.each<[JsonValue, JsonValue]>([
  [{ a: 1 }, { a: 2 }],
  [{ a: 1 }, { b: 1 }],
  [{ a: 1 }, { a: "1" }],
  [{ a: null }, {}],
  [
    { a: 1, b: 2 },
    { a: 2, b: 1 },
  ],
  [{ input: { a: 1, b: 2 } }, { input: { a: 1 } }],
  [{ tags: ["one", "other"] }, { tags: ["other", "one"] }],
  [{ tags: ["one"] }, { tags: { 0: "one" } }],
])("%j and %j have different canonical JSON", (one, other) => {
  expect(canonicalJson(one)).not.toBe(canonicalJson(other));
});
