/** From this likeness on, a name is taken for a misspelling of another. */
const ALIKE = 0.5;

const LONGEST_SHOWN = 100;

/** The error about an option or a field that does not exist. `where` is what has no such field. */
export function unknownName(
  kind: "option" | "field",
  name: string,
  known: readonly string[],
  where?: string,
): RangeError {
  return unknownNameError(kind, name, adviceFor(name, known), where);
}

/** The same with advice that `adviceFor` gave. */
export function unknownNameError(
  kind: "option" | "field",
  name: string,
  advice: string,
  where?: string,
): RangeError {
  const place = where === undefined ? "" : ` in \`${where}\``;
  return new RangeError(`Unknown ${kind} \`${name.slice(0, LONGEST_SHOWN)}\`${place}. ${advice}`);
}

/** Suggests the known name that is nearest to an unknown one, or lists all of them. */
export function adviceFor(name: string, known: readonly string[]): string {
  const nearest = nearestName(name.slice(0, LONGEST_SHOWN), known);
  return nearest === null ? `Known: ${known.join(", ")}.` : `Did you mean \`${nearest}\`?`;
}

function nearestName(name: string, known: readonly string[]): string | null {
  const [first = "", ...others] = known;
  const nearest = others.reduce(
    (best, each) => (likeness(name, each) > likeness(name, best) ? each : best),
    first,
  );
  return likeness(name, nearest) < ALIKE ? null : nearest;
}

/** The share of their pairs of letters that two names have in common, from 0 to 1. */
function likeness(one: string, other: string): number {
  const [pairs, others] = [letterPairs(one), letterPairs(other)];
  const common = pairs.filter((pair) => others.includes(pair)).length;
  return (2 * common) / (pairs.length + others.length);
}

function letterPairs(name: string): string[] {
  const small = name.toLowerCase();
  return [...new Set(Array.from(small, (letter, index) => letter + small.charAt(index + 1)))];
}
