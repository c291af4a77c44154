import type { Deadline } from "../clock/deadline.js";
import { AudioDownloadError } from "../errors/audio-download-error.js";
import type { Redactor } from "../transport/redactor.js";

/** Bytes as the web's own streams hand them on. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** A body that is being read. */
export interface BodySource {
  url: string;
  status: number;
  reader: ReadableStreamDefaultReader<Uint8Array>;
  /** The bytes to come, where the answer told. */
  size: number | null;
  /** Runs from one piece to the next. */
  deadline: Deadline;
  redactor: Redactor;
}

/**
 * Reads the pieces of a body, each within the time limit, and fails unless they come to an end and to the promised
 * size: a song that is cut short must not pass for the song.
 */
export async function* readWhole({
  url,
  status,
  reader,
  size,
  deadline,
  redactor,
}: BodySource): AsyncGenerator<Bytes> {
  let received = 0;
  let isOver = false;
  try {
    while (!isOver) {
      deadline.restart();
      const { done, value } = await Promise.race([reader.read(), deadline.ended]);
      isOver = done;
      if (value === undefined) continue;
      received += value.byteLength;
      deadline.pause();
      yield value as Bytes;
    }
  } catch (cause) {
    if (deadline.signal.aborted && !deadline.timedOut()) throw cause;
    throw cutOff(`the connection broke after ${received} bytes`, redactor.cause(cause));
  } finally {
    deadline.clear();
    if (!isOver) reader.cancel().catch(() => {});
  }
  if (size !== null && received !== size) throw cutOff(`${received} of ${size} bytes came`);

  function cutOff(reason: string, cause?: unknown): AudioDownloadError {
    const message = `Failed to download audio: ${reason}. Download ${url} again.`;
    return new AudioDownloadError(message, { url, status, cause });
  }
}

/** The pieces as a stream; whoever leaves the stream leaves the pieces, also one that is being waited for. */
export function streamOf(pieces: AsyncGenerator<Bytes>, leaving: AbortController): ReadableStream<Bytes> {
  return new ReadableStream<Bytes>({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      leaving.abort();
      await pieces.return(undefined);
    },
  });
}
