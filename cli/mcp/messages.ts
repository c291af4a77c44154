import { LONGEST_MESSAGE_BYTES, limitLines } from "./limit-lines.js";

/** Error codes of JSON-RPC 2.0. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/** Receives the response to a message that was not read. */
type Refuse = (response: string) => void;

/**
 * The messages of a stream that `isMessage` accepts, each as a line of JSON. All others are refused, except blank lines and
 * responses with an error. A line has one message, or a batch of them, as version 2025-03-26 of the protocol demands.
 */
export async function* readMessages(
  chunks: AsyncIterable<string | Uint8Array>,
  isMessage: (document: unknown) => boolean,
  refuse: Refuse,
): AsyncGenerator<Buffer> {
  const reject = (id: string | number | null, code: number, reason: string) => {
    const message = `${reason} It was not read, and nothing was sent or charged.`;
    refuse(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } }));
  };
  const lines = limitLines(chunks, (id) =>
    reject(id, INVALID_REQUEST, `The message is longer than ${LONGEST_MESSAGE_BYTES} bytes.`),
  );
  for await (const line of lines) {
    const text = String(line).trim();
    if (text === "") continue;
    let document: unknown;
    try {
      document = JSON.parse(text);
    } catch {
      reject(null, PARSE_ERROR, "The message is not JSON.");
      continue;
    }
    const messages: unknown[] = Array.isArray(document) && document.length > 0 ? document : [document];
    for (const message of messages) {
      // A response is never refused: two peers would refuse the refusals of each other without end.
      const written = isMessage(message) ? jsonOf(message) : null;
      if (written !== null) yield Buffer.from(`${written}\n`);
      else if (!Object.hasOwn(Object(message), "error"))
        reject(idOf(message), INVALID_REQUEST, "The message is not a request, notification or response.");
    }
  }
}

/** `null` for a message that is nested too deeply: it can be read, but not written. */
function jsonOf(message: unknown): string | null {
  try {
    return JSON.stringify(message);
  } catch {
    return null;
  }
}

function idOf(message: unknown): string | number | null {
  const { id }: { id?: unknown } = Object(message);
  return typeof id === "string" || typeof id === "number" ? id : null;
}
