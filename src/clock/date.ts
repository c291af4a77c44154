/** The time that an HTTP date names, in milliseconds since the epoch; `null` where it can't be read. */
export function parseDate(text: string | null): number | null {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? null : time;
}

/** A time as the caller's own kind of value. */
export function dateAt(time: number): Date {
  return new Date(time);
}
