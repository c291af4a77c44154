import { isFinalStatus } from "../src/contract/service.js";
import { printableLine } from "../src/contract/text.js";
import { progressOf, type TaskEstimate } from "../src/index.js";
import { delayText, SHORTEST_DELAY_MS } from "./delays.js";
import { LiveLine } from "./live-line.js";
import { leftText, type Terminal } from "./terminal.js";

/** The fields of a task that are shown. */
type ShownTask = Parameters<typeof progressOf>[0];

/** Shows the progress of a task: one line that is redrawn on a terminal, else a line for each change of status. */
export class ProgressLine {
  readonly line: LiveLine;
  readonly #now: () => number;
  #task: ShownTask | null = null;
  #estimate: () => TaskEstimate | null = () => null;
  #delayedUntil: Date | null = null;
  #writtenUntil = 0;

  constructor(terminal: Terminal, now: () => number) {
    this.#now = now;
    this.line = new LiveLine(terminal, now, () => ({
      status: this.#status(),
      percent: this.#task === null ? 0 : Math.round(100 * progressOf(this.#task)),
      note: this.#left(),
    }));
  }

  /** Shows a task, and how much longer it takes: `estimate` is called again for each drawing. */
  show(task: ShownTask, estimate: () => TaskEstimate | null = () => null): void {
    const hasChanged = task.status !== this.#task?.status;
    this.#task = task;
    this.#estimate = estimate;
    this.line.draw();
    if (hasChanged) this.line.log(`${printableLine(task.status)}${this.#left()}`);
  }

  /** Shows that the rate limit delays the command until then; with `null`, that it no longer does. */
  delay(until: Date | null): void {
    this.#delayedUntil = until;
    if (until === null) return;
    this.line.draw();
    if (until.getTime() < this.#writtenUntil + SHORTEST_DELAY_MS) return;
    this.#writtenUntil = until.getTime();
    this.line.log(delayText(until));
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
}
