import { printable } from "../src/contract/text.js";
import { minutesText, type Styler, stylesFor, type Terminal } from "./terminal.js";

const REDRAW_MS = 200;
const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const WIDTHS = { shortestBar: 5, longestBar: 30 };
const CLEAR_LINE = "\r\u001B[2K";

/** What a line of progress shows beside the time. */
export interface LiveContent {
  status: string;
  /** From 0, where no bar is shown, to 100. */
  percent: number;
  /** Follows the elapsed time. */
  note?: string;
}

/** A line of progress on stderr: redrawn regularly on a terminal. Elsewhere only what is written to it appears. */
export class LiveLine {
  readonly isLive: boolean;
  readonly #stderr: Terminal["stderr"];
  readonly #style: Styler;
  readonly #now: () => number;
  readonly #content: () => LiveContent;
  readonly #startedAt: number;
  #frame = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor({ stderr, env }: Terminal, now: () => number, content: () => LiveContent) {
    this.isLive = stderr.isTerminal && env["TERM"] !== "dumb";
    this.#stderr = stderr;
    this.#style = stylesFor(stderr, env);
    this.#now = now;
    this.#content = content;
    this.#startedAt = now();
  }

  /** Seconds since the line was made. */
  get elapsedSeconds(): number {
    return (this.#now() - this.#startedAt) / 1000;
  }

  /** Redraws the line regularly, until `end`. */
  start(): void {
    if (this.isLive) this.#timer = setInterval(() => this.draw(), REDRAW_MS);
  }

  draw(): void {
    if (!this.isLive) return;
    const columns = this.#stderr.columns();
    const { status, percent, note = "" } = this.#content();
    const shown = percent === 0 ? "" : ` ${String(percent).padStart(3)} %`;
    const text = ` ${status}${shown}  ${minutesText(this.elapsedSeconds)}${note}`;
    const spinner = this.#style("cyan", FRAMES[this.#frame++ % FRAMES.length] ?? "");
    const bar = this.#bar(percent, columns - text.length - 4);
    this.#stderr.write(`${CLEAR_LINE}${spinner}${text.slice(0, Math.max(0, columns - 3))}${bar}`);
  }

  /** Writes a line with the elapsed time, where no line is redrawn. */
  log(text: string): void {
    if (!this.isLive) this.#stderr.write(`${minutesText(this.elapsedSeconds)} ${text}\n`);
  }

  /** Writes a message above the line. */
  say(text: string): void {
    this.clear();
    this.#stderr.write(`${printable(text)}\n`);
  }

  /** Clears the line, which the next redraw shows again. */
  clear(): void {
    if (this.isLive) this.#stderr.write(CLEAR_LINE);
  }

  end(): void {
    clearInterval(this.#timer);
    this.clear();
  }

  #bar(percent: number, space: number): string {
    const width = Math.min(WIDTHS.longestBar, space);
    if (percent === 0 || width < WIDTHS.shortestBar) return "";
    const done = Math.round((percent / 100) * width);
    return ` ${this.#style("cyan", "━".repeat(done))}${this.#style("dim", "─".repeat(width - done))}`;
  }
}
