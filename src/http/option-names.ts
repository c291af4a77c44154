import { InvalidOptionError, shown } from "../errors/base.js";
import { nearestName, ownOptions } from "../shared/options.js";
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
  return ownOptions(options, names, (name, reason) => {
    if (reason === "inherited")
      return new InvalidOptionError(name, "be an own property of the options: inherited ones are not read");
    const rule = text(name) === name ? ruleFor(name, names) : null;
    if (rule !== null) return new InvalidOptionError(name, rule);
    // A name like no other isn't shown: it may be the API key in a wrong place.
    return new InvalidOptionError("options", `be among ${names.join(", ")}`, shown(name));
  });
}

/** What is wrong with a name that is an option of something else, or nearly one of these; `null` for any other. */
function ruleFor(name: string, names: readonly string[]): string | null {
  const place = Object.keys(ELSEWHERE).find((each) => ELSEWHERE[each]?.split(" ").includes(name));
  if (place !== undefined) return `be an option here: it is one of ${place}`;
  const nearest = nearestName(name, names);
  return nearest === null ? null : `be the name of an option, perhaps \`${nearest}\``;
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
