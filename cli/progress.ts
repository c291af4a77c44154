import { isFinalStatus } from "../src/contract/service.js";
import { printable, printableLine } from "../src/contract/text.js";
import { progressOf, type TaskEstimate } from "../src/index.js";
import { leftText, minutesText, type Styler, stylesFor, type Terminal } from "./terminal.js";

const REDRAW_MS = 200;
/** Without a terminal, a smaller change of the end of a delay is not written, in milliseconds. */
const WRITTEN_CHANGE_MS = 1000;
const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const WIDTHS = { shortestBar: 5, longestBar: 30 };
const CLEAR_LINE = "\r\u001B[2K";

/** The fields of a task that are shown. */
type ShownTask = Parameters<typeof progressOf>[0];

/** Shows the progress of a task: one line that is redrawn on a terminal, else a line for each change of status. */
export class ProgressLine {
  readonly #stderr: Terminal["stderr"];
  readonly #style: Styler;
  readonly #isLive: boolean;
  readonly #now: () => number;
  readonly #startedAt: number;
  #task: ShownTask | null = null;
  #estimate: () => TaskEstimate | null = () => null;
  #delayedUntil: Date | null = null;
  #writtenUntil = 0;
  #frame = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor({ stderr, env }: Terminal, now: () => number) {
    this.#stderr = stderr;
    this.#style = stylesFor(stderr, env);
    this.#isLive = stderr.isTerminal && env["TERM"] !== "dumb";
    this.#now = now;
    this.#startedAt = now();
  }

  /** Redraws the line regularly, until `end`. */
  start(): void {
    if (this.#isLive) this.#timer = setInterval(() => this.#draw(), REDRAW_MS);
  }

  /** Shows a task, and how much longer it takes: `estimate` is called again for each drawing. */
  show(task: ShownTask, estimate: () => TaskEstimate | null = () => null): void {
    const hasChanged = task.status !== this.#task?.status;
    this.#task = task;
    this.#estimate = estimate;
    if (this.#isLive) this.#draw();
    else if (hasChanged) this.#write(`${printableLine(task.status)}${this.#left()}`);
  }

  /** Shows that the rate limit delays the command until then; with `null`, that it no longer does. */
  delay(until: Date | null): void {
    this.#delayedUntil = until;
    if (until === null) return;
    if (this.#isLive) this.#draw();
    else if (until.getTime() >= this.#writtenUntil + WRITTEN_CHANGE_MS) {
      this.#writtenUntil = until.getTime();
      this.#write(delayText(until));
    }
  }

  /** Writes a message above the line. */
  say(text: string): void {
    this.#clear();
    this.#stderr.write(`${printable(text)}\n`);
  }

  end(): void {
    clearInterval(this.#timer);
    this.#clear();
  }

  #draw(): void {
    const columns = this.#stderr.columns();
    const percent = this.#task === null ? 0 : Math.round(100 * progressOf(this.#task));
    const shown = percent === 0 ? "" : ` ${String(percent).padStart(3)} %`;
    const text = ` ${this.#status()}${shown}  ${this.#elapsed()}${this.#left()}`;
    const spinner = this.#style("cyan", FRAMES[this.#frame++ % FRAMES.length] ?? "");
    const bar = this.#bar(percent, columns - text.length - 4);
    this.#stderr.write(`${CLEAR_LINE}${spinner}${text.slice(0, Math.max(0, columns - 3))}${bar}`);
  }

  #left(): string {
    const estimate = isFinalStatus(this.#task?.status ?? "") ? null : this.#estimate();
    return estimate === null ? "" : `, ${leftText(estimate)}`;
  }

  #status(): string {
    const until = this.#delayedUntil;
    if (until !== null && until.getTime() > this.#now()) return delayText(until);
    return printableLine(this.#task?.status ?? "waiting");
  }

  #bar(percent: number, space: number): string {
    const width = Math.min(WIDTHS.longestBar, space);
    if (percent === 0 || width < WIDTHS.shortestBar) return "";
    const done = Math.round((percent / 100) * width);
    return ` ${this.#style("cyan", "━".repeat(done))}${this.#style("dim", "─".repeat(width - done))}`;
  }

  #write(text: string): void {
    this.#stderr.write(`${this.#elapsed()} ${text}\n`);
  }

  #clear(): void {
    if (this.#isLive) this.#stderr.write(CLEAR_LINE);
  }

  #elapsed(): string {
    return minutesText((this.#now() - this.#startedAt) / 1000);
  }
}

function delayText(until: Date): string {
  return `waiting for the rate limit until ${until.toTimeString().slice(0, 8)}`;
}
