/** The time of a date, in milliseconds since the epoch; `null` if it can't be parsed. */
export function parseDate(text: string | null): number | null {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? null : time;
}

/** The latest time that a `Date` can represent, in milliseconds since the epoch. */
const LATEST_DATE = 8.64e15;

/** A time as a `Date`; the latest possible one for a later time. */
export function dateAt(time: number): Date {
  return new Date(Math.min(time, LATEST_DATE));
}
