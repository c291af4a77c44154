const REPLACEMENT = "[redacted]";
const DEEPEST = 6;

/** Takes the API key out of what may be printed. */
export interface Redactor {
  text(value: string): string;
  headers(value: Headers): Headers;
  /** A foreign error as it may be kept as a `cause`: itself if it can't hold the key, otherwise a plain copy. */
  cause(value: unknown): unknown;
}

/** A redactor that closes over the key, so that no printing of the client or of an error shows it. */
export function createRedactor(secret: string): Redactor {
  const text = (value: string) => value.replaceAll(secret, REPLACEMENT);

  const headers = (value: Headers) =>
    new Headers([...value].map(([name, content]): [string, string] => [name, text(content)]));

  const holdsSecret = (value: unknown, depth = 0): boolean => {
    if (typeof value === "string") return value.includes(secret);
    if (typeof value !== "object" || value === null) return typeof value === "function";
    if (depth > DEEPEST || isOpaque(value)) return true;
    const keys = value instanceof Error ? ["message", "stack", ...Reflect.ownKeys(value)] : Reflect.ownKeys(value);
    return keys.some((key) => holdsSecret(Reflect.get(value, key), depth + 1));
  };

  const cause = (value: unknown): unknown => {
    if (!(value instanceof Error)) return typeof value === "string" ? text(value) : undefined;
    return holdsSecret(value) ? plainCopy(value) : value;
  };

  const plainCopy = (error: Error): Error => {
    const copy = new Error(text(error.message), { cause: cause(error.cause) });
    copy.name = text(error.name);
    copy.stack = `${copy.name}: ${copy.message}`;
    const { code } = error as { code?: unknown };
    return typeof code === "string" ? Object.assign(copy, { code: text(code) }) : copy;
  };

  return { text, headers, cause };
}

/** Objects whose content can't be seen through their properties, and that may well be the request itself. */
function isOpaque(value: object): boolean {
  return [Request, Headers, Response, Map, Set].some((kind) => value instanceof kind);
}
