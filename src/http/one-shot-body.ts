import { oneShotBodyForm } from "./environment.js";

const utf8 = new TextEncoder();

/** A request body that `fetch` sends at most once, and what else of the request depends on it. */
export interface OneShotBody {
  headers: Readonly<Record<string, string>>;
  init: Pick<RequestInit, "body"> & { duplex?: "half" };
}

/** The service has no idempotency key, so a POST must not be sent again below the SDK: see `oneShotBodyForm`. */
export function oneShotBody(text: string): OneShotBody {
  const form = oneShotBodyForm();
  if (form !== "stream") return { headers: {}, init: { body: form === "blob" ? new Blob([text]) : text } };
  const bytes = utf8.encode(text);
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
  // With a stated length the body is not sent in chunks, which some gateways refuse.
  return { headers: { "Content-Length": String(bytes.byteLength) }, init: { body, duplex: "half" } };
}
