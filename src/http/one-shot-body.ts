const utf8 = new TextEncoder();

/**
 * A JSON body that `fetch` sends at most once, and its headers. The service has no idempotency key, so the runtime must not
 * repeat a POST:
 *
 * - Node repeats a request after a 421 (Misdirected Request), unless its body is a stream.
 * - Deno repeats a request whose connection breaks, unless its body is a `Blob` or a stream. It would send a stream chunked.
 * - Chromium repeats a request after a 421 and, on a reused connection, after a 408. Browsers stream request bodies over
 *   HTTP/2 only, so a page cannot prevent this.
 * - Bun and workerd repeat no POST.
 *
 * @param beforeSending - called when a body is read that `isLazy`: by Node's own `fetch`, once the connection stands. If it is not
 * called, or throws, nothing is sent
 */
export function oneShotBody(
  text: string,
  beforeSending: () => void,
): { body: BodyInit; headers: Readonly<Record<string, string>>; isLazy?: boolean } {
  const headers = { "Content-Type": "application/json" };
  if ("Deno" in globalThis) return { body: new Blob([text]), headers };
  const { versions, type } = Object(Reflect.get(globalThis, "process"));
  // The pages of Electron have Node's `process` and Chromium's `fetch`.
  if (Object(versions).undici === undefined || type === "renderer") return { body: text, headers };
  const bytes = utf8.encode(text);
  const body = new ReadableStream({
    // Of a stream of bytes, even a copy is not read ahead: Node reads it once the connection stands.
    type: "bytes",
    pull(controller) {
      beforeSending();
      controller.enqueue(bytes);
      controller.close();
    },
  });
  // With a stated length the body is not sent in chunks, which some gateways refuse.
  return { body, headers: { ...headers, "Content-Length": String(bytes.byteLength) }, isLazy: true };
}
