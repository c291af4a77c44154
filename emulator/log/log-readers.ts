import type { LoggedRequest } from "./logged-request.js";

/** Who reads the log as it is written. */
export class LogReaders {
  readonly #readers = new Set<(request: LoggedRequest) => void>();

  /** Calls back for each request from now on. The answer ends that. */
  add(reader: (request: LoggedRequest) => void): () => void {
    this.#readers.add(reader);
    return () => void this.#readers.delete(reader);
  }

  tell(request: LoggedRequest): void {
    for (const read of this.#readers) read(request);
  }

  get size(): number {
    return this.#readers.size;
  }
}
