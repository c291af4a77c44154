import type { LoggedRequest } from "../log/logged-request.js";
import type { World } from "../state/world.js";

/** A reader who is this many events behind is not reading. */
const MOST_UNREAD_EVENTS = 100_000;

/** A comment: some ways to a reader hold an answer back until its first byte. */
const NOTHING_YET = ":\n\n";

const encoder = new TextEncoder();

/** The request log as server-sent events. It ends when its reader leaves, or with the emulator. */
export function streamRequests({
  state,
  logReaders,
  closing,
}: World): ReadableStream<Uint8Array<ArrayBuffer>> {
  let leave = () => {};
  return new ReadableStream(
    {
      start(controller) {
        const stop = logReaders.add((request) => {
          controller.enqueue(eventOf(request));
          if ((controller.desiredSize ?? 0) < -MOST_UNREAD_EVENTS) end();
        });
        const end = () => {
          leave();
          controller.close();
        };
        leave = () => {
          stop();
          closing.removeEventListener("abort", end);
        };
        closing.addEventListener("abort", end);
        const backlog = state.requests.map(textOf).join("");
        controller.enqueue(encoder.encode(backlog === "" ? NOTHING_YET : backlog));
      },
      cancel: () => leave(),
    },
    { highWaterMark: 1 },
  );
}

function eventOf(request: LoggedRequest): Uint8Array<ArrayBuffer> {
  return encoder.encode(textOf(request));
}

function textOf(request: LoggedRequest): string {
  return `data: ${JSON.stringify(request)}\n\n`;
}
