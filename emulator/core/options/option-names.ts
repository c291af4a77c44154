import { invalidOption } from "./invalid-option.js";
import { unknownName } from "./unknown-name.js";

/**
 * Returns a copy of the options that has every known name, `undefined` if none is set. It reads own properties only, so
 * that a polluted `Object.prototype` sets no option.
 *
 * @throws RangeError for an unknown name, and for an option that is inherited from a class or from other options: either
 * would silently do nothing. The message for an unknown name has the nearest known one, or all of them.
 */
export function checkOptionNames<Options extends object, Name extends keyof Options & string>(
  options: Options,
  known: readonly [Name, ...Name[]],
): Options {
  if (typeof options !== "object" || options === null)
    throw invalidOption("options", "be an object", options);
  const names: readonly [string, ...string[]] = known;
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && !names.includes(name)) throw unknownName("option", name, names);
  }
  const own = known.map((name) => [name, ownOption(options, name)]);
  return Object.fromEntries(own) as Options;
}

function ownOption(options: object, name: string): unknown {
  if (Object.hasOwn(options, name)) return Reflect.get(options, name);
  // The last prototype of a chain is the language's own, which other code may have polluted.
  let holder: object | null = Object.getPrototypeOf(options);
  while (holder !== null && !Object.hasOwn(holder, name)) holder = Object.getPrototypeOf(holder);
  if (holder === null || Object.getPrototypeOf(holder) === null) return undefined;
  throw new RangeError(`Expected \`${name}\` to be an own property of the options: it is inherited`);
}
