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
