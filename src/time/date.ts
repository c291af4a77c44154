/** The time that an HTTP date names, in milliseconds since the epoch; `null` where it can't be read. */
export function parseDate(text: string | null): number | null {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? null : time;
}

/** The last time that a date can have, in milliseconds since the epoch. */
const END_OF_TIME = 8.64e15;

/** A time as the caller's own kind of value; what lies beyond the end of time is that end. */
export function dateAt(time: number): Date {
  return new Date(Math.min(time, END_OF_TIME));
}
