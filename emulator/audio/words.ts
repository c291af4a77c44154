import { randomChoice, randomStream } from "../time/random.js";
import { at, shuffled } from "./numbers.js";

/** Verses, a chorus that returns, and a bridge, about the words of the prompt. The same input gives the same lyrics. */
export function writeLyrics(prompt: string, seed: number): { title: string; text: string } {
  const random = randomStream(seed, "lyrics", prompt);
  const keywords = keywordsOf(prompt);
  const title = titleOf(keywords, prompt, seed);
  const phrases = keywords.map(({ phrase }) => phrase);
  const words = shuffled(random, phrases.length > 0 ? phrases : IMAGES);
  const verses = shuffled(random, VERSE_LINES);
  const rhymes = shuffled(random, ENDINGS);

  // Lines that follow one another rhyme, by a row of endings that no other pair of lines in the song uses.
  const rhymed = (lines: readonly string[], row: number) => {
    const endings = shuffled(random, at(rhymes, row));
    return lines.map((line, index) => {
      const word = at(words, row + index);
      const filled = line.replaceAll("{title}", () => title).replaceAll("{word}", () => word);
      return capitalized(`${filled} ${at(endings, index)}`);
    });
  };
  const firstVerse = ["[Verse]", ...rhymed(verses.slice(0, 2), 0), ...rhymed(verses.slice(2, 4), 1)];
  const chorus = ["[Chorus]", ...rhymed(CHORUS_LINES, 2)];
  const secondVerse = ["[Verse]", ...rhymed(verses.slice(4, 6), 3), ...rhymed(verses.slice(6, 8), 4)];
  const bridge = ["[Bridge]", ...rhymed(verses.slice(8, 10), 5)];
  const sections = [firstVerse, chorus, secondVerse, chorus, bridge, chorus];
  return { title, text: sections.map((lines) => lines.join("\n")).join("\n\n") };
}

/** Titles made from the words of a text, one for each seed. The text, which may have 1 MiB, is split once. */
export function songTitles(text: string): (seed: number) => string {
  const keywords = keywordsOf(text);
  return (seed) => titleOf(keywords, text, seed);
}

function titleOf(keywords: readonly Keyword[], text: string, seed: number): string {
  const random = randomStream(seed, "title", text);
  const words = keywords.map(({ word }) => word);
  if (words.length === 0) return randomChoice(random, UNTITLED);
  // The second word follows the first in the text, too.
  const index = Math.floor(random() * Math.max(1, Math.min(words.length - 1, 4)));
  return randomChoice(random, words.length === 1 ? ONE_WORD_TITLES : [...TWO_WORD_TITLES, ...ONE_WORD_TITLES])
    .replace("{a}", () => capitalized(at(words, index)))
    .replace("{b}", () => capitalized(at(words, index + 1)));
}

const ONE_WORD_TITLES = ["{a}", "Only {a}", "{a} Tonight", "Song for {a}", "After {a}", "Back to {a}"];
const TWO_WORD_TITLES = ["{a} and {b}", "{a}, {b}", "Between {a} and {b}", "{a} for {b}"];
/** Titles and words for a text without a noun or name. */
const UNTITLED = ["Harbor", "Winter Light", "Paper Boats", "Slow River", "Open Windows", "Late Summer"];
const IMAGES = ["the harbor", "summer", "the city", "tomorrow", "the river", "fire"];

/** Beginnings of lines in which any noun or name can replace `{word}`. */
const VERSE_LINES = [
  "I was dreaming of {word}",
  "You kept talking of {word}",
  "There was nothing but {word}",
  "The station whispered {word}",
  "I left a letter for {word}",
  "We were looking for {word}",
  "I can still hear {word}",
  "Tell me again about {word}",
  "And the radio played {word}",
  "We gave it all for {word}",
];
const CHORUS_LINES = [
  "{title}, {title},",
  "Oh, carry me to {word}",
  "{title}, sing it with me",
  "We will always have {word}",
];
/** Ends of lines. Those of one row rhyme, and a row has enough for a whole chorus. */
const ENDINGS = [
  ["in the morning light", "all through the night", "and held on tight", "till it felt right"],
  ["at the break of day", "a thousand miles away", "with nothing left to say", "and asked the stars to stay"],
  ["on the evening train", "in the falling rain", "down a narrow lane", "over and over again"],
  ["by the silver sea", "where we used to be", "wild and finally free", "just you and me"],
  ["under an open sky", "and never said goodbye", "while the years went by", "where the swallows fly"],
  ["on the long road home", "through streets of chrome", "wherever we roam", "over the salt and foam"],
  ["with a beating heart", "back at the very start", "a hundred worlds apart", "like a work of art"],
];

/** Words that say how a sentence or a song is built or sounds, and not what it is about. */
const COMMON_WORDS = wordSet(
  "a about after all also am an and any are as at be been but by can could do does down feat for from get give got had has " +
    "have he her here him his how i if in into is it its just let like make me more my no not of off on or our out over " +
    "please she so some than that the their them then there these they this through to too up us very was we were what " +
    "when where which who why will with would write you your bpm chorus genre instrumental lyric lyrics melody mood music " +
    "song songs sound style tempo tag tags track tune verse vocal vocals bridge intro outro",
);
const GENRE_WORDS = wordSet(
  "acoustic ambient ballad baroque bebop bluegrass blues bossa chiptune classical country disco dub dubstep edm electro " +
    "electronic fado flamenco folk funk gospel grunge hiphop hip hop indie jazz jpop kpop latin lofi metal motown nova " +
    "orchestral polka pop psytrance punk rap reggae reggaeton rnb rock salsa samba shanty ska soul swing synthpop " +
    "synthwave tango techno trance trap vaporwave waltz",
);
/** Words that say how something is: a song is about the thing. */
const ADJECTIVES = wordSet(
  "afraid alone angry bad best better big blue bold brave bright broken busy calm cheerful clean clear cold cool cozy crazy " +
    "dark dead deep dreamy driving dry early easy empty fair far fast fine first free fresh full funny gentle good great " +
    "green happy hard haunting heavy high hopeful hot huge joyful kind large last late lazy light little lonely long lost " +
    "loud low mad mellow merry mighty mild minor narrow nice noisy old orange pale peaceful perfect pink plain poor pretty " +
    "proud pure purple quick quiet rainy rapid raw ready red relaxing rich rough sad safe scary shady sharp short shy silent " +
    "silver simple sleepy slow small smooth soft solo strange strong sunny sweet tall tender thin tiny tired true upbeat " +
    "uptempo warm weak wet white whole wide wild wise worst wrong yellow young",
);
const ADJECTIVE_ENDING = /(?:ful|less|ous|ish|ive|able|ible|ical|ic|ly)$/;
const DETERMINERS = wordSet("a an the my your his her its our their");
const LONGEST_WORD = 18;

interface Keyword {
  word: string;
  /** As it is in a sentence: `the lighthouse`, where the text has an article before it. */
  phrase: string;
}

/** What a text is about: its nouns and names in their order, each once, without `[tags]`. */
export function keywordsOf(text: string): readonly Keyword[] {
  const found = new Map<string, Keyword>();
  const words = [...text.replace(/\[[^[\]]*\]/g, " ").matchAll(/[\p{L}\p{M}]+(?:['’-][\p{L}\p{M}]+)*/gu)].map(
    ([word]) => (word.length > LONGEST_WORD ? [...word].slice(0, LONGEST_WORD).join("") : word),
  );
  let isDetermined = false;
  for (const [index, given] of words.entries()) {
    // Of a cat's dream, a cat and a dream.
    const word = given.replace(/['’]s$/i, "");
    const lower = word.toLowerCase();
    if (isCommon(lower)) {
      isDetermined = DETERMINERS.has(lower);
      continue;
    }
    if (GENRE_WORDS.has(lower) || found.has(lower)) continue;
    const isAdjective = ADJECTIVES.has(lower) || (lower.length > 5 && ADJECTIVE_ENDING.test(lower));
    // `the dark`, with no noun after it, is a thing.
    const isNoun =
      words[index - 1]?.toLowerCase() === "the" && isCommon(words[index + 1]?.toLowerCase() ?? "a");
    if (isAdjective && !isNoun) continue;
    // The first word of a text has a capital anyway; others may be names, which need no article.
    const shown = index === 0 || word === word.toUpperCase() ? lower : word;
    found.set(lower, { word: shown, phrase: isDetermined && shown === lower ? `the ${shown}` : shown });
  }
  return [...found.values()];
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}

function isCommon(lower: string): boolean {
  return COMMON_WORDS.has(lower) || /^[a-z]{1,2}$/.test(lower);
}

function capitalized(text: string): string {
  const [first = "", ...rest] = [...text];
  return first.toUpperCase() + rest.join("");
}
