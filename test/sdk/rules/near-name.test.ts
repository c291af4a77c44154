import { describe, expect, test } from "vitest";
import { checkOptionNames, shownAmong } from "../../../src/http/client.js";
import { createRedactor } from "../../../src/http/redactor.js";
import { nearestName } from "../../../src/shared/options.js";

// Two names are alike by the pairs of letters that they share.

test.each<[word: string, names: string[], nearest: string | null]>([
  ["timeout", ["signal", "timeoutMs"], "timeoutMs"],
  ["TIMEOUTMS", ["timeoutMs"], "timeoutMs"],
  ["maxRetrys", ["maxWaitMs", "maxRetries"], "maxRetries"],
  // The first of those that are equally alike.
  ["waitMs", ["waitMx", "waitMy"], "waitMx"],
  ["waitMs", ["waitMx", "waitMs"], "waitMs"],
  // Half of the pairs suffice: ab, bc and c, d.
  ["abxd", ["abyd"], "abyd"],
  ["abxx", ["abyy"], null],
  // The same letters in another order are another word, and how a word ends counts.
  ["smtuoemit", ["timeoutms"], null],
  ["abc", ["xbc"], "xbc"],
  ["abc", ["abx"], null],
  ["", ["signal"], null],
  ["signal", [], null],
])("of %j among %j, %j was probably meant", (word, names, nearest) => {
  expect(nearestName(word, names)).toBe(nearest);
});

describe("what came where a word was expected", () => {
  const levels = ["warn", "error"];
  const redactor = createRedactor("warner");

  test("is shown where it is nearly one", () => {
    expect(shownAmong("warning", levels, redactor)).toBe("warning");
  });

  test.each([
    ["is like none", "secret", "a text of length 6"],
    ["holds the key", "warner", "a text of length 6"],
    ["is no text", 7, "7"],
    ["is an object", Object("warn"), "object"],
  ])("is not shown where it %s", (_, value, got) => {
    expect(shownAmong(value, levels, redactor)).toBe(got);
  });
});

describe("a name among options", () => {
  const known = { signal: true, timeoutMs: true } as const;

  test("that is like none is refused as an option of all, unseen", () => {
    expect(() => checkOptionNames({ zzz: 1 }, known)).toThrow(
      expect.objectContaining({
        option: "options",
        message: "Expected `options` to be among signal, timeoutMs, got `a text of length 3`.",
      }),
    );
  });

  test.each([7, null])("is looked for in an object, and not in %j", (options) => {
    expect(() => checkOptionNames(options as never, known)).toThrow(
      expect.objectContaining({
        option: "options",
        message: `Expected \`options\` to be an object, got \`${options}\`.`,
      }),
    );
  });
});
