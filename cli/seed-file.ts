import { readFile } from "node:fs/promises";
import { InvalidValueError } from "../emulator/core/checks.js";
import { createEmulator, type Emulator, type EmulatorOptions } from "../emulator/index.js";
import { textOf } from "../src/contract/message.js";
import { messageOfThrown } from "../src/contract/thrown.js";
import { findJsonSyntaxError } from "./json-syntax.js";
import { UsageError } from "./terminal.js";

/** Creates an emulator from a seed file. The errors about its content name the path of the field. */
export async function openSeedFile(path: string, options: EmulatorOptions): Promise<Emulator> {
  try {
    return createEmulator({ ...options, seedFile: parseSeedFile(await readFile(path, "utf8")) });
  } catch (cause) {
    if (Object(cause).code === "ENOENT")
      throw new UsageError(`Failed to use the seed file ${path}: the file does not exist.`, { cause });
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
    const found = findJsonSyntaxError(text);
    if (found === null) throw cause;
    const { line, column, expected } = found;
    throw new Error(`It is not JSON. Line ${line}, column ${column}: expected ${expected}.`, { cause });
  }
}
