import { onAbort } from "../time/abort.js";
import type { Deadline } from "../time/deadline.js";
import type { Download } from "./tries.js";

/** Bytes as the web's own streams hand them on. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** A body that is being read, and what is known of its length. */
export interface Source {
  pieces: AsyncGenerator<Bytes>;
  /** Bytes of the whole, where an answer told. */
  size: number | null;
}

/** Goes on after a failure, behind the bytes that were received; throws where that can't be. */
export type Resume = (received: number, reason: string, cause?: unknown) => Promise<Source>;

/**
 * Reads a body to its end and to the promised size: a song that is cut short must not pass for the song. Where it
 * breaks off, it is gone on with.
 */
export async function* readWhole(source: Source, resume: Resume): AsyncGenerator<Bytes> {
  let { pieces, size } = source;
  for (let received = 0; ; ) {
    let failure: { reason: string; cause?: unknown };
    try {
      for await (const piece of pieces) {
        received += piece.byteLength;
        yield piece;
      }
      if (size === null || received === size) return;
      failure = { reason: `${received} of ${size} bytes came` };
    } catch (cause) {
      failure = { reason: `the connection broke after ${received} bytes`, cause };
    }
    ({ pieces, size } = await resume(received, failure.reason, failure.cause));
  }
}

/** The pieces of one answer, each within the time limit. */
export async function* piecesOf(response: Response, deadline: Deadline): AsyncGenerator<Bytes> {
  const reader: ReadableStreamDefaultReader<Uint8Array> = (response.body ?? new Blob().stream()).getReader();
  let isOver = false;
  try {
    while (!isOver) {
      deadline.restart();
      const { done, value } = await untilAborted(reader.read(), deadline.signal);
      deadline.pause();
      isOver = done;
      if (value !== undefined) yield value as Bytes;
    }
  } finally {
    deadline.clear();
    if (!isOver) reader.cancel().catch(() => {});
  }
}

/** Unlike `Promise.race` against one promise for all reads, this keeps no chunk: that promise would hold each of them. */
function untilAborted<Value>(read: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = onAbort(signal, () => reject(signal.reason));
    if (signal.aborted) reject(signal.reason);
    read.then(resolve, reject).finally(() => abort.leave());
  });
}

/** The pieces without as many of their first bytes. */
export async function* skipping(pieces: AsyncGenerator<Bytes>, count: number): AsyncGenerator<Bytes> {
  let left = count;
  for await (const piece of pieces) {
    if (piece.byteLength > left) yield piece.subarray(left);
    left = Math.max(0, left - piece.byteLength);
  }
}

/** A piece that was taken ahead, and the others behind it. */
export async function* startingWith(start: Bytes, rest: AsyncGenerator<Bytes>): AsyncGenerator<Bytes> {
  try {
    if (start.byteLength > 0) yield start;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/**
 * The pieces as a stream. Nothing is read ahead, and the caller's signal is followed only while a read waits: neither
 * the signal nor the connection holds a body that is not read.
 */
export function streamOf(
  pieces: AsyncGenerator<Bytes>,
  { leaving, options }: Pick<Download, "leaving" | "options">,
): ReadableStream<Bytes> {
  return new ReadableStream<Bytes>(
    {
      async pull(controller) {
        const { done, value } = await leaving.during(options.signal, () => pieces.next());
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        leaving.abort();
        // Only a generator that was started runs its `finally`, which cancels the response.
        await pieces.next().catch(() => {});
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
