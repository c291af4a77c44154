import { printableLine } from "../../src/contract/text.js";
import { delayText } from "../delays.js";
import { LiveLine } from "../live-line.js";
import { leftText, type Terminal } from "../terminal.js";

/** The progress of a batch: a line that is redrawn on a terminal, else a line for each line of the file that ends. */
export class BatchDisplay {
  readonly line: LiveLine;
  readonly #total: number;
  readonly #now: () => number;
  readonly #before: number;
  #ended: number;
  #failed = 0;
  #delayedUntil: Date | null = null;

  /**
   * @param total - the number of lines
   * @param ended - how many of them an earlier command has completed
   */
  constructor(terminal: Terminal, now: () => number, total: number, ended: number) {
    this.#total = total;
    this.#now = now;
    this.#before = ended;
    this.#ended = ended;
    this.line = new LiveLine(terminal, now, () => ({
      status: this.#status(),
      percent: Math.floor((100 * this.#ended) / Math.max(1, total)),
      note: this.#note(),
    }));
  }

  /** A line of the file has ended. */
  ended(id: string, text: string, hasFailed: boolean): void {
    this.#ended++;
    if (hasFailed) this.#failed++;
    const message = `${printableLine(id)}: ${printableLine(text)}`;
    // On a terminal, the redrawn line counts what succeeds.
    if (!this.line.isLive) this.line.log(`${this.#ended} of ${this.#total}: ${message}`);
    else if (hasFailed) this.line.say(message);
    this.line.draw();
  }

  /** The rate limit delays requests until then; `null`: it no longer does. */
  delay(until: Date | null): void {
    this.#delayedUntil = until;
  }

  #status(): string {
    const until = this.#delayedUntil;
    const failed = this.#failed === 0 ? "" : `, ${this.#failed} failed`;
    const counts = `${this.#ended} of ${this.#total}${failed}`;
    return until !== null && until.getTime() > this.#now() ? `${counts}, ${delayText(until)}` : counts;
  }

  #note(): string {
    const seconds = this.#secondsLeft();
    return seconds === null || this.#ended === this.#total ? "" : `, ${leftText({ medianSeconds: seconds })}`;
  }

  /** How long the rest takes at the rate of this command; `null` before a line has ended. */
  #secondsLeft(): number | null {
    const done = this.#ended - this.#before;
    return done === 0 ? null : ((this.#total - this.#ended) * this.line.elapsedSeconds) / done;
  }
}
