import type { Retries } from "../http/retries.js";

/** A body that is being read. */
export interface Reading {
  /** The first response of the version that is delivered. */
  begun: Response;
  /** How many bytes of that version were delivered. */
  delivered: number;
  /** A body that breaks off before so many bytes arrived is not continued: the download begins again. */
  readonly resumableFrom: number;
  /** All resumptions of a body share the retries of one read, and the budget of their waits. */
  readonly retries: Retries;
  /** Discards all bytes that were delivered; `null` if the reader can't do that. */
  startOver: (() => void) | null;
}

/** The readings by their bodies, which are public. */
export const readings = new WeakMap<ReadableStream, Reading>();

/** Whether a body is being read, or a part of its bytes was read before. */
export function isBegun(body: ReadableStream): boolean {
  return body.locked || (readings.get(body)?.delivered ?? 0) > 0;
}

/**
 * Calls `startOver` when the file has changed during the download: the bytes that were read are to be discarded, and those
 * of the new version follow, from its beginning. Without `startOver`, such a body fails.
 */
export function onStartOver(body: ReadableStream, startOver: () => void): void {
  const reading = readings.get(body);
  if (reading !== undefined) reading.startOver = startOver;
}
