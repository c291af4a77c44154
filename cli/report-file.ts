import { open, rm, writeFile } from "node:fs/promises";
import { withoutCredentials } from "../src/contract/text.js";
import { messageOfThrown } from "../src/contract/thrown.js";
import { ignoring } from "../src/node/durable.js";
import { UsageError } from "./terminal.js";

/** Fails if no file can be written at the path. Leaves a file as it is, and a path without one free. */
export async function checkReportPath(path: string): Promise<void> {
  try {
    const existing = await open(path, "r+").catch(ignoring("ENOENT"));
    await (existing ?? (await open(path, "wx"))).close();
    if (existing === undefined) await rm(path);
  } catch (error) {
    cannotWrite(path)(error);
  }
}

export async function writeReport(path: string, text: string): Promise<void> {
  await writeFile(path, text).catch(cannotWrite(path));
}

function cannotWrite(path: string): (cause: unknown) => never {
  return (cause) => {
    throw new UsageError(`Failed to write the report to ${path}: ${messageOfThrown(cause)}`, { cause });
  };
}

/** Text of a client or a service, as Markdown shows it. Without the passwords of URLs: once escaped, they are not found. */
export function markdownText(text: string): string {
  return withoutCredentials(text).replaceAll(/[\\<>*_`[\]|]/g, (character) => `\\${character}`);
}
