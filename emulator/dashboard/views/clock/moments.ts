import { LATEST_TIME } from "../../../core/ranges.js";

/** Milliseconds of each unit, by its first letter. */
const UNITS: Readonly<Record<string, number>> = {
  w: 7 * 86_400_000,
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1000,
};

const PART =
  /(\d+(?:\.\d+)?)\s*(w(?:eeks?)?|d(?:ays?)?|h(?:ours?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)(?![a-z])/gi;

const DATE = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?))?(?:Z| UTC)?$/i;

/**
 * The time that a text means: a duration from now, such as `8 days` or `1h 30m`, or a date in UTC. `null` for
 * another text, and for a duration that leads beyond the emulator's latest time.
 */
export function momentOf(text: string, now: number): number | null {
  const given = text.trim().replace(/^(\+|in )\s*/i, "");
  const [, day, time = "00:00"] = DATE.exec(given) ?? [];
  if (day !== undefined) {
    const at = Date.parse(`${day}T${time}Z`);
    // `Date.parse` takes the 30th of February for the 2nd of March.
    return Number.isNaN(at) || !dateOf(at).startsWith(day) ? null : at;
  }
  // What is left between the parts must mean nothing.
  if (given === "" || !/^(,|and|\s)*$/i.test(given.replaceAll(PART, ""))) return null;
  let at = now;
  for (const [, amount, unit = ""] of given.matchAll(PART))
    at += Number(amount) * (UNITS[unit.charAt(0).toLowerCase()] ?? 0);
  return at > LATEST_TIME ? null : Math.round(at);
}

/** The date in UTC as a text that means this time. */
export function dateOf(at: number): string {
  return new Date(at)
    .toISOString()
    .replace("T", " ")
    .replace(/(\.000)?Z$/, "");
}
