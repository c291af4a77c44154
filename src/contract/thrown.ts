/**
 * Whether a value is an error, also one of another realm: Jest, and Vitest with `vmThreads`, run code in a realm of its own, and the
 * errors of Node's modules and of `fetch` are of the first one.
 */
export function isError(value: unknown): value is Error {
  try {
    return value instanceof Error || Object.prototype.toString.call(value) === "[object Error]";
  } catch {
    // A proxy may throw when it is inspected.
    return false;
  }
}

/**
 * The message of what was thrown, which may be no error. For an error without one: the messages of the errors that it combines, as where
 * no address of a host accepts a connection, or its code or name.
 */
export function messageOfThrown(thrown: unknown): string {
  if (!isError(thrown)) return String(thrown);
  const { message, name } = thrown;
  if (message !== "") return message;
  const { errors, code }: { errors?: unknown; code?: unknown } = Object(thrown);
  const messages = [errors].flat().flatMap((each) => Object(each).message || []);
  return messages.join("; ") || String(code ?? name);
}
