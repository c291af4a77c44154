import type { Mistake } from "./mistakes.js";

/** A line of a batch file, whose fields are not checked yet. */
export interface RawLine {
  /** From 1: the line of the file on which it begins. */
  number: number;
  fields: Readonly<Record<string, unknown>>;
}

/** The readable lines of a file, and what is wrong with the others. */
export interface FileContent {
  lines: RawLine[];
  mistakes: Mistake[];
}

/** A line of text; its `text` is `null` if it is not UTF-8. */
export interface TextLine {
  number: number;
  text: string | null;
}
