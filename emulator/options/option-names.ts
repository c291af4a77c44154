import { invalidOption } from "./invalid-option.js";
import { unknownName } from "./unknown-name.js";

/**
 * Refuses unknown option names: a misspelled option would silently do nothing.
 *
 * @throws RangeError that names the nearest option, or all of them.
 */
export function checkOptionNames(options: object, known: readonly [string, ...string[]]): void {
  if (typeof options !== "object" || options === null)
    throw invalidOption("options", "be an object", options);
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && !known.includes(name)) throw unknownName("option", name, known);
  }
}
