import type { IncomingMessage, ServerResponse } from "node:http";
import { HEADERS, isSafeRequestId } from "../../../src/contract/wire.js";
import { errorAnswer } from "../../http/refusal.js";

/**
 * Answers a request on which the emulator itself broke down, and tells whoever runs it: a fault of ours must be seen,
 * and must not take everybody else's service away.
 */
export function answerFault(
  fault: unknown,
  { headers, socket }: IncomingMessage,
  response: ServerResponse,
): void {
  const asked = headers[HEADERS.requestId.toLowerCase()];
  const requestId = typeof asked === "string" && isSafeRequestId(asked) ? asked : crypto.randomUUID();
  const reason = fault instanceof Error ? (fault.stack ?? fault.message) : String(fault);
  console.error(`async-music: The emulator failed to answer the request ${requestId}: ${reason}`);
  if (response.headersSent) {
    socket.destroy();
    return;
  }
  const message = "The emulator failed to answer: this is a fault of its own, which its stderr tells";
  const { status, headers: answered, body } = errorAnswer(500, "internal_error", message);
  response
    .writeHead(status, { ...answered, [HEADERS.requestId]: requestId, "X-Emulator": "async-music" })
    .end(body);
}
