#!/usr/bin/env node
import { runProgram } from "./program.js";
import { onSignals } from "./signals.js";
import type { Output, Terminal } from "./terminal.js";

const DEFAULT_COLUMNS = 80;

const terminal: Terminal = {
  env: process.env,
  stdin: () => process.stdin,
  isInteractive: process.stdin.isTTY === true && process.stderr.isTTY === true,
  stdout: outputTo(process.stdout),
  stderr: outputTo(process.stderr),
  onSignal: (listener) => onSignals(process, listener),
};

const status = await runProgram(process.argv.slice(2), terminal);
if (status !== 0) process.exitCode = status;
// Flush the pipes, then exit even if an abandoned request is still open.
await Promise.all(
  [process.stdout, process.stderr].map((stream) => new Promise((resolve) => stream.write("", resolve))),
);
process.exit();

function outputTo(stream: NodeJS.WriteStream): Output {
  stream.on("error", ({ code, message }: NodeJS.ErrnoException) => {
    // The reader left (`| head`) or the terminal was closed: the task is still saved.
    if (code === "EPIPE" || code === "EIO") return;
    process.exitCode = 1;
    if (stream === process.stdout)
      process.stderr.write(`async-music: Failed to write to stdout: ${message}\n`);
  });
  return {
    isTerminal: stream.isTTY === true,
    columns: () => Number(process.env["COLUMNS"]) || stream.columns || DEFAULT_COLUMNS,
    write: (text) => void stream.write(text),
  };
}
