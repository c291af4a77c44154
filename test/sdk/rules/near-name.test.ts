import { expect, test } from "vitest";
import { nearestName } from "../../../src/contract/text.js";

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
  // Two neighbors that changed places, in a word too short for common pairs, wherever they stand.
  ["emial", ["model", "email"], "email"],
  ["tpye", ["tape", "type"], "type"],
  ["seed", ["eseds", "esed"], "esed"],
  ["from", ["form"], "form"],
  ["nowm", ["seed"], null],
  ["abcd", ["badc"], null],
  // The same letters in another order are another word, and how a word ends counts.
  ["smtuoemit", ["timeoutms"], null],
  ["abc", ["xbc"], "xbc"],
  ["abc", ["abx"], null],
  ["", ["signal"], null],
  ["signal", [], null],
])("of %j among %j, %j was probably meant", (word, names, nearest) => {
  expect(nearestName(word, names)).toBe(nearest);
});
