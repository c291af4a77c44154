import { InvalidOptionError, shown } from "../errors/invalid-option-error.js";
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

/** Refuses names that nobody listens to: without that, a misspelled option is one that silently does nothing. */
export function checkOptionNames(
  options: object,
  known: Readonly<Record<string, true>>,
  { text }: Pick<Redactor, "text"> = NO_KEY,
): void {
  if (typeof options !== "object" || options === null) {
    throw new InvalidOptionError("options", "be an object", shown(options));
  }
  const names = Object.keys(known);
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(known, name)) continue;
    const rule = text(name) === name ? ruleFor(name, names) : null;
    if (rule !== null) throw new InvalidOptionError(name, rule);
    // A name like no other isn't shown: it may be the API key in a wrong place.
    throw new InvalidOptionError("options", `be among ${names.join(", ")}`, shown(name));
  }
}

/** What is wrong with a name that is an option of something else, or nearly one of these; `null` for any other. */
function ruleFor(name: string, names: readonly string[]): string | null {
  const place = Object.keys(ELSEWHERE).find((each) => ELSEWHERE[each]?.split(" ").includes(name));
  if (place !== undefined) return `be an option here: it is one of ${place}`;
  const nearest = nearestName(name, names);
  return nearest === null ? null : `be the name of an option, perhaps \`${nearest}\``;
}
