import type { AsyncMusic } from "../../src/index.js";

/** The POSTs of a client whose response, or its record in the journal, is still missing. */
export class PostsInFlight {
  readonly #requestIds = new Set<string>();
  #onEmpty = () => {};

  constructor(client: AsyncMusic) {
    client.on("attempt", ({ method, requestId }) => {
      if (method === "POST" && requestId !== null) this.#requestIds.add(requestId);
    });
    client.on("response", ({ method, requestId, status }) => {
      // A success has yet to be read and recorded in the journal.
      if (method === "POST" && requestId !== null && (status === null || status >= 300))
        this.ended(requestId);
    });
  }

  get count(): number {
    return this.#requestIds.size;
  }

  /** From now on, an exit loses nothing of this request. */
  ended(requestId: string): void {
    this.#requestIds.delete(requestId);
    if (this.count === 0) this.#onEmpty();
  }

  /** Resolves when none is in flight. */
  allEnded(): Promise<void> {
    return new Promise((resolve) => {
      this.#onEmpty = resolve;
      if (this.count === 0) resolve();
    });
  }
}
