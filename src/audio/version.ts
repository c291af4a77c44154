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
  // Not a range of the whole: the server refuses it if the file is empty.
  if (offset === 0) return {};
  const validator = etag ?? lastModified;
  return validator === null ? null : { Range: `bytes=${offset}-`, "If-Range": validator };
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

/** What `Content-Range` states; `null` if it is missing, or contradicts `Content-Length`. */
function rangeOf(headers: Headers): { start: number; size: number | null } | null {
  const range = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(headers.get("Content-Range") ?? "");
  if (range === null) return null;
  const [start = 0, end = 0, size = 0] = range.slice(1).map(Number);
  const agrees = [null, end - start + 1].includes(lengthOf(headers));
  return agrees ? { start, size: Number.isNaN(size) ? null : size } : null;
}
