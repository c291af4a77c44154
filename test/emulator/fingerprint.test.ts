import { expect, test } from "vitest";
import { fingerprintOf, fingerprintOfText } from "../../emulator/core/audit.js";

/** Values that a careless mark confuses: each letter that separates the parts of another, and every kind of nothing. */
const LEAVES = ["", "a", "b", "ab", '"', "1", "null", "[", "{", "?", 0, 1, -1, 11, 0.5, true, false, null];
const NAMES = ["a", "b", "ab", '"', ""];

const pairsOf = <Left, Right>(left: readonly Left[], right: readonly Right[]): [Left, Right][] =>
  left.flatMap((one) => right.map((other): [Left, Right] => [one, other]));

const small = [...LEAVES, [], {}, ...LEAVES.map((leaf) => [leaf]), ...LEAVES.map((leaf) => ({ a: leaf }))];
const values: unknown[] = [
  ...small,
  ...pairsOf(small, small),
  ...pairsOf(NAMES, small).map(([name, value]) => ({ [name]: value, z: 1 })),
  ...pairsOf(small, LEAVES).map(([a, b]) => ({ a, b })),
  ...small.map((value) => [[value]]),
];

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`);
  return `{${fields.sort().join()}}`;
}

test("different JSON has different marks", () => {
  const marks = new Map(values.map((value) => [canonical(value), fingerprintOf(value)]));
  expect(marks.size).toBeGreaterThan(3_000);
  expect(new Set(marks.values()).size).toBe(marks.size);
});

test("the order of fields, at every level, doesn't matter, and that of a list does", () => {
  const one = { model: "provider_a", input: { title: "Rain", tags: ["slow", "fado"] }, extra: null };
  const other = { extra: null, input: { tags: ["slow", "fado"], title: "Rain" }, model: "provider_a" };
  expect(fingerprintOf(other)).toBe(fingerprintOf(one));
  expect(fingerprintOf(["slow", "fado"])).not.toBe(fingerprintOf(["fado", "slow"]));
});

test("what two fields hold is not what they hold the other way round", () => {
  expect(fingerprintOf({ title: "Rain", tags: "fado" })).not.toBe(
    fingerprintOf({ title: "fado", tags: "Rain" }),
  );
});

test("a text that is no JSON has the mark of none", () => {
  const texts = ["", "{", "a", '"', "1", "?"];
  const ofJson = new Set(values.map(fingerprintOf));
  const marks = texts.map(fingerprintOfText);
  expect(new Set(marks).size).toBe(texts.length);
  expect(marks.filter((mark) => ofJson.has(mark))).toEqual([]);
});

test("long texts that differ in one letter, wherever it is, differ", () => {
  const text = "the trams go down to meet the tide ".repeat(40);
  const changed = Array.from(text, (_, at) => `${text.slice(0, at)}!${text.slice(at + 1)}`);
  expect(new Set(changed.map((each) => fingerprintOf({ prompt: each }))).size).toBe(text.length);
});
