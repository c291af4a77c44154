import type { LoggedRequest } from "./logged-request.js";

/** The body that came with a request, which the log doesn't keep. */
export type LoggedBody = Uint8Array | "too_large" | null;

type Reader = (request: LoggedRequest, body: LoggedBody) => void;

/** Who reads the log as it is written. */
export class LogReaders {
  readonly #readers = new Set<Reader>();

  /** Calls back for each request from now on. The answer ends that. */
  add(reader: Reader): () => void {
    this.#readers.add(reader);
    return () => void this.#readers.delete(reader);
  }

  tell(request: LoggedRequest, body: LoggedBody): void {
    for (const read of this.#readers) read(request, body);
  }

  get size(): number {
    return this.#readers.size;
  }
}
