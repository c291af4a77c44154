import type { Account } from "../core/accounts.js";
import { type Core, isRequestOf } from "../core/core.js";
import type { LoggedRequest, LogReader } from "../core/log/audit.js";
import type { HttpResponse } from "../http/messages.js";

/** A chunk has at most this many events, and ends after about this many characters. All readers share the log. */
const MOST_CHUNK_EVENTS = 100;
const MOST_CHUNK_LENGTH = 32 * 1024;

/** An empty comment, since some proxies forward a response only from its first byte on. */
const EMPTY_COMMENT = ":\n\n";

const encoder = new TextEncoder();

export function eventStream(stream: ReadableStream<Uint8Array<ArrayBuffer>>): HttpResponse {
  const headers = { "Content-Type": "text/event-stream", "Cache-Control": "no-store" };
  return { status: 200, headers, body: "", stream, errorCode: null };
}

/**
 * The request log as server-sent events, past requests first. A slow reader needs no memory except for its position in the
 * log. The stream ends when it is canceled, when the log drops an entry that is not sent yet, when the state is replaced
 * before the old log is sent, and when the emulator is disposed.
 *
 * @param account - sends only its requests; `null` for those of all accounts
 */
export function streamRequests(
  core: Core,
  account: Account | null,
  toJson: (request: LoggedRequest, later: number) => unknown = (request) => request,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { state, logReaders, closeListeners } = core;
  let log: readonly LoggedRequest[] = state.requests;
  let length = log.length;
  let position = 0;
  let isPulled = false;
  let unsubscribe = () => {};

  return new ReadableStream(
    {
      start(controller) {
        const end = () => {
          unsubscribe();
          controller.close();
        };
        const read: LogReader = (_request, _body, current) => {
          if (current === log) {
            // The log may have dropped its oldest entries.
            position -= length + 1 - current.length;
          } else {
            if (position < length) return end();
            log = current;
            position = current.length - 1;
          }
          length = current.length;
          if (position < 0) end();
          else if (isPulled) send(controller);
        };
        logReaders.add(read);
        unsubscribe = () => {
          logReaders.delete(read);
          closeListeners.delete(end);
        };
        closeListeners.add(end);
        if (length === 0 || account !== null) controller.enqueue(encoder.encode(EMPTY_COMMENT));
      },
      pull(controller) {
        isPulled = true;
        if (position < length) send(controller);
      },
      cancel: () => unsubscribe(),
    },
    { highWaterMark: 1 },
  );

  function send(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): void {
    let events = 0;
    let text = "";
    while (position < length && events < MOST_CHUNK_EVENTS && text.length < MOST_CHUNK_LENGTH) {
      const request = log[position++];
      if (request === undefined || !isRequestOf(core, account, request)) continue;
      text += `data: ${JSON.stringify(toJson(request, length - position))}\n\n`;
      events++;
    }
    isPulled = text === "";
    if (!isPulled) controller.enqueue(encoder.encode(text));
  }
}
