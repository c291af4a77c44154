import { styleText } from "node:util";
import { USD_PER_CREDIT } from "../src/contract/service.js";
import { printableLine } from "../src/contract/text.js";
import { createRedactor } from "../src/errors/redactor.js";
import type { ClientOptions } from "../src/options.js";

/** What a command reads and writes: the process's streams, or those of a test. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  stdin(): AsyncIterable<string | Uint8Array>;
  /** Whether a person can read stderr and type on stdin. @defaultValue `false` */
  readonly isInteractive?: boolean;
  /** Results only. */
  readonly stdout: Output;
  /** Progress, warnings and errors. */
  readonly stderr: Output;
  /** Calls back at each of these signals, which then no longer ends the process. Returns a function that stops this. */
  onSignal(listener: (signal: EndingSignal) => void): () => void;
  /** Client options that a test replaces. */
  readonly client?: Pick<ClientOptions, "fetch" | "clock" | "random">;
}

export interface Output {
  readonly isTerminal: boolean;
  columns(): number;
  write(text: string): void;
}

/** The signals that end a command. */
export const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
export type EndingSignal = (typeof ENDING_SIGNALS)[number];

/** The command line is wrong or incomplete. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** A signal ended the command. */
export class Interrupted extends Error {
  override name = "Interrupted";
  readonly signal: EndingSignal;

  constructor(signal: EndingSignal) {
    super(`Interrupted by ${signal}.`);
    this.signal = signal;
  }
}

/** Aborted with `Interrupted` at the first signal: a second one ends the process. `stop` is to be called in any case. */
export function untilSignal({ onSignal }: Terminal): { signal: AbortSignal; stop: () => void } {
  const interruption = new AbortController();
  const stop = onSignal((signal) => {
    stop();
    interruption.abort(new Interrupted(signal));
  });
  return { signal: interruption.signal, stop };
}

/** The command as the user has to type it. npm sets the variable for `npx` and scripts, whose commands are not on the path. */
export function commandName({ env }: Pick<Terminal, "env">): string {
  return env["npm_command"] === undefined ? "async-music" : "npx async-music";
}

/** The same terminal, with the API key redacted from everything that is written. */
export function redactKey(terminal: Terminal): Terminal {
  const key = terminal.env["ASYNC_MUSIC_API_KEY"];
  if (!key) return terminal;
  const redactor = createRedactor(key);
  const redacted = (output: Output): Output => ({
    ...output,
    write: (text) => output.write(redactor.text(text)),
  });
  return { ...terminal, stdout: redacted(terminal.stdout), stderr: redacted(terminal.stderr) };
}

type TextStyle = Parameters<typeof styleText>[0];

export type Styler = (style: TextStyle, text: string) => string;

/** Styles text for an output, or leaves it plain if the output has no color. */
export function stylesFor(output: Output, env: Terminal["env"]): Styler {
  return (style, text) => (hasColor(output, env) ? styled(style, text) : text);
}

export function styled(style: TextStyle, text: string): string {
  return styleText(style, text, { validateStream: false });
}

/** A terminal has color, unless NO_COLOR is set. FORCE_COLOR decides for every output. */
export function hasColor({ isTerminal }: Output, env: Terminal["env"]): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: none, TERM: terminal } = env;
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  return isTerminal && !none && terminal !== "dumb";
}

/** Writes the result of a command to stdout: text, or the document of `--json`. */
export function writeResult({ stdout }: Terminal, asJson = false, document: unknown, text: string): void {
  if (asJson) writeJson(stdout, document);
  else stdout.write(text);
}

/** Writes the document of `--json`. Control and format characters are escaped, because stdout may be a terminal. */
export function writeJson(output: Output, document: unknown): void {
  const text = JSON.stringify(document, null, 2);
  const escaped = text.replaceAll(/(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
    character
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
  output.write(`${escaped}\n`);
}

/** Lines with aligned columns. */
export function alignedTable(rows: readonly (readonly string[])[]): string {
  const widthOf = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const lineOf = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widthOf(column)));
  return rows.map((row) => `${lineOf(row).join("  ").trimEnd()}\n`).join("");
}

/** Quotes a word for a shell. Characters that a terminal does not show are escaped, as Bash and Zsh read them. */
export function shellWord(text: string): string {
  if (/^[\w./:@%+-]+$/.test(text)) return text;
  if (printableLine(text) === text) return `'${text.replaceAll("'", `'\\''`)}'`;
  const escaped = text
    .replaceAll(/[\\']/g, "\\$&")
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, escapedCharacter);
  return `$'${escaped}'`;
}

function escapedCharacter(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`;
}

/** `10 credits (0.10 USD)` */
export function priceText(credits: number): string {
  return `${credits} ${credits === 1 ? "credit" : "credits"} (${(credits * USD_PER_CREDIT).toFixed(2)} USD)`;
}

/** Minutes and seconds: `1:05`. */
export function minutesText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** What `client.tasks.estimate` returned, in words: `about 40 seconds left`. */
export function leftText({ medianSeconds: seconds }: { medianSeconds: number }): string {
  if (seconds < 1) return "about to end";
  const rounded = seconds < 10 ? Math.ceil(seconds) : 5 * Math.round(seconds / 5);
  if (rounded < 90) return `about ${rounded} ${rounded === 1 ? "second" : "seconds"} left`;
  return `about ${Math.round(rounded / 60)} minutes left`;
}
