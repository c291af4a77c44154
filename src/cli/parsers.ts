import { InvalidArgumentError } from "commander";

/** Reads a whole number within a range. */
export function wholeNumber(
  least = Number.MIN_SAFE_INTEGER,
  most = Number.MAX_SAFE_INTEGER,
): (text: string) => number {
  return (text) => {
    const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    const range =
      least === Number.MIN_SAFE_INTEGER
        ? ""
        : most === Number.MAX_SAFE_INTEGER
          ? ` of ${least} or more`
          : ` from ${least} to ${most}`;
    throw new InvalidArgumentError(`Expected a whole number${range}.`);
  };
}

/** Reads seconds, which need not be whole. */
export function seconds(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected seconds, such as 30 or 12.5.");
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };

/** Reads a length of time, in milliseconds: `90s`, `10m`, `1h`, or a bare number of seconds. */
export function duration(text: string): number {
  const [, count = "", unit = "s"] = /^(\d+(?:\.\d+)?)([smh])?$/.exec(text) ?? [];
  const ms = Number(count) * (UNIT_MS[unit] ?? Number.NaN);
  if (ms > 0) return ms;
  throw new InvalidArgumentError("Expected a length of time above 0, such as 90s, 10m or 1h.");
}
