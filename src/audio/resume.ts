import { AudioDownloadError } from "../errors/audio-errors.js";
import type { FailedTry } from "../http/retrying.js";
import type { Deadline } from "../time/deadline.js";
import { type Download, tryFor } from "./tries.js";
import { bytesToSkip, headersOfRest, isCoded, versionOf } from "./version.js";
import { piecesOf, type Resume, type Source, skipping, startingWith } from "./whole-body.js";

/**
 * How to go on with a body that breaks off: by asking for the rest of the very version that was begun. The whole body
 * has the retries of one read. What breaks off before `from` bytes came is its caller's to begin anew.
 */
export function createResume(download: Download, begun: Response, from: number): Resume {
  const { transport, shownUrl: url, leaving } = download;
  const { signal } = leaving;
  const version = versionOf(begun);
  let retriesLeft = download.maxRetries;

  return async (received, reason, cause) => {
    signal.throwIfAborted();
    const error = cutOff(reason, cause);
    // Where the bytes don't count as a range counts them, or where more came than there are, there is no rest.
    const hasRest =
      begun.status === 200 &&
      !isCoded(begun.headers) &&
      received >= from &&
      received < (version.size ?? Infinity);
    const headers = hasRest ? headersOfRest(version, received) : null;
    if (headers === null) throw error;
    const limited = { ...download, maxRetries: retriesLeft };
    return tryFor(limited, headers, (rest, deadline) => goOn(received, rest, deadline), {
      error,
      onRetry: () => retriesLeft--,
    });
  };

  async function goOn(
    received: number,
    rest: Response,
    deadline: Deadline,
  ): Promise<{ result: Source } | FailedTry> {
    const brokenOff = `the connection broke after ${received} bytes`;
    const skipped = bytesToSkip(version, received, rest);
    if (skipped === null) {
      deadline.clear();
      rest.body?.cancel().catch(() => {});
      return { error: cutOff(`${brokenOff}, and its rest can't be told`), mayRetry: false, statedMs: null };
    }
    const pieces = skipping(piecesOf(rest, deadline), skipped);
    let cause: unknown;
    try {
      const { value, done } = await pieces.next();
      const size = version.size ?? versionOf(rest).size;
      if (!done) return { result: { pieces: startingWith(value, pieces), size } };
    } catch (failure) {
      signal.throwIfAborted();
      cause = failure;
    }
    return { error: cutOff(brokenOff, cause), mayRetry: true, statedMs: null };
  }

  function cutOff(reason: string, cause?: unknown): AudioDownloadError {
    const message = `Failed to download audio: ${reason}. Download ${url} again.`;
    return new AudioDownloadError(message, {
      url,
      status: begun.status,
      cause: transport.redactor.cause(cause),
    });
  }
}
