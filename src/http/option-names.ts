import { InvalidOptionError, shown } from "../errors/base.js";
import { nearestName } from "./near-name.js";
import type { Redactor } from "./redactor.js";

/** Options that not everything has, by what has them: who gives one elsewhere is told where it belongs. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "`new AsyncMusic`":
    "apiKey baseUrl fetch retryBudgetMs clock random pacer logger logLevel tracer validateRequests dangerouslyAllowBrowser",
  "each call": "signal requestId headers",
  "the calls that wait": "pollIntervalMs maxWaitMs onUpdate",
  "`run` and `runAll`": "onSubmitted journal journalKey probe onUnrecorded",
  "`runAll`": "concurrency maxCredits onProgress",
};

/** Where no key is known, none can be looked for. */
const NO_KEY: Pick<Redactor, "text"> = { text: (value) => value };

/**
 * Returns a copy of the options that has every known name, `undefined` where none is given. Own properties alone count,
 * so that a polluted `Object.prototype` sets no option of a client.
 *
 * @throws `InvalidOptionError` for a name that is not known, and for one that the options inherit from a class or from
 * other options: either would silently do nothing
 */
export function checkOptionNames<Options extends object>(
  options: Options,
  known: Readonly<Record<string, true>>,
  { text }: Pick<Redactor, "text"> = NO_KEY,
): Options {
  if (typeof options !== "object" || options === null) {
    throw new InvalidOptionError("options", "be an object", shown(options));
  }
  const names = Object.keys(known);
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(known, name) || Reflect.get(options, name) === undefined) continue;
    const rule = text(name) === name ? ruleFor(name, names) : null;
    if (rule !== null) throw new InvalidOptionError(name, rule);
    // A name like no other isn't shown: it may be the API key in a wrong place.
    throw new InvalidOptionError("options", `be among ${names.join(", ")}`, shown(name));
  }
  const own = names.map((name) => [name, ownOption(options, name)]);
  return Object.fromEntries(own) as Options;
}

function ownOption(options: object, name: string): unknown {
  if (Object.hasOwn(options, name)) return Reflect.get(options, name);
  // The last prototype of a chain is the language's own, which some other code may have polluted.
  let holder: object | null = Object.getPrototypeOf(options);
  while (holder !== null && !Object.hasOwn(holder, name)) holder = Object.getPrototypeOf(holder);
  if (holder === null || Object.getPrototypeOf(holder) === null) return undefined;
  throw new InvalidOptionError(name, "be an own property of the options: inherited ones are not read");
}

/** What is wrong with a name that is an option of something else, or nearly one of these; `null` for any other. */
function ruleFor(name: string, names: readonly string[]): string | null {
  const place = Object.keys(ELSEWHERE).find((each) => ELSEWHERE[each]?.split(" ").includes(name));
  if (place !== undefined) return `be an option here: it is one of ${place}`;
  const nearest = nearestName(name, names);
  return nearest === null ? null : `be the name of an option, perhaps \`${nearest}\``;
}
