import { at, createRandom, seedOf } from "../seeded.js";
import { VOWELS, type Vowel } from "../synth/vowels.js";
import type { Note } from "./score.js";

/** A tune sung on the vowels of a text, one after another; a text without any is sung on ones of its own, by its hash. */
export function withVowels(notes: readonly Note[], text: string): readonly Note[] {
  const written = [...text.toLowerCase().normalize("NFD")].filter(isVowel);
  const random = createRandom(seedOf("vowels", text));
  const sung = written.length > 0 ? written : Array.from({ length: 8 }, () => random.pick(VOWELS));
  const inOrder = [...notes].sort((a, b) => a.start - b.start);
  let index = -1;
  let start = Number.NEGATIVE_INFINITY;
  return inOrder.map((note) => {
    if (note.start > start) index++;
    start = note.start;
    return { ...note, vowel: at(sung, index) };
  });
}

function isVowel(letter: string): letter is Vowel {
  return VOWELS.some((vowel) => vowel === letter);
}
