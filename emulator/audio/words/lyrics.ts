import { at, createRandom, type Random, seedOf } from "../seeded.js";
import { capitalized, keywordsOf } from "./keywords.js";
import { CHORUS_LINES, ENDINGS, IMAGES, VERSE_LINES } from "./lines.js";
import { songTitle } from "./title.js";

export type Lyrics = { readonly title: string; readonly text: string };

/** Verses, a chorus that comes back, and a bridge, about what the prompt is about. The same input gives the same words. */
export function writeLyrics({ prompt, seed }: { readonly prompt: string; readonly seed: number }): Lyrics {
  const random = createRandom(seedOf("lyrics", prompt, seed));
  const title = songTitle(prompt, seed);
  const keywords = keywordsOf(prompt).map(({ phrase }) => phrase);
  const words = shuffled(keywords.length > 0 ? keywords : IMAGES, random);
  const verses = shuffled(VERSE_LINES, random);
  const rhymes = shuffled(ENDINGS, random);

  // Lines that follow one another rhyme, by a row of endings that no other place in the song uses.
  const rhymed = (lines: readonly string[], row: number) => {
    const endings = shuffled(at(rhymes, row), random);
    return lines.map((line, index) => fill(`${line} ${at(endings, index)}`, at(words, row + index), title));
  };
  const firstVerse = [...rhymed(verses.slice(0, 2), 0), ...rhymed(verses.slice(2, 4), 1)];
  const chorus = rhymed(CHORUS_LINES, 2);
  const secondVerse = [...rhymed(verses.slice(4, 6), 3), ...rhymed(verses.slice(6, 8), 4)];
  const bridge = rhymed(verses.slice(8, 10), 5);
  const sections = [
    ["[Verse]", ...firstVerse],
    ["[Chorus]", ...chorus],
    ["[Verse]", ...secondVerse],
    ["[Chorus]", ...chorus],
    ["[Bridge]", ...bridge],
    ["[Chorus]", ...chorus],
  ];
  return { title, text: sections.map((lines) => lines.join("\n")).join("\n\n") };
}

function fill(line: string, word: string, title: string): string {
  return capitalized(line.replaceAll("{title}", () => title).replaceAll("{word}", () => word));
}

function shuffled<T>(items: readonly T[], random: Random): readonly T[] {
  const order = items.map((item) => ({ item, rank: random.next() }));
  return order.sort((a, b) => a.rank - b.rank).map(({ item }) => item);
}
