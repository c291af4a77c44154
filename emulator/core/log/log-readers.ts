import type { LoggedRequest } from "./logged-request.js";

/** The body that came with a request, which the log doesn't keep. */
export type LoggedBody = Uint8Array | "too_large" | null;

/** Receives each request with its body, and the log that now ends with it. */
type Reader = (request: LoggedRequest, body: LoggedBody, log: readonly LoggedRequest[]) => void;

/** The readers of the log as it is written. */
export class LogReaders {
  readonly #readers = new Set<Reader>();

  /** Calls back for each request from now on. The returned function ends that. */
  add(reader: Reader): () => void {
    this.#readers.add(reader);
    return () => void this.#readers.delete(reader);
  }

  tell(request: LoggedRequest, body: LoggedBody, log: readonly LoggedRequest[]): void {
    for (const read of this.#readers) read(request, body, log);
  }

  get size(): number {
    return this.#readers.size;
  }
}
