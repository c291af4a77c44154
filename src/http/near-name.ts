import { shown } from "../errors/base.js";
import type { Redactor } from "./redactor.js";

/** From which likeness on a name is taken for a misspelling of another. */
const ALIKE = 0.5;

/** The one of some names that a word was probably meant for; `null` where it is like none of them. */
export function nearestName(word: string, names: readonly string[]): string | null {
  let nearest: string | null = null;
  let likest = ALIKE;
  for (const name of names) {
    const like = likeness(word, name);
    if (like < likest || (like === likest && nearest !== null)) continue;
    [nearest, likest] = [name, like];
  }
  return nearest;
}

/** What came where one of some words was expected: a word like no other isn't shown, since it may be a key. */
export function shownAmong(
  value: unknown,
  words: readonly string[],
  { text }: Pick<Redactor, "text">,
): string {
  const isShown = typeof value === "string" && nearestName(value, words) !== null && text(value) === value;
  return isShown ? value : shown(value);
}

/** The share of their pairs of letters that two names have in common, from 0 to 1; 1 if only two neighbors are swapped. */
function likeness(one: string, other: string): number {
  if (isSwapped(one.toLowerCase(), other.toLowerCase())) return 1;
  const [pairs, others] = [pairsOf(one), pairsOf(other)];
  const common = [...pairs].filter((pair) => others.has(pair));
  return (2 * common.length) / (pairs.size + others.size);
}

function isSwapped(one: string, other: string): boolean {
  const first = [...one].findIndex((letter, index) => letter !== other[index]);
  const [letter = "", next = ""] = one.slice(first, first + 2);
  return first >= 0 && other === one.slice(0, first) + next + letter + one.slice(first + 2);
}

function pairsOf(name: string): Set<string> {
  const letters = [...name.toLowerCase()];
  return new Set(letters.map((letter, index) => letter + (letters[index + 1] ?? "")));
}
