import { onAbort } from "../time/abort.js";
import type { Deadline } from "../time/deadline.js";

export type Bytes = Uint8Array<ArrayBuffer>;

export interface Source {
  pieces: AsyncGenerator<Bytes>;
  /** Bytes of the whole; `null` if no response stated it. */
  size: number | null;
  /** The bytes are those of another version from its beginning, and those before them were discarded. */
  startsOver?: boolean;
}

/** An empty body is no song, whether the response states its length or not. */
export const EMPTY_BODY = "the server returned an empty body";

/** Why a body broke off. */
export interface BodyFailure {
  reason: string;
  cause?: unknown;
}

/** Why a body broke off whose pieces threw. */
export function failureAfter(received: number, cause: unknown): BodyFailure {
  const isStalled = cause instanceof DOMException && cause.name === "TimeoutError";
  return { reason: `the connection ${isStalled ? "stalled" : "was lost"} after ${received} bytes`, cause };
}

/** Requests the rest of a body, after the bytes that were received. @throws if that is impossible */
type Resume = (received: number, failure: BodyFailure) => Promise<Source>;

/** Reads a body to its end and to the stated size, and resumes it when it breaks off or is empty. */
export async function* readWhole(source: Source, resume: Resume): AsyncGenerator<Bytes> {
  let { pieces, size, startsOver } = source;
  for (let received = 0; ; ) {
    let failure: BodyFailure;
    try {
      for await (const piece of pieces) {
        received += piece.byteLength;
        yield piece;
      }
      if (received > 0 && (size === null || received === size)) return;
      failure = { reason: size === null ? EMPTY_BODY : `${received} bytes arrived, not the stated ${size}` };
    } catch (error) {
      failure = failureAfter(received, error);
    }
    ({ pieces, size, startsOver } = await resume(received, failure));
    if (startsOver) received = 0;
  }
}

/** The pieces of one response, each within the time limit. */
export async function* piecesOf(response: Response, deadline: Deadline): AsyncGenerator<Bytes> {
  const reader = (response.body ?? new Blob().stream()).getReader();
  // The stream of a custom `fetch` may ignore the signal: canceling it ends a read that waits.
  const cancel = () => void reader.cancel().catch(() => {});
  const abort = onAbort(deadline.signal, cancel);
  let isOver = false;
  try {
    while (!isOver) {
      deadline.signal.throwIfAborted();
      deadline.restart();
      const { done, value } = await reader.read();
      deadline.signal.throwIfAborted();
      deadline.pause();
      isOver = done;
      if (value === undefined) continue;
      // A custom `fetch` may return anything.
      if (!ArrayBuffer.isView(value)) throw new TypeError("the body has something other than bytes");
      yield value;
    }
  } finally {
    abort.remove();
    deadline.clear();
    if (!isOver) cancel();
  }
}

export async function* piecesOfBlob(blob: Blob): AsyncGenerator<Bytes> {
  const reader = blob.stream().getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    reader.releaseLock();
  }
}

export async function* skipping(pieces: AsyncGenerator<Bytes>, count: number): AsyncGenerator<Bytes> {
  let left = count;
  for await (const piece of pieces) {
    if (piece.byteLength > left) yield piece.subarray(left);
    left = Math.max(0, left - piece.byteLength);
  }
}

/** A piece that was read ahead, and those that follow. */
export async function* startingWith(start: Bytes, rest: AsyncGenerator<Bytes>): AsyncGenerator<Bytes> {
  try {
    if (start.byteLength > 0) yield start;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
