import { readFile } from "node:fs/promises";
import { InvalidValueError } from "../emulator/core/checks.js";
import { createEmulator, type Emulator, type EmulatorOptions } from "../emulator/index.js";
import { textOf } from "../src/contract/message.js";
import { messageOfThrown } from "./terminal.js";

/** Creates an emulator from a seed file. The errors about its content name the path of the field. */
export async function openSeedFile(path: string, options: EmulatorOptions): Promise<Emulator> {
  try {
    return createEmulator({ ...options, seedFile: parseSeedFile(await readFile(path, "utf8")) });
  } catch (cause) {
    const reason =
      cause instanceof InvalidValueError ? textOf(cause.text, nameInFile) : messageOfThrown(cause);
    throw new Error(`Failed to use the seed file ${path}: ${reason}`, { cause });
  }
}

/** `seedFile.accounts[0]` is `accounts[0]` in the file. */
function nameInFile(name: string): string {
  return name === "seedFile" ? "the file" : `\`${name.replace(/^seedFile\./, "")}\``;
}

function parseSeedFile(file: string): object {
  const text = file.replace(/^\uFEFF/, "");
  try {
    return JSON.parse(text);
  } catch (cause) {
    const message = syntaxError(text);
    throw message === null ? cause : new Error(message, { cause });
  }
}

const SPACE = /[ \t\r\n]*/y;
const STRING = /"(?:[ !#-[\]-\u{10ffff}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/uy;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y;
const WORD = /(?:true|false|null)\b/y;

/** Where a text stops being JSON, and what is expected there. The message of `JSON.parse` has no position for some errors. */
function syntaxError(text: string): string | null {
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
  return `It is not JSON. Line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}: expected ${missing}.`;
}
