import { isRecord } from "../../src/contract/service.js";
import { InvalidRequestError } from "../../src/index.js";
import { findJsonSyntaxError } from "../json-syntax.js";
import { refuseRounding } from "../request.js";
import type { FileContent, TextLine } from "./raw-lines.js";

/** Reads JSON Lines: one object on each line. Blank lines are skipped. */
export function readJsonLines(texts: readonly TextLine[]): FileContent {
  const content: FileContent = { lines: [], mistakes: [] };
  const filled = texts.filter(({ text }) => text?.trim() !== "");
  const [first] = filled;
  if (first?.text?.trimStart().startsWith("[")) {
    const message =
      "The file is a JSON array. Write each request on a line of its own, without commas between them.";
    content.mistakes.push({ line: first.number, message });
    return content;
  }
  for (const { number, text } of filled) {
    if (text === null) continue;
    const value = parseLine(text);
    if (typeof value === "string") content.mistakes.push({ line: number, message: value });
    else content.lines.push({ number, fields: value.fields });
  }
  return content;
}

/** The fields of a line, or what is wrong with it. The parser's message would quote the request. */
function parseLine(text: string): { fields: Readonly<Record<string, unknown>> } | string {
  try {
    const fields: unknown = JSON.parse(text, refuseRounding);
    return isRecord(fields) ? { fields } : "It is not a JSON object.";
  } catch (error) {
    if (error instanceof InvalidRequestError) {
      const [issue] = error.issues;
      return `\`${issue?.path}\` ${issue?.message}.`;
    }
    const found = findJsonSyntaxError(text);
    return found === null
      ? "It is not JSON."
      : `It is not JSON. Column ${found.column}: expected ${found.expected}.`;
  }
}
