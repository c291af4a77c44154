/** What tells one version of a file from another; `null` where an answer doesn't say. */
export interface Version {
  /** An entity tag without its sign of weakness: where two differ, the versions do. */
  tag: string | null;
  /** The same if it is strong: a weak one does not promise the same bytes. */
  etag: string | null;
  lastModified: string | null;
  /** Bytes of the whole file. */
  size: number | null;
}

/** The version that an answer of the whole file, or of a part of it, is of. */
export function versionOf({ status, headers }: Response): Version {
  const etag = headers.get("ETag");
  return {
    tag: etag?.replace(/^W\//, "") ?? null,
    etag: etag?.startsWith('"') ? etag : null,
    lastModified: headers.get("Last-Modified"),
    size: status === 206 ? (rangeOf(headers)?.size ?? null) : lengthOf(headers),
  };
}

/** The headers that ask for the rest of a version from an offset on; `null` where nothing would tell it from another. */
export function headersOfRest(
  { etag, lastModified, size }: Version,
  offset: number,
): Record<string, string> | null {
  const range = { Range: `bytes=${offset}-` };
  const validator = etag ?? lastModified;
  if (validator !== null) return { ...range, "If-Range": validator };
  return size === null ? null : range;
}

/** How many bytes of an answer to skip for the rest from an offset on; `null` where it is no rest of that version. */
export function bytesToSkip(begun: Version, offset: number, response: Response): number | null {
  const now = versionOf(response);
  const [tag, etag, lastModified, size] = [
    agree(begun.tag, now.tag),
    agree(begun.etag, now.etag),
    agree(begun.lastModified, now.lastModified),
    agree(begun.size, now.size),
  ];
  if ([tag, lastModified, size].includes(false)) return null;
  if (response.status === 206) {
    // A validator was sent with the request, so that only its version may be answered in part.
    const isTold = begun.etag !== null || begun.lastModified !== null || size === true;
    // A server may answer less than the rest: only the length of the whole shows whether more is to come.
    const hasEnd = begun.size !== null || now.size !== null;
    return isTold && hasEnd && rangeOf(response.headers)?.start === offset ? 0 : null;
  }
  // Nothing can be mixed as long as nothing was handed out.
  return etag === true || lastModified === true || offset === 0 ? offset : null;
}

function agree<Value>(one: Value | null, other: Value | null): boolean | null {
  return one === null || other === null ? null : one === other;
}

/** `Content-Length`, where it counts the bytes that arrive here: a content coding has another length. */
export function lengthOf(headers: Headers): number | null {
  const length = headers.get("Content-Length");
  return length !== null && /^\d+$/.test(length) && !isCoded(headers) ? Number(length) : null;
}

/** Whether the bytes that arrive are not those that a range counts. */
export function isCoded(headers: Headers): boolean {
  return !["identity", null].includes(headers.get("Content-Encoding"));
}

function rangeOf(headers: Headers): { start: number; size: number | null } | null {
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get("Content-Range") ?? "");
  if (range === null) return null;
  return { start: Number(range[1]), size: range[2] === "*" ? null : Number(range[2]) };
}
