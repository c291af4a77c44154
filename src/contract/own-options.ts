/** Why an option is refused: no such option exists, or it is not a property of the options object itself. */
export type RefusedOption = "unknown" | "inherited";

/**
 * Copies the known options; an absent one becomes `undefined`. Only own properties are read, so a polluted
 * `Object.prototype` sets no option.
 *
 * @throws what `refusal` returns for an unknown option, and for a known one that is inherited from a class or from other
 * options: either would silently do nothing
 */
export function ownOptions<Options extends object>(
  options: Options,
  known: readonly string[],
  refusal: (name: string, reason: RefusedOption) => Error,
): Options {
  for (const name of Object.keys(options)) {
    if (!known.includes(name) && Reflect.get(options, name) !== undefined) throw refusal(name, "unknown");
  }
  const own: Record<string, unknown> = {};
  for (const name of known) {
    let holder: object | null = options;
    while (holder !== null && !Object.hasOwn(holder, name)) holder = Object.getPrototypeOf(holder);
    // The last prototype of a chain is the language's own, which other code may have polluted.
    const isInherited = holder !== options && holder !== null && Object.getPrototypeOf(holder) !== null;
    if (isInherited) throw refusal(name, "inherited");
    own[name] = holder === options ? Reflect.get(options, name) : undefined;
  }
  return own as Options;
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
