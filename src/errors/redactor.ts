import { printableLine, withoutCredentials } from "../contract/text.js";
import { isError } from "../contract/thrown.js";
import { AsyncMusicError } from "./base.js";

const REPLACEMENT = "[redacted]";
const DEEPEST = 6;

/**
 * So many keys of one client are known: the last ones that its `apiKey` returned, or whose response came. With a rotation each day
 * this is a month, and a response repeats a key within minutes of its use. Each key makes every search longer: with 32, that of a
 * task takes 3 ms.
 */
const MOST_KEYS = 32;

/** A shorter key occurs in many words and IDs by chance: it is only removed if it is a separate word. */
const SHORTEST_SECRET = 6;

/** Invisible characters. Between the characters of the key, they would hide it from a search, but not from a reader. */
const INVISIBLE = /[\p{Cc}\p{Cf}]/gu;

export interface Redactor {
  /** Redacts this key as well, from now on. */
  learn(secret: string): void;
  text(value: string): string;
  /** The same, and without the passwords of URLs. */
  safeText(value: string): string;
  /** Whether a caller's string is the key, or contains a long one: a short key in a longer string is a coincidence. */
  containsKey(value: string): boolean;
  headers(value: Headers): Headers;
  /** JSON data without the key: the same object if it does not contain the key, otherwise a copy. */
  data<Data>(value: Data): Data;
  /**
   * A thrown value for use as a `cause`: the same value if it can contain neither the key nor the password of a URL,
   * otherwise a plain copy. The value is never changed.
   */
  cause(value: unknown): unknown;
}

/** Keeps the keys in closures, so that printing the client or an error does not show them. An empty string is no key. */
export function createRedactor(secret: string): Redactor {
  /** The last one is that of `latest`. */
  const searches = new Map<string, Search>();
  let latest = "";
  const learn = (key: string) => {
    // An empty string would be found everywhere.
    if (key === "" || key === latest) return;
    const search = searches.get(key) ?? searchFor(key);
    searches.delete(key);
    searches.set(key, search);
    latest = key;
    for (const oldest of searches.keys()) if (searches.size > MOST_KEYS) searches.delete(oldest);
  };
  learn(secret);
  const isIn = (value: string) => {
    for (const search of searches.values()) if (search.isIn(value)) return true;
    return false;
  };
  const text = (value: string) => {
    let shown = value;
    for (const search of searches.values()) shown = search.text(shown);
    return shown;
  };
  const containsKey = (value: string) => {
    if (searches.has(value)) return true;
    for (const [key, search] of searches) if (isLongSecret(key) && search.isIn(value)) return true;
    return false;
  };
  const safeText = (value: string) => {
    const shown = text(value);
    return shown.includes("@") ? withoutCredentials(shown) : shown;
  };
  const isUnsafe = (value: string) => isIn(value) || withoutCredentials(value) !== value;

  const headers = (value: Headers) =>
    new Headers(
      [...value].map(([name, content]): [string, string] => [isIn(name) ? "redacted" : name, text(content)]),
    );

  const data = <Data>(value: Data): Data =>
    mayContain(value, isIn)
      ? JSON.parse(JSON.stringify(value), (_, part: unknown) =>
          typeof part === "string" ? text(part) : withSafeNames(part),
        )
      : value;

  const withSafeNames = (part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part) && Object.keys(part).some(isIn)
      ? Object.fromEntries(Object.entries(part).map(([name, value]) => [text(name), value]))
      : part;

  const cause = (value: unknown, depth = 0): unknown => {
    if (typeof value === "string") return safeText(value);
    if (!mayContain(value, isUnsafe)) return value;
    if (!isError(value) || depth >= DEEPEST) return undefined;
    return plainCopy(value, cause(propertyOf(value, "cause"), depth + 1), safeText);
  };

  return {
    learn,
    text,
    safeText,
    containsKey,
    headers,
    data,
    cause: (value) => cause(value),
  };
}

function isLongSecret(secret: string): boolean {
  return secret.length >= SHORTEST_SECRET;
}

/** Finds a key in texts, and replaces it. */
interface Search {
  isIn(value: string): boolean;
  text(value: string): string;
}

function searchFor(secret: string): Search {
  const isLong = isLongSecret(secret);
  const spellings = [spellingsOf(secret), ...(isLong ? [base64Of(secret)] : [])];
  // Messages are cleaned later, which would join the parts of a hidden key. A short key is searched with line breaks as
  // spaces, since joined words could form it by chance.
  const cleaned = (value: string) => (isLong ? value.replaceAll(INVISIBLE, "") : printableLine(value));
  const occursIn = (value: string) => spellings.some((spelling) => value.search(spelling) >= 0);
  const isIn = (value: string) => {
    if (value.length < secret.length) return false;
    if (occursIn(value)) return true;
    const shown = cleaned(value);
    return shown !== value && occursIn(shown);
  };
  const text = (value: string) => {
    let shown = value;
    // Not a third time: the replacement itself may contain the key.
    for (let pass = 1; pass <= 2 && isIn(shown); pass++) {
      if (pass === 2) shown = cleaned(shown);
      for (const spelling of spellings) shown = shown.replaceAll(spelling, REPLACEMENT);
    }
    return shown;
  };
  return { isIn, text };
}

/** A copy of an error that is safe to show: its name, message and code, and no stack. */
function plainCopy(error: Error, cause: unknown, safeText: (value: string) => string): Error {
  const copy = new Error(safeText(textAt(error, "message")), { cause });
  copy.name = safeText(textAt(error, "name")) || "Error";
  copy.stack = `${copy.name}: ${copy.message}`;
  const code = safeText(textAt(error, "code"));
  return code === "" ? copy : Object.assign(copy, { code });
}

/**
 * Whether a value may contain a secret: a string in which `isFound` finds it, or anything whose content properties do not
 * show, such as a function, an accessor, or an instance of a class. Runs no getter except those of the language.
 */
function mayContain(
  value: unknown,
  isFound: (text: string) => boolean,
  depth = 0,
  seen = new Set<object>(),
): boolean {
  if (typeof value === "string") return isFound(value);
  if (typeof value === "symbol") return isFound(String(value));
  if (typeof value !== "object" || value === null) return typeof value === "function";
  if (seen.has(value)) return false;
  seen.add(value);
  try {
    if (depth > DEEPEST || isOpaque(value)) return true;
    const keys = Reflect.ownKeys(value);
    if (keys.some((key) => isAccessor(value, key))) return true;
    const shown = isError(value) ? ["name", "message", "stack", ...keys] : keys;
    return shown.some(
      (key) => mayContain(key, isFound) || mayContain(Reflect.get(value, key), isFound, depth + 1, seen),
    );
  } catch {
    // A proxy may throw when it is inspected.
    return true;
  }
}

/** Objects whose properties don't show all that printing them may show. */
function isOpaque(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (isError(value)) return !isPlainErrorPrototype(prototype);
  return prototype !== null && prototype !== Object.prototype && prototype !== Array.prototype;
}

/** Whether errors of this class have no methods and getters of their own, which may print what no property holds. */
function isPlainErrorPrototype(prototype: unknown): boolean {
  if (prototype === Error.prototype || prototype === AsyncMusicError.prototype) return true;
  if (typeof prototype !== "object" || prototype === null) return false;
  const isDomException = prototype === globalThis.DOMException?.prototype;
  const isPlain = Reflect.ownKeys(prototype).every(
    (key) =>
      key === "constructor" || typeof Reflect.getOwnPropertyDescriptor(prototype, key)?.value === "string",
  );
  return (isDomException || isPlain) && isPlainErrorPrototype(Object.getPrototypeOf(prototype));
}

/** Whether reading a property runs code. The stack of an error is an accessor of the language's own in some runtimes. */
function isAccessor(value: object, key: PropertyKey): boolean {
  const getter = Reflect.getOwnPropertyDescriptor(value, key)?.get;
  if (getter === undefined) return false;
  return key !== "stack" || getter !== Reflect.getOwnPropertyDescriptor(new Error(), "stack")?.get;
}

function textAt(error: Error, key: string): string {
  const value = propertyOf(error, key);
  return typeof value === "string" ? value : "";
}

function propertyOf(error: Error, key: string): unknown {
  try {
    return Reflect.get(error, key);
  } catch {
    return undefined;
  }
}

/**
 * Every way in which a server may echo the key: in either case, as the name of a header is always in small letters, and
 * with any of its characters percent-encoded, once or again.
 */
function spellingsOf(secret: string): RegExp {
  const hexOf = (unit: string) => unit.charCodeAt(0).toString(16).padStart(2, "0");
  const spelling = secret
    .split("")
    .map(hexOf)
    .map((hex) => `(?:\\u${hex.padStart(4, "0")}|%(?:25)*${hex})`)
    .join("");
  return new RegExp(isLongSecret(secret) ? spelling : `(?<!\\w)${spelling}(?!\\w)`, "gi");
}

/**
 * The key in base64 or base64url, alone or within a longer text such as `user:key`: the characters that depend on the key
 * alone, behind any number of other bytes.
 */
function base64Of(secret: string): RegExp {
  const bytes = new TextEncoder().encode(secret);
  const parts = [0, 1, 2].map((before) => {
    const encoded = btoa(String.fromCharCode(...new Uint8Array(before), ...bytes));
    return encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
  const pattern = parts
    .join("|")
    .replaceAll("+", "(?:[+-]|%(?:25)*2[Bb])")
    .replaceAll("/", "(?:[/_]|%(?:25)*2[Ff])");
  return new RegExp(pattern, "g");
}
