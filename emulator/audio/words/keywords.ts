/** Words that say how a sentence or a song is built, and not what it is about. */
const COMMON_WORDS = new Set(
  (
    "a about after all also am an and any are as at be been but by can could do does down feat for from get give got had has " +
    "have he her here him his how i if in into is it its just let like make me more my no not of off on or our out over " +
    "please she so some than that the their them then there these they this through to too up us very was we were what " +
    "when where which who why will with would write you your bpm chorus genre instrumental lyric lyrics melody mood music " +
    "song songs sound style tempo tag tags track tune verse vocal vocals bridge intro outro"
  ).split(" "),
);
/** Words that say how the music is to sound, and not what it is about either. */
const GENRE_WORDS = new Set(
  (
    "acoustic ambient ballad baroque bebop bluegrass blues bossa chiptune classical country disco dub dubstep edm electro " +
    "electronic fado flamenco folk funk gospel grunge hiphop hip hop indie jazz jpop kpop latin lofi metal motown nova " +
    "orchestral polka pop psytrance punk rap reggae reggaeton rnb rock salsa samba shanty ska soul swing synthpop " +
    "synthwave tango techno trance trap vaporwave waltz"
  ).split(" "),
);
/** Words that say how something is: a song is about the thing. */
const ADJECTIVES = new Set(
  (
    "afraid alone angry bad best better big blue bold brave bright broken busy calm cheerful clean clear cold cool cozy crazy " +
    "dark dead deep dreamy driving dry early easy empty fair far fast fine first free fresh full funny gentle good great " +
    "green happy hard haunting heavy high hopeful hot huge joyful kind large last late lazy light little lonely long lost " +
    "loud low mad mellow merry mighty mild minor narrow nice noisy old orange pale peaceful perfect pink plain poor pretty " +
    "proud pure purple quick quiet rainy rapid raw ready red relaxing rich rough sad safe scary shady sharp short shy silent " +
    "silver simple sleepy slow small smooth soft solo strange strong sunny sweet tall tender thin tiny tired true upbeat " +
    "uptempo warm weak wet white whole wide wild wise worst wrong yellow young"
  ).split(" "),
);
const ADJECTIVE_ENDING = /(?:ful|less|ous|ish|ive|able|ible|ical|ic|ly)$/;
const DETERMINERS = new Set("a an the my your his her its our their".split(" "));
const LONGEST_WORD = 18;

/** Something that a text is about. */
export interface Keyword {
  word: string;
  /** As it stands in a sentence: `the lighthouse`, where the text speaks of a lighthouse, and `rain`. */
  phrase: string;
}

/** What a text is about: its telling words in their order, each once, without `[tags]`. */
export function keywordsOf(text: string): readonly Keyword[] {
  const found = new Map<string, Keyword>();
  const words = wordsOf(text);
  let isDetermined = false;
  words.forEach((given, place) => {
    // What somebody has stands for itself: of a cat's dream, a cat and a dream.
    const word = given.replace(/['’]s$/i, "");
    const lower = word.toLowerCase();
    if (isCommon(lower)) {
      isDetermined = DETERMINERS.has(lower);
      return;
    }
    if (GENRE_WORDS.has(lower) || found.has(lower)) return;
    if (isAdjective(lower) && !isNounThere(words, place)) return;
    // The first word of a text has its capital from there; others may be names, which need no article.
    const shown = place === 0 || word === word.toUpperCase() ? lower : word;
    const isName = shown !== lower;
    found.set(lower, { word: shown, phrase: isDetermined && !isName ? `the ${shown}` : shown });
  });
  return [...found.values()];
}

function wordsOf(text: string): string[] {
  const plain = text.replace(/\[[^[\]]*\]/g, " ");
  const matches = plain.matchAll(/[\p{L}\p{M}]+(?:['’-][\p{L}\p{M}]+)*/gu);
  return [...matches].map(([word]) => [...word].slice(0, LONGEST_WORD).join(""));
}

function isCommon(lower: string): boolean {
  return COMMON_WORDS.has(lower) || /^[a-z]{1,2}$/.test(lower);
}

function isAdjective(lower: string): boolean {
  return ADJECTIVES.has(lower) || (lower.length > 5 && ADJECTIVE_ENDING.test(lower));
}

/** `the dark`, and nothing behind it that would be dark. */
function isNounThere(words: readonly string[], place: number): boolean {
  const [before = "", after = "a"] = [words[place - 1], words[place + 1]];
  return before.toLowerCase() === "the" && isCommon(after.toLowerCase());
}

export function capitalized(text: string): string {
  const [first = "", ...rest] = [...text];
  return first.toUpperCase() + rest.join("");
}
