import { FixedWindow } from "./fixed-window.js";
import { KeyUse } from "./key-use.js";
import type { OwnWindow } from "./own-window.js";
import { SlidingWindow } from "./sliding-window.js";
import type { Rank, WindowChoice, WindowReport } from "./window.js";

/** The window of a key that this process uses: fixed, until responses show that it slides. */
export class KeyWindow implements WindowChoice {
  readonly #key = new KeyUse();
  current: OwnWindow = new FixedWindow(this.#key);

  nextChange(now: number, leave = 0): number {
    return this.current.nextChange(now, leave);
  }

  spend(now: number, rank: Rank): void {
    this.current.spend(now, rank);
  }

  report(now: number, report: WindowReport): void {
    const { unsent, heldForMs } = report;
    this.#key.inFlight--;
    if (unsent !== undefined) this.current.giveBack(now, unsent, report.sentAt);
    if (heldForMs !== null) this.current.hold(now, heldForMs);
    if (unsent !== undefined || heldForMs !== null) return;
    this.#key.counted.note(now);
    const slides = this.current.learn(now, report);
    if (slides === this.current.isSliding) return;
    this.current = slides ? new SlidingWindow(this.#key, now) : new FixedWindow(this.#key);
  }
}
