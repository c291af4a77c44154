import { afterRealMs, nextTurn, realNow } from "./turn.js";

/** Turns of the event loop that must pass without any stirring: some streams take more than one to deliver. */
const QUIET_TURNS = 2;

/** How long a request may be on its way to a mount that the emulator doesn't see, in real milliseconds. */
const PATIENCE_MS = 4;

/** Knows when everybody who could do something without waiting has done it. */
export class Quiet {
  #busy = 0;
  #stirs = 0;
  #stirredAt = 0;
  #patient = 0;
  #ended = false;
  readonly #parked: (() => void)[] = [];

  /** Whether an exchange is under way. */
  get isBusy(): boolean {
    return this.#busy > 0 && !this.#ended;
  }

  enter(): void {
    this.#busy++;
    this.stir();
  }

  leave(): void {
    this.#busy--;
    this.stir();
    if (this.#busy === 0) this.#lookAgain();
  }

  /** From now on it is quiet, whatever is still under way. */
  end(): void {
    this.#ended = true;
    this.#lookAgain();
  }

  /** Something happened that shows that a party is awake. */
  stir(): void {
    this.#stirs++;
    if (this.#patient > 0) this.#stirredAt = realNow();
  }

  beginPatience(): void {
    this.#patient++;
  }

  endPatience(): void {
    this.#patient--;
  }

  /** Calls back when nothing is under way and nothing has stirred for a while. */
  await(callback: () => void): void {
    let seen = this.#stirs;
    let quietTurns = 0;
    const look = () => {
      if (this.isBusy) {
        this.#parked.push(look);
        return;
      }
      const impatientIn = this.#patient > 0 ? this.#stirredAt + PATIENCE_MS - realNow() : 0;
      quietTurns = seen === this.#stirs && impatientIn <= 0 ? quietTurns + 1 : 0;
      seen = this.#stirs;
      if (quietTurns >= QUIET_TURNS) callback();
      else if (impatientIn > 0) afterRealMs(Math.ceil(impatientIn), look);
      else nextTurn(look);
    };
    nextTurn(look);
  }

  #lookAgain(): void {
    for (const look of this.#parked.splice(0)) look();
  }
}
