#!/usr/bin/env node
import { CommanderError } from "commander";
import { createProgram } from "./program.js";

/** Exit statuses: something outside stood in the way, or the command was not understood. */
const FAILED = 1;
const MISUSED = 2;

const end = process.argv.indexOf("--");
const [own, command] =
  end < 0 ? [process.argv, null] : [process.argv.slice(0, end), process.argv.slice(end + 1)];

createProgram(command)
  .parseAsync(own)
  .catch((error: unknown) => {
    // Commander has already said what it has to say.
    if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : MISUSED);
    const isMisuse = error instanceof RangeError;
    process.stderr.write(`async-music: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(isMisuse ? MISUSED : FAILED);
  });
