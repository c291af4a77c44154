import { expect, test } from "vitest";
import { nearestName } from "../../../src/contract/text.js";

// The similarity of two names is the share of letter pairs that they have in common.

test.each<[word: string, names: string[], nearest: string | null]>([
  ["timeout", ["signal", "timeoutMs"], "timeoutMs"],
  ["TIMEOUTMS", ["timeoutMs"], "timeoutMs"],
  ["maxRetrys", ["maxWaitMs", "maxRetries"], "maxRetries"],
  // Equally similar names: the first one wins.
  ["waitMs", ["waitMx", "waitMy"], "waitMx"],
  ["waitMs", ["waitMx", "waitMs"], "waitMs"],
  // Half of the letter pairs suffice.
  ["abxd", ["abyd"], "abyd"],
  ["abxx", ["abyy"], null],
  // Two swapped neighbors, in a word that is too short for common pairs.
  ["emial", ["model", "email"], "email"],
  ["tpye", ["tape", "type"], "type"],
  ["seed", ["eseds", "esed"], "esed"],
  ["from", ["form"], "form"],
  ["nowm", ["seed"], null],
  ["abcd", ["badc"], null],
  // The same letters in another order do not match. The end of a word counts.
  ["smtuoemit", ["timeoutms"], null],
  ["abc", ["xbc"], "xbc"],
  ["abc", ["abx"], null],
  ["", ["signal"], null],
  ["signal", [], null],
])("the nearest name to %j among %j is %j", (word, names, nearest) => {
  expect(nearestName(word, names)).toBe(nearest);
});
