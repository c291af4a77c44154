/** The message of what was thrown, which may be no error. */
export function messageOfThrown(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
