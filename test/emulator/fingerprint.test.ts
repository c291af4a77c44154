import { expect, test } from "vitest";
import { fingerprintOf, fingerprintOfText } from "../../emulator/core/log/fingerprint.js";

/** Values that a careless fingerprint confuses: separators of other values, and everything empty. */
const LEAVES = ["", "a", "b", "ab", '"', "1", "null", "[", "{", "?", 0, 1, -1, 11, 0.5, true, false, null];
const NAMES = ["a", "b", "ab", '"', ""];

const small = [...LEAVES, [], {}, ...LEAVES.map((leaf) => [leaf]), ...LEAVES.map((leaf) => ({ a: leaf }))];
const values: unknown[] = [
  ...small,
  ...small.flatMap((one) => small.map((other) => [one, other])),
  ...NAMES.flatMap((name) => small.map((value) => ({ [name]: value, z: 1 }))),
  ...small.flatMap((a) => LEAVES.map((b) => ({ a, b }))),
  ...small.map((value) => [[value]]),
];

test("different JSON values have different fingerprints, and text that is not JSON has another", () => {
  // Every object above has its fields in alphabetical order, "z" last.
  const written = new Set(values.map((value) => JSON.stringify(value)));
  const fingerprints = new Set(values.map(fingerprintOf));
  expect(written.size).toBeGreaterThan(3_000);
  expect(fingerprints.size).toBe(written.size);
  const texts = ["", "{", "a", '"', "1", "?"];
  for (const text of texts) fingerprints.add(fingerprintOfText(text));
  expect(fingerprints.size).toBe(written.size + texts.length);
});

test("long texts that differ in one letter have different fingerprints", () => {
  const text = "the trams go down to meet the tide ".repeat(40);
  const changed = Array.from(text, (_, at) => `${text.slice(0, at)}!${text.slice(at + 1)}`);
  expect(new Set(changed.map((each) => fingerprintOf({ prompt: each }))).size).toBe(text.length);
});
