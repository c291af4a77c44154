import { createRandom } from "../seeded.js";
import type { Style } from "./style.js";
import { GENRE_WORDS, GENRES, type GenreName, TWIST_WORDS, UNNAMED_GENRES } from "./words.js";

/** The style that a text asks for in words. Where it names no genre, the seed names one. */
export function readStyle(text: string, seed: number): Style {
  const spaced = ` ${text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()} `;
  let style: Style = GENRES[firstGenre(spaced) ?? createRandom(seed).pick(UNNAMED_GENRES)];
  for (const [words, { tempoFactor = 1, ...twist }] of TWIST_WORDS) {
    if (firstPlace(spaced, words) === Number.POSITIVE_INFINITY) continue;
    const [slowest, fastest] = style.tempo;
    style = {
      ...style,
      ...twist,
      tempo: [slowest * tempoFactor, fastest * tempoFactor],
    };
  }
  return style;
}

function firstGenre(spaced: string): GenreName | undefined {
  let first = Number.POSITIVE_INFINITY;
  let found: GenreName | undefined;
  for (const [genre, words] of GENRE_WORDS) {
    const place = firstPlace(spaced, words);
    if (place >= first) continue;
    first = place;
    found = genre;
  }
  return found;
}

/** Where the first of these words stands, as a whole word; infinity when none does. */
function firstPlace(spaced: string, words: string): number {
  const places = words.split(", ").map((word) => spaced.indexOf(` ${word} `));
  return Math.min(...places.map((place) => (place < 0 ? Number.POSITIVE_INFINITY : place)));
}
