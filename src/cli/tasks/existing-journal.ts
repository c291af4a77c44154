import { existsSync } from "node:fs";
import { fileJournal } from "../../node/index.js";
import { UsageError } from "../usage-error.js";

/** The journal at a path. A misspelled one would be a new journal that holds nothing. */
export function existingJournal(path: string): ReturnType<typeof fileJournal> {
  if (!existsSync(path)) throw new UsageError(`Expected a journal at ${JSON.stringify(path)}`);
  return fileJournal(path);
}
