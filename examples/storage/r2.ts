import type { Bucket } from "./store-song.ts";

/** What is used of a binding of R2 in a Cloudflare worker; `wrangler types` declares the rest. */
export interface R2Binding {
  head(key: string): Promise<unknown>;
  put(
    key: string,
    body: ReadableStream<Uint8Array>,
    options: { httpMetadata: { contentType: string } },
  ): Promise<unknown>;
}

/** A global of Cloudflare workers: R2 accepts only streams whose length the runtime knows. */
declare const FixedLengthStream: new (size: number) => TransformStream<Uint8Array, Uint8Array>;

/** A bucket of R2. */
export function r2Bucket(r2: R2Binding): Bucket {
  return {
    async has(key) {
      return (await r2.head(key)) !== null;
    },
    async put(key, body, { size, contentType }) {
      const sized = body.pipeThrough(new FixedLengthStream(size));
      try {
        await r2.put(key, sized, { httpMetadata: { contentType } });
      } catch (error) {
        // Ends the download, unless its own error has ended it.
        await sized.cancel(error).catch(() => {});
        throw error;
      }
    },
  };
}
