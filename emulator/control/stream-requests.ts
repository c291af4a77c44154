import type { LoggedRequest, LogReader } from "../core/audit.js";
import type { Core } from "../core/core.js";

/**
 * What is written for one reader before it reads on: this many events and, of long paths, about this many characters.
 * All others stay where they are, in the log that every reader shares.
 */
const MOST_CHUNK_EVENTS = 100;
const MOST_CHUNK_LENGTH = 32 * 1024;

/** A comment: some proxies hold a response back until its first byte. */
const NOTHING_YET = ":\n\n";

const encoder = new TextEncoder();

/**
 * The request log as server-sent events, first those of the past. A slow reader costs no memory but its position in the
 * log. The stream ends when its reader leaves, when the log has dropped an event that it has not read, when the state
 * is replaced before it has read the old log, and with the emulator.
 */
export function streamRequests({
  state,
  logReaders,
  closing,
}: Core): ReadableStream<Uint8Array<ArrayBuffer>> {
  let log: readonly LoggedRequest[] = state.requests;
  let length = log.length;
  let position = 0;
  let wantsMore = false;
  let leave = () => {};

  return new ReadableStream(
    {
      start(controller) {
        const end = () => {
          leave();
          controller.close();
        };
        const read: LogReader = (_request, _body, current) => {
          if (current === log) {
            position -= length + 1 - current.length;
          } else {
            if (position < length) return end();
            log = current;
            position = current.length - 1;
          }
          length = current.length;
          if (position < 0) end();
          else if (wantsMore) send(controller);
        };
        logReaders.add(read);
        leave = () => {
          logReaders.delete(read);
          closing.removeEventListener("abort", end);
        };
        closing.addEventListener("abort", end);
        if (length === 0) controller.enqueue(encoder.encode(NOTHING_YET));
      },
      pull(controller) {
        wantsMore = true;
        if (position < length) send(controller);
      },
      cancel: () => leave(),
    },
    { highWaterMark: 1 },
  );

  function send(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): void {
    wantsMore = false;
    let text = "";
    const end = Math.min(position + MOST_CHUNK_EVENTS, length);
    while (position < end && text.length < MOST_CHUNK_LENGTH) {
      const request = log[position++];
      text += `data: ${JSON.stringify(request)}\n\n`;
    }
    controller.enqueue(encoder.encode(text));
  }
}
