import { readFile } from "node:fs/promises";
import { createEmulator, type Emulator, type EmulatorOptions } from "../../emulator/index.js";
import { reasonOf } from "./terminal.js";

/** Creates an emulator from a seed file. The errors about its content name the path of the field. */
export async function openSeedFile(path: string, options: EmulatorOptions): Promise<Emulator> {
  try {
    return createEmulator({ ...options, seedFile: parseJson(await readFile(path, "utf8")) });
  } catch (cause) {
    const reason = reasonOf(cause)
      .replaceAll(/`seedFile[.]/g, "`")
      .replace(" in `seedFile`", "")
      .replace("`seedFile`", "The file");
    throw new Error(`Failed to use the seed file ${path}: ${reason}`, { cause });
  }
}

function parseJson(file: string): object {
  const text = file.replace(/^\uFEFF/, "");
  try {
    return JSON.parse(text);
  } catch (cause) {
    const message = syntaxError(text);
    throw message === null ? cause : new Error(message, { cause });
  }
}

const STRING = /"(?:[ !#-[\]-\u{10ffff}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/u;
const SCALAR = new RegExp(
  `${STRING.source}|-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?(?![\\w.])|(?:true|false|null)\\b`,
);

/** Where a text stops being JSON, and what is expected there. The message of `JSON.parse` has no position for some errors. */
function syntaxError(text: string): string | null {
  let at = 0;
  const take = ({ source }: RegExp): boolean => {
    const token = new RegExp(`[ \\t\\r\\n]*(?:${source})`, "yu");
    token.lastIndex = at;
    const isNext = token.test(text);
    if (isNext) at = token.lastIndex;
    return isNext;
  };
  const find = (token: RegExp, name: string) => (take(token) ? null : name);
  const findItems = (end: RegExp, name: string, findItem: () => string | null) => {
    if (take(end)) return null;
    do {
      const missing = findItem();
      if (missing !== null) return missing;
    } while (take(/,/));
    return find(end, name);
  };
  const findMember = () => find(STRING, "a name in double quotes") ?? find(/:/, "a colon") ?? findValue();
  const findValue = (): string | null => {
    if (take(/\{/)) return findItems(/\}/, "a comma or }", findMember);
    if (take(/\[/)) return findItems(/\]/, "a comma or ]", findValue);
    return find(SCALAR, "a value");
  };
  const missing = findValue() ?? find(/$/, "the end of the file");
  if (missing === null) return null;
  take(/(?=\S|$)/);
  const lines = text.slice(0, at).split("\n");
  return `It is not JSON. Line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}: expected ${missing}.`;
}
