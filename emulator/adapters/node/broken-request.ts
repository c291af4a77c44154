import { type IncomingMessage, type RequestListener, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { jsonAnswer } from "../../http/answers.js";

/**
 * Answers what is not HTTP at all: no route ever sees it, and still it gets the service's error body. What came whole
 * before it on the connection is answered first: else it would seem to be refused, and is carried out.
 */
export function refuseBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  before: ServerResponse | undefined,
): void {
  if (error.code === "ECONNRESET" || !socket.writable) socket.destroy();
  else if (before?.req.complete && !before.writableFinished) before.once("close", () => refuse(socket));
  else refuse(socket);
}

function refuse(socket: Duplex): void {
  if (!socket.writable) return;
  const message = "Failed to read the request: it is not valid HTTP";
  const { headers, body } = jsonAnswer(400, { code: 400, error_code: "invalid_request_body", message });
  const lines = Object.entries({
    ...headers,
    "X-Request-Id": crypto.randomUUID(),
    "X-Emulator": "async-music",
    Connection: "close",
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 400 Bad Request\r\n${lines.join("")}\r\n${body}`);
}

/** Lets a server's listener answer a `CONNECT` like any other request. Node leaves the bare socket, which then ends. */
export function answerTunnels(listener: RequestListener): (request: IncomingMessage, socket: Duplex) => void {
  return (request, socket) => {
    if (!(socket instanceof Socket)) return;
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once("finish", () => socket.end());
    socket.on("error", () => socket.destroy());
    listener(request, response);
  };
}
