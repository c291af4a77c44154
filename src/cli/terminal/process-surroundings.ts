import { ENDING_SIGNALS, type Output, type Surroundings } from "./surroundings.js";

const USUAL_COLUMNS = 80;

/** The process that this is. */
export function processSurroundings(): Surroundings {
  return {
    env: process.env,
    // To ask for it is to open it.
    get stdin() {
      return process.stdin;
    },
    stdout: outputTo(process.stdout),
    stderr: outputTo(process.stderr),
    onSignal(listener) {
      for (const signal of ENDING_SIGNALS) process.on(signal, listener);
      return () => {
        for (const signal of ENDING_SIGNALS) process.off(signal, listener);
      };
    },
  };
}

function outputTo(stream: NodeJS.WriteStream): Output {
  stream.on("error", ({ code, message }: NodeJS.ErrnoException) => {
    // Who reads may leave early (`| head`), or the terminal be closed: what is paid for is saved all the same.
    if (code === "EPIPE" || code === "EIO") return;
    process.exitCode = 1;
    if (stream === process.stdout)
      process.stderr.write(`async-music: Failed to write to stdout: ${message}\n`);
  });
  return {
    get isTerminal() {
      return stream.isTTY === true;
    },
    get columns() {
      return Number(process.env["COLUMNS"]) || stream.columns || USUAL_COLUMNS;
    },
    write: (text) => void stream.write(text),
  };
}
