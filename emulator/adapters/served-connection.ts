import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** When so many requests of a connection wait, no more are read from it, except for the rest of the last piece. */
const MOST_WAITING = 16;

type Handle = (connection: ServedConnection, request: IncomingMessage, response: ServerResponse) => void;

/**
 * Handles the pipelined requests of a connection one after the other: each when the response before it has been sent. A
 * client that sends requests and does not read their responses then costs the memory of one response.
 */
export class ServedConnection {
  readonly #socket: Socket;
  readonly #handle: Handle;
  readonly #waiting: (() => void)[] = [];
  #isBusy = false;
  #lastResponse: ServerResponse | undefined;

  constructor(socket: Socket, handle: Handle) {
    this.#socket = socket;
    this.#handle = handle;
    // Node resumes a paused connection whenever a request on it has been read.
    socket.on("resume", () => this.#pauseIfFull());
  }

  /** Whether the client's address is a loopback address, or the same as the server's. */
  get isLocal(): boolean {
    const { remoteAddress, localAddress } = this.#socket;
    const address = remoteAddress?.replace(/^::ffff:/i, "") ?? "";
    return /^127\.|^::1$/.test(address) || (address !== "" && remoteAddress === localAddress);
  }

  take(request: IncomingMessage, response: ServerResponse): void {
    this.#lastResponse = response;
    if (this.#isBusy) {
      this.#waiting.push(() => this.#start(request, response));
      this.#pauseIfFull();
    } else {
      this.#start(request, response);
    }
  }

  /** Calls back when an earlier request that arrived completely has its response. */
  afterLastResponse(callback: () => void): void {
    const previous = this.#lastResponse;
    if (previous?.req.complete && !previous.writableFinished) previous.once("close", callback);
    else callback();
  }

  #start(request: IncomingMessage, response: ServerResponse): void {
    this.#isBusy = true;
    response.on("close", () => this.#startNext());
    this.#handle(this, request, response);
  }

  #startNext(): void {
    this.#isBusy = false;
    // Requests that still wait when the connection has ended have no effect, as if they had not arrived.
    if (this.#socket.destroyed) return;
    const start = this.#waiting.shift();
    start?.();
    if (this.#waiting.length < MOST_WAITING) this.#socket.resume();
  }

  /** Below the limit a connection is not paused, since a paused one does not report that its client has left. */
  #pauseIfFull(): void {
    if (this.#waiting.length >= MOST_WAITING) this.#socket.pause();
  }
}
