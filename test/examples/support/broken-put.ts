import type { Bucket } from "../../../examples/storage/store-song.js";

/** Stores a body that breaks. Resolves with the error, and with whether the bucket has the object. */
export async function tryBrokenPut(bucket: Bucket): Promise<{ error: string | null; isStored: boolean }> {
  let chunks = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (chunks++ === 0) controller.enqueue(new Uint8Array(10));
      else controller.error(new Error("The body broke."));
    },
  });
  const error = await bucket.put("broken", body, { size: 20, contentType: "audio/mpeg" }).then(
    () => null,
    (reason: unknown) => (reason instanceof Error ? reason.message : String(reason)),
  );
  return { error, isStored: await bucket.has("broken") };
}
