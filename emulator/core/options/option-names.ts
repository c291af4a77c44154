import { ownOptions } from "../../../src/shared/options.js";
import { invalidOption } from "./invalid-option.js";
import { unknownName } from "./unknown-name.js";

/**
 * Returns a copy of the options that has every known name, `undefined` if none is set.
 *
 * @throws RangeError for an unknown name, with the nearest known one or all of them, and for an inherited option.
 */
export function checkOptionNames<Options extends object, Name extends keyof Options & string>(
  options: Options,
  known: readonly Name[],
): Options {
  if (typeof options !== "object" || options === null)
    throw invalidOption("options", "be an object", options);
  return ownOptions(options, known, (name, reason) =>
    reason === "unknown"
      ? unknownName("option", name, known)
      : new RangeError(`Expected \`${name}\` to be an own property of the options: it is inherited`),
  );
}
