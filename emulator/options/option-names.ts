import { invalidOption } from "./invalid-option.js";

/** From which likeness on a name is taken for a misspelling of another. */
const ALIKE = 0.5;

/**
 * Refuses names that nobody listens to: without that, a misspelled option is one that silently does nothing.
 *
 * @throws RangeError that names the nearest option, or all of them.
 */
export function checkOptionNames(options: object, known: readonly [string, ...string[]]): void {
  if (typeof options !== "object" || options === null)
    throw invalidOption("options", "be an object", options);
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || known.includes(name)) continue;
    const nearest = known.reduce((best, each) => (likeness(name, each) > likeness(name, best) ? each : best));
    if (likeness(name, nearest) < ALIKE) throw invalidOption("options", `be among ${known.join(", ")}`, name);
    throw new RangeError(`Expected \`${name}\` to be the name of an option, perhaps \`${nearest}\``);
  }
}

/** How much of two names is the same pairs of letters: 0 to 1. */
function likeness(one: string, other: string): number {
  const [pairs, others] = [letterPairs(one), letterPairs(other)];
  const common = pairs.filter((pair) => others.includes(pair)).length;
  return (2 * common) / (pairs.length + others.length);
}

function letterPairs(name: string): string[] {
  const small = name.toLowerCase();
  return [...new Set(Array.from(small, (letter, index) => letter + small.charAt(index + 1)))];
}
