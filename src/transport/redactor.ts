const REPLACEMENT = "[redacted]";
const DEEPEST = 6;

/** A key shorter than this stands in many words and ids by chance: it is only taken out where it is a word of its own. */
const SHORTEST_SECRET = 6;

/** Takes the API key out of what may be printed. */
export interface Redactor {
  text(value: string): string;
  isSecret(value: string): boolean;
  /** Whether a caller's own text gives the key away; what stands there by chance does not. */
  isGivenAway(value: string): boolean;
  headers(value: Headers): Headers;
  /** JSON data as an error may carry it: itself if it doesn't hold the key, otherwise a copy without it. */
  data<Data>(value: Data): Data;
  /** What was thrown as it may be kept as a `cause`: itself if it can't hold the key, otherwise a plain copy. */
  cause(value: unknown): unknown;
}

/** A redactor that closes over the key, so that no printing of the client or of an error shows it. */
export function createRedactor(secret: string): Redactor {
  // An empty text is no key, and would be found everywhere.
  const spellings = new RegExp(secret === "" ? "(?!)" : spellingsOf(secret), "gi");
  const isIn = (value: string) => value.search(spellings) >= 0;
  const text = (value: string) => value.replaceAll(spellings, REPLACEMENT);

  const headers = (value: Headers) =>
    new Headers(
      [...value].map(([name, content]): [string, string] => [isIn(name) ? "redacted" : name, text(content)]),
    );

  const holdsSecret = (value: unknown, depth = 0): boolean => {
    if (typeof value === "string") return isIn(value);
    if (typeof value !== "object" || value === null) return typeof value === "function";
    if (depth > DEEPEST || isOpaque(value)) return true;
    const keys =
      value instanceof Error ? ["message", "stack", ...Reflect.ownKeys(value)] : Reflect.ownKeys(value);
    return keys.some((key) => holdsSecret(key) || holdsSecret(Reflect.get(value, key), depth + 1));
  };

  const data = <Data>(value: Data): Data =>
    holdsSecret(value)
      ? JSON.parse(JSON.stringify(value), (_, part: unknown) =>
          typeof part === "string" ? text(part) : withSafeNames(part),
        )
      : value;

  const withSafeNames = (part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part) && Object.keys(part).some(isIn)
      ? Object.fromEntries(Object.entries(part).map(([name, value]) => [text(name), value]))
      : part;

  const cause = (value: unknown, depth = 0): unknown => {
    if (typeof value === "string") return text(value);
    if (!holdsSecret(value)) return value;
    return value instanceof Error && depth < DEEPEST ? plainCopy(value, depth) : undefined;
  };

  const plainCopy = (error: Error, depth: number): Error => {
    const copy = new Error(text(error.message), { cause: cause(error.cause, depth + 1) });
    copy.name = text(error.name);
    copy.stack = `${copy.name}: ${copy.message}`;
    const { code } = error as { code?: unknown };
    return typeof code === "string" ? Object.assign(copy, { code: text(code) }) : copy;
  };

  return {
    text,
    isSecret: (value) => value === secret,
    isGivenAway: (value) => secret.length >= SHORTEST_SECRET && isIn(value),
    headers,
    data,
    cause: (value) => cause(value),
  };
}

/** Objects whose content can't be seen through their properties, and that may well be the request itself. */
function isOpaque(value: object): boolean {
  if (value instanceof Error || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype !== null && prototype !== Object.prototype;
}

/**
 * Every way in which a server may echo the key: in either case, as the name of a header is always in small letters, and
 * with any of its characters percent-encoded.
 */
function spellingsOf(secret: string): string {
  const hex = (character: string) => character.charCodeAt(0).toString(16).padStart(2, "0");
  const spelling = [...secret].map((character) => `(?:\\x${hex(character)}|%${hex(character)})`).join("");
  return secret.length < SHORTEST_SECRET ? `(?<!\\w)${spelling}(?!\\w)` : spelling;
}
