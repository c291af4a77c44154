import type { AsyncMusic } from "../src/index.js";
import { type EndingSignal, Interrupted, type Terminal } from "./terminal.js";

/** How long an interrupted command waits for the response to its POST, which has the ID of a charged task. */
export const RESPONSE_GRACE_MS = 2000;

/**
 * Watches the POST of a command. A signal aborts the command; while the POST is in flight, its response gets two more
 * seconds, unless another signal arrives.
 */
export class SendingWatch {
  readonly #stderr: Terminal["stderr"];
  readonly #stopListening: () => void;
  readonly #command = new AbortController();
  #isSending = false;
  #received: EndingSignal | null = null;
  #grace: ReturnType<typeof setTimeout> | undefined;

  constructor(client: AsyncMusic, { onSignal, stderr }: Terminal) {
    this.#stderr = stderr;
    this.#stopListening = onSignal((signal) => this.#receive(signal));
    client.on("attempt", ({ method }) => {
      if (method === "POST") this.#isSending = true;
    });
    client.on("response", ({ method, status }) => {
      // A success has yet to be read and recorded in the journal.
      if (method === "POST" && (status === null || status >= 300)) this.ended();
    });
  }

  /** Aborted when the command has to end. */
  get signal(): AbortSignal {
    return this.#command.signal;
  }

  /** From now on, an abort loses nothing. */
  ended(): void {
    this.#isSending = false;
    this.#abort();
  }

  stop(): void {
    clearTimeout(this.#grace);
    this.#stopListening();
  }

  #receive(signal: EndingSignal): void {
    const isFirst = this.#received === null;
    this.#received ??= signal;
    if (!this.#isSending || !isFirst) {
      this.#abort();
      return;
    }
    this.#stderr.write(
      "\nThe request is in flight. Waiting up to 2 s for the response. Press Ctrl-C again to stop now.\n",
    );
    this.#grace = setTimeout(() => this.#abort(), RESPONSE_GRACE_MS);
  }

  #abort(): void {
    if (this.#received === null) return;
    // The next signal ends the process, even if something does not react to the abort.
    this.#stopListening();
    this.#command.abort(new Interrupted(this.#received));
  }
}
