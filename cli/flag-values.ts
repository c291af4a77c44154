import { InvalidArgumentError } from "commander";
import type { FieldRule } from "../src/contract/inputs.js";
import { misfitOf } from "../src/contract/request-rules.js";

/** Parses a whole number within a range. */
export function parseWholeNumber(least = Number.MIN_SAFE_INTEGER, most = Number.MAX_SAFE_INTEGER) {
  return (text: string): number => {
    const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}

/** The path of a file: a variable of a shell that is not set makes an empty one. */
export function parsePath(text: string): string {
  if (text !== "") return text;
  throw new InvalidArgumentError("It is empty. Pass a path.");
}

/** Parses `NAME=VALUE`, and adds it to the earlier ones. The emulator checks names and values. */
export function parsePolicy(text: string, earlier: object = {}): object {
  const [, name, value] = /^(\w+)=(\w+)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError("It must be NAME=VALUE, such as audio_conversion=off.");
  return { ...earlier, [name]: /^(?:0|[1-9]\d*|true|false)$/.test(value) ? JSON.parse(value) : value };
}

/** Parses the value of a numeric field, which fits one of its rules: kinds of requests may have different limits. */
export function parseNumber(rules: readonly FieldRule[]) {
  return (text: string): number => {
    const value = numberIn(text);
    const misfits = rules.map((rule) => misfitOf(rule, value));
    if (misfits.includes(null)) return value;
    throw new InvalidArgumentError(`It ${misfits[0]}.`);
  };
}

/** Reads a decimal number, with an exponent or without. `NaN` for anything else, also for a larger number: it would be rounded. */
export function numberIn(text: string): number {
  const isNumber = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text);
  return isNumber && Math.abs(Number(text)) <= Number.MAX_SAFE_INTEGER ? Number(text) : Number.NaN;
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };

/** The longest delay of a timer. */
const LONGEST_HOURS = 596;

/** Parses a duration into whole milliseconds: `90s`, `10m`, `1h`, or a number of seconds. */
export function parseDuration(text: string): number {
  const [, count = "", unit = "s"] = /^(\d+(?:\.\d+)?)([smh])?$/.exec(text) ?? [];
  const ms = Number(count) * (UNIT_MS[unit] ?? Number.NaN);
  if (ms > 0 && ms <= LONGEST_HOURS * 3_600_000) return Math.ceil(ms);
  throw new InvalidArgumentError(
    `It must be a duration above 0 and of at most ${LONGEST_HOURS}h, such as 90s, 10m or 1h.`,
  );
}
