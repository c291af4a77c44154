import { isSafeRequestId } from "../contract/service.js";
import { InvalidOptionError, shown } from "../errors/base.js";
import { nearestName, ownOptions } from "../shared/options.js";
import type { RequestOptions } from "./context.js";
import type { Redactor } from "./redactor.js";

/** The names of a request's options. */
export const REQUEST_OPTIONS = {
  signal: true,
  timeoutMs: true,
  maxRetries: true,
  requestId: true,
  headers: true,
} as const satisfies Record<keyof RequestOptions, true>;

/** The longest time that a timer can be set to, in milliseconds. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** Checks the options of one request and answers the limits among them that were given. */
export function checkRequestOptions(options: RequestOptions): { timeoutMs?: number; maxRetries?: number } {
  const { timeoutMs, maxRetries, requestId, signal, headers } = options;
  if (requestId !== undefined && !(typeof requestId === "string" && isSafeRequestId(requestId))) {
    throw new InvalidOptionError(
      "requestId",
      "be 1 to 128 of the characters A-Z a-z 0-9 . _ : -",
      shown(requestId),
    );
  }
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new InvalidOptionError("signal", "be an AbortSignal", shown(signal));
  }
  if (headers !== undefined && !canBeHeaders(headers)) {
    throw new InvalidOptionError("headers", "be an object of valid header names and values");
  }
  return {
    ...(timeoutMs === undefined ? {} : { timeoutMs: checkTimeoutMs(timeoutMs) }),
    ...(maxRetries === undefined ? {} : { maxRetries: checkMaxRetries(maxRetries) }),
  };
}

export function checkTimeoutMs(value: number): number {
  if (typeof value === "number" && value > 0 && value <= LONGEST_TIMEOUT_MS) return value;
  throw new InvalidOptionError(
    "timeoutMs",
    `be above 0 and at most ${LONGEST_TIMEOUT_MS} milliseconds`,
    shown(value),
  );
}

export function checkMaxRetries(value: number): number {
  if (Number.isInteger(value) && value >= 0) return value;
  throw new InvalidOptionError("maxRetries", "be a whole number, 0 or more", shown(value));
}

function canBeHeaders(headers: Readonly<Record<string, string>>): boolean {
  try {
    return new Headers(headers) instanceof Headers;
  } catch {
    return false;
  }
}

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
