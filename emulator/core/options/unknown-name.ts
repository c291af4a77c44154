import { nearestName } from "../../../src/shared/options.js";

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
