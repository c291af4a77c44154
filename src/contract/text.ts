/**
 * Returns text from the service without control and format characters, bidirectional ones included: a terminal obeys
 * them, and a reader is misled by them. Line feeds and tabs stay.
 */
export function printable(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n\t]|\p{Cf}/gu, "");
}

/** The same on one line, for messages and log lines: a line break becomes a space. */
export function printableLine(text: string): string {
  return printable(text.replaceAll(/[\t-\r\u2028\u2029]+/g, " "));
}

/** Removes `user:password@` from every URL in a text. */
export function withoutCredentials(text: string): string {
  return text.replaceAll(/:\/\/[^\s/?#\\]*@/g, "://");
}

/** How much of one text from the service a message quotes, in characters. */
const LONGEST_EXCERPT = 300;

/** A text from the service as a message quotes it: on one line, without credentials, and not longer than 300 characters. */
export function excerpt(text: string): string {
  // Cut last: half a password would not be found.
  return withoutCredentials(printableLine(text)).trim().slice(0, LONGEST_EXCERPT);
}

/** Whether this is a UUID, as the ids of tasks are. */
export function isUuid(text: string): boolean {
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);
}

/** Serializes JSON so that equal values give equal strings, whatever the order of their objects' keys. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}
