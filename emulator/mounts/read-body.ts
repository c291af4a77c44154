/** The body of a request, read no further than is allowed to come in. */
export async function readBody({ body }: Request, limit: number): Promise<Uint8Array | "too_large" | null> {
  if (body === null) return null;
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return joinChunks(chunks, bytes);
    chunks.push(value);
    bytes += value.byteLength;
    if (bytes > limit) {
      await reader.cancel();
      return "too_large";
    }
  }
}

export function joinChunks(chunks: readonly Uint8Array[], bytes: number): Uint8Array {
  const [first] = chunks;
  if (first !== undefined && chunks.length === 1) return first;
  const whole = new Uint8Array(bytes);
  let end = 0;
  for (const chunk of chunks) {
    whole.set(chunk, end);
    end += chunk.byteLength;
  }
  return whole;
}
