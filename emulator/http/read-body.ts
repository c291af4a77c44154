import { concatBytes } from "../../src/shared/data.js";

/** What reads the body of a request. */
export type Upload = ReadableStreamDefaultReader<Uint8Array>;

/** The body of a request, read no further than is allowed to come in. */
export async function readBody(
  upload: Upload | undefined,
  limit: number,
): Promise<Uint8Array | "too_large" | null> {
  if (upload === undefined) return null;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await upload.read();
    if (done) return concatBytes(chunks);
    chunks.push(value);
    bytes += value.byteLength;
    if (bytes > limit) {
      await upload.cancel();
      return "too_large";
    }
  }
}
