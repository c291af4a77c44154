import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** When so many requests of a connection wait, no more are read from it, except for the rest of the last piece. */
const MOST_WAITING = 16;

/**
 * Handles the pipelined requests of each connection one after the other: each when the response before it has been sent.
 * A client that sends requests and does not read their responses then costs the memory of one response.
 */
export class Turns {
  readonly #handle: (request: IncomingMessage, response: ServerResponse) => void;
  /** The waiting requests of each connection that handles one. */
  readonly #waiting = new WeakMap<Socket, (() => void)[]>();

  constructor(handle: (request: IncomingMessage, response: ServerResponse) => void) {
    this.#handle = handle;
  }

  /** Must be called for each new connection. Node resumes a paused one whenever a request on it has been read. */
  watch(socket: Socket): void {
    socket.on("resume", () => this.#pauseIfFull(socket));
  }

  take(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const start = () => {
      response.once("close", () => this.#startNext(socket));
      this.#handle(request, response);
    };
    const waiting = this.#waiting.get(socket);
    if (waiting === undefined) {
      this.#waiting.set(socket, []);
      start();
    } else {
      waiting.push(start);
      this.#pauseIfFull(socket);
    }
  }

  #startNext(socket: Socket): void {
    // Requests that still wait when the connection has ended have no effect, as if they had not arrived.
    if (socket.destroyed) return;
    const waiting = this.#waiting.get(socket) ?? [];
    const start = waiting.shift();
    if (start === undefined) this.#waiting.delete(socket);
    else start();
    if (waiting.length < MOST_WAITING) socket.resume();
  }

  /** Below the limit a connection is not paused, since a paused one does not report that its client has left. */
  #pauseIfFull(socket: Socket): void {
    const count = this.#waiting.get(socket)?.length ?? 0;
    if (count >= MOST_WAITING) socket.pause();
  }
}
