import { at, createRandom, seedOf } from "../seeded.js";
import { capitalized, keywordsOf } from "./keywords.js";

const ONE_WORD = ["{a}", "Only {a}", "{a} Tonight", "Song for {a}", "After {a}", "Dear {a}", "Back to {a}"];
const TWO_WORDS = ["{a} and {b}", "{a}, {b}", "Between {a} and {b}", "{a} for {b}", ...ONE_WORD];
/** For a text that says nothing. */
const IMAGES = [
  "Harbour",
  "Winter Light",
  "Paper Boats",
  "Slow River",
  "Open Windows",
  "Northern Train",
  "Late Summer",
];

/** A title out of what the text is about. */
export function songTitle(text: string, seed: number): string {
  const random = createRandom(seedOf("title", text, seed));
  const words = keywordsOf(text).map(({ word }) => word);
  if (words.length === 0) return random.pick(IMAGES);
  // The second word stands behind the first in the text, too.
  const place = random.below(Math.max(1, Math.min(words.length - 1, 4)));
  const pattern = random.pick(words.length === 1 ? ONE_WORD : TWO_WORDS);
  return pattern
    .replace("{a}", () => capitalized(at(words, place)))
    .replace("{b}", () => capitalized(at(words, place + 1)));
}
