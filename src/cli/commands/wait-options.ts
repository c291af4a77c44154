import type { Command } from "commander";
import { duration } from "../parsers.js";
import { addConnectionOptions } from "./connection-options.js";

/** A command that waits for a task and saves what it made. */
export function addWaitOptions(command: Command): Command {
  const waiting = command
    .option(
      "-o, --out <path>",
      "where to save: a folder (that exists, or ends in /), or a file, which gets the right extension (default: this folder)",
    )
    .option("--force", "replace files that exist; without it they are never overwritten")
    .option("--no-download", "save nothing: write the addresses of the audio, or the lyrics, to stdout")
    .option(
      "--max-wait <time>",
      "stop waiting after this, such as 90s or 10m; the task goes on (default: 65m)",
      duration,
    );
  return addConnectionOptions(waiting);
}
