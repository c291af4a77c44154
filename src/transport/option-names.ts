import { InvalidOptionError, shown } from "../errors/invalid-option-error.js";

/** From which likeness on a name is taken for a misspelling of another. */
const ALIKE = 0.5;

/** Refuses names that nobody listens to: without that, a misspelled option is one that silently does nothing. */
export function checkOptionNames(options: object, known: Readonly<Record<string, true>>): void {
  if (typeof options !== "object" || options === null) {
    throw new InvalidOptionError("options", "be an object", shown(options));
  }
  const names = Object.keys(known);
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(known, name)) continue;
    const nearest = names.reduce((best, each) => (likeness(name, each) > likeness(name, best) ? each : best));
    if (likeness(name, nearest) >= ALIKE) {
      throw new InvalidOptionError(name, `be the name of an option, perhaps \`${nearest}\``);
    }
    // A name like no other isn't shown: it may be the API key in a wrong place.
    throw new InvalidOptionError("options", `be among ${names.join(", ")}`, shown(name));
  }
}

/** The share of their pairs of letters that two names have in common, from 0 to 1. */
function likeness(one: string, other: string): number {
  const [pairs, others] = [pairsOf(one), pairsOf(other)];
  const common = [...pairs].filter((pair) => others.has(pair));
  return (2 * common.length) / (pairs.size + others.size);
}

function pairsOf(name: string): Set<string> {
  const letters = [...name.toLowerCase()];
  return new Set(letters.map((letter, index) => letter + (letters[index + 1] ?? "")));
}
