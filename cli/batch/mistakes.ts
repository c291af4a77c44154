import { UsageError } from "../terminal.js";

/** What is wrong with one line of a batch file. */
export interface Mistake {
  /** From 1. */
  line: number;
  /** A sentence. It contains no values of the request, except the `id`. */
  message: string;
}

/** A batch file has mistakes. Nothing was sent. */
export class BatchFileError extends UsageError {
  /** In the order of their lines. */
  readonly mistakes: readonly Mistake[];

  constructor(file: string, mistakes: readonly Mistake[]) {
    const count = mistakes.length === 1 ? "1 mistake" : `${mistakes.length} mistakes`;
    super(`${file} has ${count}. Nothing was sent.`);
    this.mistakes = mistakes.toSorted((one, other) => one.line - other.line);
  }
}
