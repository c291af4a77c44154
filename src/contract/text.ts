/**
 * Returns text from the service without control and format characters, bidirectional ones included: a terminal obeys
 * them, and a reader is misled by them. Line feeds and tabs stay.
 */
export function printable(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n\t]|\p{Cf}/gu, "");
}

/** The same on one line, for messages and log lines: a line break becomes a space. */
export function printableLine(text: string): string {
  return printable(text.replaceAll(/[\t-\r\u2028\u2029]+/g, " "));
}

/** Removes `user:password@` from every URL in a text. */
export function withoutCredentials(text: string): string {
  return text.replaceAll(/:\/\/[^\s/?#\\]*@/g, "://");
}

/** How much of one text from the service a message quotes, in characters. */
const LONGEST_EXCERPT = 300;

/** A text from the service as a message quotes it: on one line, without credentials, and not longer than 300 characters. */
export function excerpt(text: string): string {
  // Cut last: half a password would not be found.
  return withoutCredentials(printableLine(text)).trim().slice(0, LONGEST_EXCERPT);
}

/** Whether this is a UUID, as the IDs of tasks are. */
export function isUuid(text: string): boolean {
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);
}

/** A UUID in lower case, as the service writes its IDs; any other text unchanged. */
export function lowerCaseUuid(text: string): string {
  return isUuid(text) ? text.toLowerCase() : text;
}

/** The least similarity at which a name counts as a misspelling of another. */
const SIMILAR = 0.5;

/** Returns the name that a word probably misspells, the first of several; null if it resembles none of them. */
export function nearestName(word: string, names: readonly string[]): string | null {
  let nearest: string | null = null;
  let highest = SIMILAR;
  for (const name of names) {
    const score = similarity(word.toLowerCase(), name.toLowerCase());
    if (score < highest || (score === highest && nearest !== null)) continue;
    nearest = name;
    highest = score;
  }
  return nearest;
}

/** The share of their letter pairs that two words have in common, 0 to 1; 1 if only two neighbors are swapped. */
function similarity(word: string, other: string): number {
  if (isSwapped(word, other)) return 1;
  const pairs = letterPairs(word);
  const others = letterPairs(other);
  const common = [...pairs].filter((pair) => others.has(pair));
  return (2 * common.length) / (pairs.size + others.size);
}

function isSwapped(word: string, other: string): boolean {
  const first = [...word].findIndex((letter, index) => letter !== other[index]);
  const [letter = "", next = ""] = word.slice(first, first + 2);
  return first >= 0 && other === word.slice(0, first) + next + letter + word.slice(first + 2);
}

function letterPairs(word: string): Set<string> {
  const letters = [...word];
  return new Set(letters.map((letter, index) => letter + (letters[index + 1] ?? "")));
}

/** The text with its first letter in upper case. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
