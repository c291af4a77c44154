import type { Tried } from "../http/outcome.js";
import type { Deadline } from "../time/deadline.js";
import {
  type BodyFailure,
  type Bytes,
  failureAfter,
  piecesOf,
  type Source,
  skipping,
  startingWith,
} from "./body.js";
import type { Reading } from "./reading.js";
import { type Download, downloadError, request } from "./request.js";
import { bytesToSkip, endsAt, headersOfRest, versionOf } from "./version.js";
import { withRetries } from "./with-retries.js";

/**
 * Continues a body that broke off: requests the rest of the same version, and the whole file if no part of it is usable. A body
 * that is complete except for its end mark has no rest.
 */
export async function resume(
  download: Download,
  reading: Reading,
  received: number,
  failure: BodyFailure,
): Promise<Source> {
  const { signal } = download.controller;
  const { begun, startOver } = reading;
  const cutOff = ({ reason, cause }: BodyFailure) => downloadError(download, begun.status, reason, { cause });

  signal.throwIfAborted();
  const error = cutOff(failure);
  const isReplaceable = startOver !== null && reading.resumableFrom === 0;
  let headers = received >= reading.resumableFrom ? headersOfRest(begun, received, isReplaceable) : null;
  if (headers === null) throw error;
  const readRest = async (_: Download, rest: Response, deadline: Deadline): Promise<Tried<Source>> => {
    const version = versionOf(begun);
    const skipped = bytesToSkip(version, received, rest);
    const startsOver = skipped === null && isReplaceable && canReplace(begun, rest);
    if (skipped === null && !startsOver) {
      deadline.clear();
      rest.body?.cancel().catch(() => {});
      if (endsAt(version, received, rest)) return { result: { pieces: noPieces(), size: received } };
      headers = {};
      const reason = `${failure.reason}, and the server does not confirm that the file is unchanged`;
      return { error: cutOff({ reason }), mayResend: rest.status !== 200 };
    }
    const pieces = skipping(piecesOf(rest, deadline), skipped ?? 0);
    try {
      const { value, done } = await pieces.next();
      const size = (startsOver ? null : version.size) ?? versionOf(rest).size;
      if (done && size === received && !startsOver) return { result: { pieces: noPieces(), size } };
      if (done) return { error, mayResend: true };
      if (startsOver) {
        reading.begun = rest;
        reading.delivered = 0;
        startOver?.();
      }
      return { result: { pieces: startingWith(value, pieces), size, startsOver } };
    } catch (thrown) {
      signal.throwIfAborted();
      return { error: cutOff(failureAfter(received, thrown)), mayResend: true };
    }
  };

  const requestRest = () => request(download, headers ?? {}, readRest);
  // The broken body counts as the first attempt, so that a wait comes before the first request.
  return withRetries(reading.retries, requestRest, { error, mayResend: true });
}

/** Whether a complete response can replace all that was delivered. The reader has already used the stated type. */
function canReplace(begun: Response, { status, headers }: Response): boolean {
  return status === 200 && headers.get("Content-Type") === begun.headers.get("Content-Type");
}

async function* noPieces(): AsyncGenerator<Bytes> {}
