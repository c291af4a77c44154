import { BODILESS_STATUSES, bytesOf } from "./answers.js";
import type { Answer, Delivery } from "./exchange.js";

/** An answer as `fetch` would give it. */
export function toResponse(
  { answer, breaksAfterBytes }: Extract<Delivery, { kind: "answer" }>,
  { url, signal }: Pick<Request, "url" | "signal">,
): Response {
  const { status, headers, body, live } = answer;
  // An abort ends the stream, as canceling the body does.
  const stream =
    live?.pipeThrough(new TransformStream(), { signal }) ??
    (breaksAfterBytes === null ? fileOf(body, signal) : undefined);
  const content = stream ?? bodyOf(status, body, breaksAfterBytes);
  const response = new Response(content, { status, headers });
  Object.defineProperty(response, "url", { value: url });
  return response;
}

/**
 * A file, copied when it is read, since its reader may change the bytes. An abort is noticed at the next read: a
 * listener would keep a file that nobody reads as long as the signal.
 */
function fileOf(
  body: Answer["body"],
  signal: AbortSignal,
): ReadableStream<Uint8Array<ArrayBuffer>> | undefined {
  if (typeof body === "string") return undefined;
  let sent = false;
  const pull = (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) => {
    if (signal.aborted) controller.error(signal.reason);
    else if (sent) controller.close();
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
