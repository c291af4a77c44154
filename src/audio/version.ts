import { parseDate } from "../time/date.js";

/** A date has whole seconds: it identifies a version if the response is at least this much later (RFC 9110, 8.8.2.2). */
const DATE_RESOLUTION_MS = 1000;

/** What distinguishes one version of a file from another; `null` if the response does not say. */
interface Version {
  /** The entity tag, weak or strong: if two differ, so do the versions. */
  tag: string | null;
  /** The same if it is strong. A weak one does not promise the same bytes. */
  etag: string | null;
  lastModified: string | null;
  /** The same if no later version can have that date. */
  strongDate: string | null;
  size: number | null;
}

export function versionOf({ status, headers }: Response): Version {
  const etag = headers.get("ETag");
  const lastModified = headers.get("Last-Modified");
  const ageMs = (parseDate(headers.get("Date")) ?? Number.NaN) - (parseDate(lastModified) ?? Number.NaN);
  return {
    tag: etag?.replace(/^W\//, "") ?? null,
    etag: etag?.startsWith('"') ? etag : null,
    lastModified,
    strongDate: ageMs >= DATE_RESOLUTION_MS ? lastModified : null,
    size: status === 200 ? lengthOf(headers) : (rangeOf(headers)?.size ?? null),
  };
}

/**
 * The headers of a request for a file after the bytes before an offset; `null` if it can't be continued: its bytes are not those that a
 * range counts, or nothing identifies its version and the bytes before can't be replaced. Requests the rest if a strong validator
 * identifies the version (RFC 9110, 13.1.5), and otherwise the whole file.
 */
export function headersOfRest(
  begun: Response,
  offset: number,
  isReplaceable: boolean,
): Record<string, string> | null {
  const { tag, etag, strongDate, size } = versionOf(begun);
  if (begun.status !== 200 || isCoded(begun.headers) || offset >= (size ?? Infinity)) return null;
  // Not a range of the whole: the server refuses it if the file is empty.
  if (offset === 0) return {};
  // A date alone does not identify a version: the size must agree as well.
  const date = size === null ? null : strongDate;
  const validator = etag ?? (tag === null ? date : null);
  if (validator !== null) return { Range: `bytes=${offset}-`, "If-Range": validator };
  return isReplaceable || date !== null ? {} : null;
}

/**
 * How many bytes of a response to skip for the rest from an offset on; `null` if it is no rest of that version. A part must
 * confirm the version: some servers ignore `If-Range`, and send a part of whatever the file is now.
 */
export function bytesToSkip(begun: Version, offset: number, response: Response): number | null {
  const isSame = isSameVersion(begun, response);
  if (response.status === 200) return isSame || (isSame === null && offset === 0) ? offset : null;
  // A server may send less than the rest: only the length of the whole shows whether more follows.
  const hasEnd = (begun.size ?? versionOf(response).size) !== null;
  const isNext = rangeOf(response.headers)?.start === offset && !isCoded(response.headers);
  return isSame && hasEnd && isNext ? 0 : null;
}

/** Whether a response refuses the rest from an offset on because that version ends there. */
export function endsAt(begun: Version, offset: number, response: Response): boolean {
  return (
    response.status === 416 && versionOf(response).size === offset && isSameVersion(begun, response) === true
  );
}

/** Whether a response is about that version; `null` if it does not show that. */
function isSameVersion(begun: Version, response: Response): boolean | null {
  const now = versionOf(response);
  const agrees = (part: keyof Version) =>
    begun[part] === null || now[part] === null ? null : begun[part] === now[part];
  const [lastModified, size] = [agrees("lastModified"), agrees("size")];
  if ([agrees("tag"), lastModified, size].includes(false)) return false;
  const isOfDate = begun.strongDate !== null && lastModified === true && size === true;
  const isSame = begun.etag === null ? isOfDate : agrees("etag") === true;
  return isSame || null;
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
 * Whether a body has only content codings that the caller requested. Runtimes decode what has arrived, so that a coded body
 * which a gateway has cut off looks complete.
 */
export function hasRequestedCodings(headers: Headers, sent: Headers): boolean {
  const requested = namesIn(sent, "Accept-Encoding");
  return codingsOf(headers).every((coding) => requested.includes(coding));
}

/** The codings that runtimes decode. Others leave the bytes as they are, such as the "aws-chunked" of object stores. */
function codingsOf(headers: Headers): string[] {
  return namesIn(headers, "Content-Encoding").filter((coding) => /gzip|^(deflate|br|zstd)$/.test(coding));
}

/** The names in a list of a header, without their parameters. */
function namesIn(headers: Headers, name: string): string[] {
  const items = headers.get(name)?.toLowerCase().split(",") ?? [];
  return items.map((item) => item.replace(/;.*/, "").trim()).filter((item) => item !== "");
}

/** What `Content-Range` states; `null` if it is missing, or contradicts `Content-Length`. A refused range has no start. */
function rangeOf(headers: Headers): { start: number | null; size: number | null } | null {
  const stated = headers.get("Content-Range") ?? "";
  const refused = /^bytes \*\/(\d+)$/.exec(stated);
  if (refused !== null) return { start: null, size: Number(refused[1]) };
  const range = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(stated);
  if (range === null) return null;
  const [start = 0, end = 0, size = 0] = range.slice(1).map(Number);
  const agrees = [null, end - start + 1].includes(lengthOf(headers));
  return agrees ? { start, size: Number.isNaN(size) ? null : size } : null;
}
