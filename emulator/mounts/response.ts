import { BODILESS_STATUSES, bytesOf } from "../api/answers.js";
import type { Answer, Delivery } from "../api/exchange.js";

/** An answer as `fetch` would give it. */
export function toResponse(
  { answer, breaksAfterBytes }: Extract<Delivery, { kind: "answer" }>,
  { url, signal }: Pick<Request, "url" | "signal">,
): Response {
  const { status, headers, body, live } = answer;
  const stream = live ?? (breaksAfterBytes === null ? fileOf(body) : undefined);
  // Who goes away aborts the request, or cancels the body: either ends the stream.
  const content =
    stream?.pipeThrough(new TransformStream(), { signal }) ?? bodyOf(status, body, breaksAfterBytes);
  const response = new Response(content, { status, headers });
  Object.defineProperty(response, "url", { value: url });
  return response;
}

/** What is read for a while, and may be left meanwhile. Its reader may do with it whatever it likes: it is a copy. */
function fileOf(body: Answer["body"]): ReadableStream<Uint8Array<ArrayBuffer>> | undefined {
  if (typeof body === "string") return undefined;
  let sent = false;
  const pull = (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) => {
    if (sent) controller.close();
    else controller.enqueue(body.slice());
    sent = true;
  };
  // It does not end before it was read.
  return new ReadableStream({ pull }, { highWaterMark: 0 });
}

function bodyOf(status: number, body: Answer["body"], breaksAfterBytes: number | null): BodyInit | null {
  if (breaksAfterBytes !== null) return breakingBody(bytesOf(body).slice(0, breaksAfterBytes));
  return body.length === 0 || BODILESS_STATUSES.includes(status) ? null : body;
}

/** A body of which only the beginning arrives. */
function breakingBody(beginning: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array> {
  let sent = false;
  return new ReadableStream({
    pull(controller) {
      if (sent) controller.error(new TypeError("terminated"));
      else controller.enqueue(beginning);
      sent = true;
    },
  });
}
