import { ownOptions } from "../contract/service.js";
import { nearestName } from "../contract/text.js";
import { type InvalidOptionError, invalidOption, shown, wrongValue } from "./base.js";
import type { Redactor } from "./redactor.js";

export type OptionRule = readonly [rule: string, isMet: (value: unknown) => boolean];

export type OptionRules<Options> = Readonly<Record<keyof Options, OptionRule>>;

/** For an option that is checked elsewhere. */
export const OWN_CHECK: OptionRule = ["", () => true];

export const callbackRule: OptionRule = ["be a function", (value) => typeof value === "function"];
export const flagRule: OptionRule = ["be true or false", (value) => typeof value === "boolean"];

export const methodsRule = (...methods: readonly string[]): OptionRule => [
  `have the methods ${methods.join(", ")}`,
  (value) => methods.every((name) => typeof Object(value)[name] === "function"),
];

export const numberRule = (rule: string, isMet: (value: number) => boolean): OptionRule => [
  rule,
  (value) => typeof value === "number" && isMet(value),
];

export const wholeNumberRule = (least: number): OptionRule =>
  numberRule(`be a whole number of ${least} or more`, (value) => Number.isInteger(value) && value >= least);

export const millisecondsRule = (least: number): OptionRule =>
  numberRule(`be a number of milliseconds, ${least} or more`, (value) => value >= least);

export function checkOption(name: string, [rule, isMet]: OptionRule, value: unknown): void {
  if (!isMet(value)) throw wrongValue(name, rule, shown(value));
}

/** The options by what accepts them: the error for a misplaced option names it. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "`new AsyncMusic`":
    "apiKey baseUrl fetch retryBudgetMs clock random pacer logger logLevel tracer validateRequests dangerouslyAllowBrowser",
  "each call": "signal requestId headers",
  "the calls about tasks": "tenant budget",
  "the calls that wait": "pollIntervalMs maxWaitMs onUpdate",
  "`run` or `runAll`": "onSubmitted onUnrecorded",
  "`run`, `runAll` or `create`": "journal journalKey probe",
  "`audio.download`": "maxBytes size",
  "`runAll`": "concurrency maxCredits onProgress stopOn",
};

/**
 * Returns a copy of the options that has every known name, `undefined` where none is given. Own properties alone count,
 * so that a polluted `Object.prototype` sets no option.
 *
 * @throws `InvalidOptionError` for a name that is not known, and for one that the options inherit from a class or from
 * other options: either would silently do nothing. Also for a value that does not meet its rule
 */
export function checkOptions<Options extends object>(
  options: Options,
  rules: Readonly<Record<string, OptionRule>>,
  { text }: Pick<Redactor, "text"> = { text: (value) => value },
): Options {
  if (typeof options !== "object" || options === null) {
    throw wrongValue("options", "be an object", shown(options));
  }
  const names = Object.keys(rules);
  const own = ownOptions(options, names, (name, reason) => {
    if (reason === "inherited")
      return invalidOption(
        name,
        [{ name }, " is inherited and would be ignored"],
        "Set it on the options object itself.",
      );
    const error = text(name) === name ? misplaced(name, names) : null;
    // A name that resembles no option is not shown: it may be the API key.
    return (
      error ?? invalidOption("options", `Unknown option (${shown(name)})`, `Known: ${names.join(", ")}.`)
    );
  });
  for (const name of names) {
    const value = Reflect.get(own, name);
    if (value !== undefined) checkOption(name, rules[name] ?? OWN_CHECK, value);
  }
  return own;
}

/** The error for a misplaced or misspelled name; `null` for any other name. */
function misplaced(name: string, names: readonly string[]): InvalidOptionError | null {
  const owner = Object.keys(ELSEWHERE).find((each) => ELSEWHERE[each]?.split(" ").includes(name));
  if (owner !== undefined)
    return invalidOption(name, [{ name }, " is not an option here"], `Pass it to ${owner}.`);
  const nearest = nearestName(name, names);
  return nearest === null
    ? null
    : invalidOption(name, ["Unknown option ", { name }], `Did you mean \`${nearest}\`?`);
}

/** A value where one of some words was expected. Shown only if it resembles one of them, since it may be a key. */
export function shownAmong(
  value: unknown,
  words: readonly string[],
  { text }: Pick<Redactor, "text">,
): string {
  const isShown = typeof value === "string" && nearestName(value, words) !== null && text(value) === value;
  return isShown ? JSON.stringify(value) : shown(value);
}
