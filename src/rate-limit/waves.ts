/** A wave takes this share of what the last answer left: with a third, two who begin at once leave room for each other. */
const SHARE = 1 / 3;
/** A wave whose answers are late is waited for this long. */
const PATIENCE_MS = 2000;

/** How polls leave among others who spend from the same key: in waves, for what an answer says is soon outdated. */
export class Waves {
  #beganAt = Number.NEGATIVE_INFINITY;
  #left = 0;

  /** Whether one may leave while so many have no answer yet. */
  admits(now: number, unanswered: number): boolean {
    return this.#isOver(now, unanswered) || this.#left >= 1;
  }

  /** One leaves while so many have no answer yet and so many were free in the last one. */
  spend(now: number, unanswered: number, free: number): void {
    if (this.#isOver(now, unanswered)) {
      this.#beganAt = now;
      this.#left = Math.max(1, SHARE * free);
    }
    this.#left--;
  }

  /** Only when all of a wave are answered is it known what is left after it. */
  #isOver(now: number, unanswered: number): boolean {
    return unanswered === 0 || now >= this.#beganAt + PATIENCE_MS;
  }
}
