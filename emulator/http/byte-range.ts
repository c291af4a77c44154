/** Part of a file: both ends are inside. */
export interface ByteRange {
  first: number;
  last: number;
}

/**
 * The part that a `Range` header asks for (RFC 9110, 14.2). `null` where it is to be ignored: there is none, it is in
 * another unit or malformed, or it asks for several parts at once.
 */
export function parseByteRange(header: string | null, length: number): ByteRange | "unsatisfiable" | null {
  const [, from = "", to = ""] = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header ?? "") ?? [];
  if (from === "" && to === "") return null;
  if (from === "") {
    const suffix = Number(to);
    return suffix === 0 || length === 0
      ? "unsatisfiable"
      : { first: Math.max(length - suffix, 0), last: length - 1 };
  }
  const first = Number(from);
  const last = to === "" ? length - 1 : Math.min(Number(to), length - 1);
  if (to !== "" && Number(to) < first) return null;
  return first < length ? { first, last } : "unsatisfiable";
}
