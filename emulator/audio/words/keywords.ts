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
const LONGEST_WORD = 18;

/** What a text is about: its telling words in their order, each once, without `[tags]`. */
export function keywordsOf(text: string): readonly string[] {
  const found = new Map<string, string>();
  const plain = text.replace(/\[[^\]]*\]/g, " ").trim();
  for (const match of plain.matchAll(/[\p{L}\p{M}]+(?:['’-][\p{L}\p{M}]+)*/gu)) {
    const word = [...match[0]].slice(0, LONGEST_WORD).join("");
    const lower = word.toLowerCase();
    if (COMMON_WORDS.has(lower) || found.has(lower) || /^[a-z]{1,2}$/.test(lower)) continue;
    // The first word of a text has its capital from there; others may be names.
    found.set(lower, match.index === 0 || word === word.toUpperCase() ? lower : word);
  }
  return [...found.values()];
}

export function capitalized(text: string): string {
  const [first = "", ...rest] = [...text];
  return first.toUpperCase() + rest.join("");
}
