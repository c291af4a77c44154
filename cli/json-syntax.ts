const SPACE = /[ \t\r\n]*/y;
const STRING = /"(?:[ !#-[\]-\u{10ffff}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/uy;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y;
const WORD = /(?:true|false|null)\b/y;

/** Where a text stops being JSON, and what is expected there; lines and columns count from 1. */
export interface JsonSyntaxError {
  line: number;
  column: number;
  expected: string;
}

/**
 * Finds where a text stops being JSON; `null` if it is JSON. The message of `JSON.parse` has no position for some errors, and
 * quotes the text.
 */
export function findJsonSyntaxError(text: string): JsonSyntaxError | null {
  let at = 0;
  const take = (token: RegExp): boolean => {
    for (const part of [SPACE, token]) {
      part.lastIndex = at;
      if (!part.test(text)) return false;
      at = part.lastIndex;
    }
    return true;
  };
  const find = (token: RegExp, name: string) => (take(token) ? null : name);
  const findItems = (end: RegExp, name: string, findItem: () => string | null) => {
    if (take(end)) return null;
    do {
      const missing = findItem();
      if (missing !== null) return missing;
    } while (take(/,/y));
    return find(end, name);
  };
  const findMember = () => find(STRING, "a name in double quotes") ?? find(/:/y, "a colon") ?? findValue();
  const findValue = (): string | null => {
    if (take(/\{/y)) return findItems(/\}/y, "a comma or }", findMember);
    if (take(/\[/y)) return findItems(/\]/y, "a comma or ]", findValue);
    return take(STRING) || take(NUMBER) ? null : find(WORD, "a value");
  };
  const missing = findValue() ?? find(/$/y, "the end of the file");
  if (missing === null) return null;
  const lines = text.slice(0, at).split("\n");
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1, expected: missing };
}
