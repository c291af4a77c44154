/** The command was not understood, or lacks what it needs: nothing was done. */
export class UsageError extends Error {
  override name = "UsageError";
}
