import { readFile } from "node:fs/promises";
import { messageOfThrown } from "../../src/contract/thrown.js";
import { UsageError } from "../terminal.js";
import type { FileContent, TextLine } from "./raw-lines.js";

/** Reads a batch file: CSV if its name ends in `.csv`, otherwise JSON Lines. */
export async function readBatchFile(path: string): Promise<FileContent> {
  const bytes = await readFile(path).catch((error: unknown) => {
    const isMissing = Object(error).code === "ENOENT";
    const reason = isMissing ? "the file does not exist." : messageOfThrown(error);
    throw new UsageError(`Failed to read ${path}: ${reason}`, { cause: error });
  });
  const lines = linesOf(bytes);
  const mistakes = lines.flatMap(({ number, text }) =>
    text === null ? { line: number, message: "It is not UTF-8. Save the file as UTF-8." } : [],
  );
  if (/\.csv$/i.test(path)) {
    if (mistakes.length > 0) return { lines: [], mistakes };
    return (await import("./csv.js")).readCsv(bytes);
  }
  const content = (await import("./json-lines.js")).readJsonLines(lines);
  return { lines: content.lines, mistakes: [...mistakes, ...content.mistakes] };
}

const LINE_FEED = 10;

/** The lines of a file, without a byte order mark. The bytes of a line feed are in no other character of UTF-8. */
function linesOf(bytes: Buffer): TextLine[] {
  const lines: TextLine[] = [];
  for (let from = 0; from < bytes.length; ) {
    const found = bytes.indexOf(LINE_FEED, from);
    const end = found < 0 ? bytes.length : found;
    lines.push({ number: lines.length + 1, text: decoded(bytes.subarray(from, end)) });
    from = end + 1;
  }
  return lines;
}

function decoded(bytes: Buffer): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
