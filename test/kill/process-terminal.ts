import { onSignals } from "../../cli/signals.js";
import type { Output, Terminal } from "../../cli/terminal.js";

/** The terminal of this process, with the variables and the clock that a test sets. */
export const processTerminal = (replaced: Pick<Terminal, "env" | "client">): Terminal => ({
  ...replaced,
  stdin: () => process.stdin,
  stdout: outputTo(process.stdout),
  stderr: outputTo(process.stderr),
  onSignal: (listener) => onSignals(process, listener),
});

const outputTo = (stream: NodeJS.WriteStream): Output => ({
  isTerminal: false,
  columns: () => 80,
  write: (text) => void stream.write(text),
});
