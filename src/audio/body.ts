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

/** Why a body broke off. */
export interface BodyFailure {
  reason: string;
  cause?: unknown;
}

/** Requests the rest of a body, after the bytes that were received. @throws if that is impossible */
type Resume = (received: number, failure: BodyFailure) => Promise<Source>;

/** Reads a body to its end and to the stated size, and resumes it when it breaks off. */
export async function* readWhole(source: Source, resume: Resume): AsyncGenerator<Bytes> {
  let { pieces, size, startsOver } = source;
  for (let received = 0; ; ) {
    let failure: BodyFailure;
    try {
      for await (const piece of pieces) {
        received += piece.byteLength;
        yield piece;
      }
      if (size === null || received === size) return;
      failure = { reason: `only ${received} of ${size} bytes arrived` };
    } catch (cause) {
      failure = { reason: `the connection was lost after ${received} bytes`, cause };
    }
    ({ pieces, size, startsOver } = await resume(received, failure));
    if (startsOver) received = 0;
  }
}

/** The pieces of one response, each within the time limit. */
export async function* piecesOf(response: Response, deadline: Deadline): AsyncGenerator<Bytes> {
  const reader: ReadableStreamDefaultReader<Uint8Array> = (response.body ?? new Blob().stream()).getReader();
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
      if (value !== undefined) yield value as Bytes;
    }
  } finally {
    abort.remove();
    deadline.clear();
    if (!isOver) cancel();
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

/** What distinguishes one version of a file from another; `null` if the response does not say. */
interface Version {
  /** The entity tag, weak or strong: if two differ, so do the versions. */
  tag: string | null;
  /** The same if it is strong. A weak one does not promise the same bytes. */
  etag: string | null;
  lastModified: string | null;
  size: number | null;
}

export function versionOf({ status, headers }: Response): Version {
  const etag = headers.get("ETag");
  return {
    tag: etag?.replace(/^W\//, "") ?? null,
    etag: etag?.startsWith('"') ? etag : null,
    lastModified: headers.get("Last-Modified"),
    size: status === 206 ? (rangeOf(headers)?.size ?? null) : lengthOf(headers),
  };
}

/**
 * The headers of a request for the rest of a file from an offset on; `null` if it can't be continued: nothing identifies its
 * version, or its bytes are not those that a range counts.
 */
export function headersOfRest(begun: Response, offset: number): Record<string, string> | null {
  const { etag, lastModified, size } = versionOf(begun);
  if (begun.status !== 200 || isCoded(begun.headers) || offset >= (size ?? Infinity)) return null;
  const validator = etag ?? lastModified;
  if (validator !== null) return { Range: `bytes=${offset}-`, "If-Range": validator };
  return offset === 0 ? {} : null;
}

/**
 * How many bytes of a response to skip for the rest from an offset on; `null` if it is no rest of that version. A part must
 * repeat the validator that was requested: some servers ignore `If-Range`, and send a part of whatever the file is now.
 */
export function bytesToSkip(begun: Version, offset: number, response: Response): number | null {
  const now = versionOf(response);
  const agrees = (part: keyof Version) =>
    begun[part] === null || now[part] === null ? null : begun[part] === now[part];
  const [tag, lastModified, size] = [agrees("tag"), agrees("lastModified"), agrees("size")];
  if ([tag, lastModified, size].includes(false)) return null;
  if (response.status === 206) {
    // A server may send less than the rest: only the length of the whole shows whether more follows.
    const hasEnd = begun.size !== null || now.size !== null;
    const isConfirmed = agrees(begun.etag === null ? "lastModified" : "etag") === true;
    const isNext = rangeOf(response.headers)?.start === offset && !isCoded(response.headers);
    return isConfirmed && hasEnd && isNext ? 0 : null;
  }
  // A date has whole seconds, so the size or the tag must agree as well. Before the first byte nothing can be mixed.
  const isSame = agrees("etag") === true || (lastModified === true && (size === true || tag === true));
  return isSame || offset === 0 ? offset : null;
}

/** `Content-Length`, where it counts the bytes that arrive here: a content coding has another length. */
export function lengthOf(headers: Headers): number | null {
  const length = headers.get("Content-Length");
  return length !== null && /^\d+$/.test(length) && !isCoded(headers) ? Number(length) : null;
}

/** Whether the bytes that arrive are not those that a range counts. */
function isCoded(headers: Headers): boolean {
  return codingsOf(headers).length > 0;
}

/**
 * Whether a body that is cut off differs from a complete one. Without a length and without chunks, the end of the connection
 * is the end of the body, and runtimes decode what has arrived. A caller may request the coding all the same.
 */
export function hasReliableEnd({ headers }: Response, sent: Headers): boolean {
  if (headers.has("Content-Length") || headers.has("Transfer-Encoding")) return true;
  const requested = namesIn(sent, "Accept-Encoding");
  return codingsOf(headers).every((coding) => requested.includes(coding));
}

function codingsOf(headers: Headers): string[] {
  return namesIn(headers, "Content-Encoding").filter((coding) => coding !== "identity");
}

/** The names in a list of a header, without their parameters. */
function namesIn(headers: Headers, name: string): string[] {
  const items = headers.get(name)?.toLowerCase().split(",") ?? [];
  return items.map((item) => item.replace(/;.*/, "").trim()).filter((item) => item !== "");
}

function rangeOf(headers: Headers): { start: number; size: number | null } | null {
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get("Content-Range") ?? "");
  if (range === null) return null;
  return { start: Number(range[1]), size: range[2] === "*" ? null : Number(range[2]) };
}

/** The extensions that a file of audio can get. */
export type AudioExtension = "mp3" | "wav" | "flac" | "ogg" | "m4a" | "bin";

/** The subtypes of `audio` of each extension, without `x-`. */
const SUBTYPES: readonly (readonly [extension: AudioExtension, ...subtypes: string[]])[] = [
  ["mp3", "mpeg", "mp3", "mpeg3"],
  ["wav", "wav", "wave", "vnd.wave", "pn-wav"],
  ["flac", "flac"],
  ["ogg", "ogg", "opus", "vorbis"],
  ["m4a", "mp4", "m4a"],
];

const GENERIC_TYPES = ["", "application/octet-stream"];

/** What the first bytes of each format look like: text at an offset. */
const SIGNATURES: readonly (readonly [offset: number, text: string, extension: AudioExtension])[] = [
  [0, "ID3", "mp3"],
  [8, "WAVE", "wav"],
  [0, "fLaC", "flac"],
  [0, "OggS", "ogg"],
  [4, "ftyp", "m4a"],
];

export const SIGNATURE_LENGTH = 12;

/**
 * The extension for a `Content-Type`, the only reliable statement of the real format (`audio_format` behavior, 4); `null` if
 * it is missing or generic, so that the first bytes may decide.
 */
export function extensionOfType(contentType: string | null): AudioExtension | null {
  const mediaType = (contentType ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  if (GENERIC_TYPES.includes(mediaType)) return null;
  const subtype = /^audio\/(?:x-)?(.*)|^application\/(ogg)$/.exec(mediaType)?.slice(1).join("") ?? "";
  return SUBTYPES.find(([, ...subtypes]) => subtypes.includes(subtype))?.[0] ?? "bin";
}

export function extensionOfBytes(start: Uint8Array): AudioExtension {
  const text = String.fromCharCode(...start.subarray(0, SIGNATURE_LENGTH));
  const signature = SIGNATURES.find(([offset, expected]) => text.startsWith(expected, offset));
  if (signature !== undefined) return signature[2];
  return isMpegFrame(start) ? "mp3" : "bin";
}

/** Eleven set bits, then a version, a layer, a bit rate and a sample rate that exist. */
function isMpegFrame([first = 0, second = 0, third = 0]: Uint8Array): boolean {
  const hasSync = first === 0xff && (second & 0xe0) === 0xe0;
  const isLayer3 = (second & 0x18) !== 0x08 && (second & 0x06) === 0x02;
  return hasSync && isLayer3 && third >> 4 !== 0x0f && (third & 0x0c) !== 0x0c;
}
