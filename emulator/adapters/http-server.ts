import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { type Duplex, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeStream } from "node:stream/web";
import {
  bytesOf,
  completeResponse,
  errorResponse,
  type HttpResponse,
  type RequestTarget,
  sentRequestId,
} from "../http/messages.js";
import { handleRequest } from "../http/pipeline.js";
import type { Service } from "../http/service.js";
import { stall } from "../http/stall.js";
import { afterRealMs, nextTurn } from "../time/event-loop.js";
import { createDashboard } from "./dashboard-files.js";
import { NodeHeaders, NodeRequest } from "./node-request.js";
import { type Addresses, originsByHost } from "./origins.js";
import { ServedConnection } from "./served-connection.js";

/** Not an `import`, for which Node would load its client (undici) as well: 30 ms of the start. */
const http = process.getBuiltinModule("node:http");

/**
 * Requests without `Host` get the service's response, not Node's. Repeated headers are joined, as in process. Connections
 * stay open for longer than clients reuse them: if one ended just as a request is sent, the outcome would be unknown.
 */
const SERVER_OPTIONS = { requireHostHeader: false, joinDuplicateHeaders: true, keepAliveTimeout: 120_000 };

/** Why Node's parser refused a request. The limit is an option of Node, which applies to the whole process. */
const INVALID_HTTP = "The request is not valid HTTP.";
const LONG_HEADERS =
  `The URL and the headers of the request are longer than the ${http.maxHeaderSize} bytes that Node reads. ` +
  "To raise the limit, start the emulator with NODE_OPTIONS=--max-http-header-size=65536.";

/** The longest wait for a client that does not read a file or does not stop sending, in real milliseconds. */
const SLOW_CLIENT_MS = 250;

/** Serves one site of an emulator: the service with the dashboard, or the providers. */
export class SiteServer {
  readonly server: Server;
  readonly #service: Service;
  readonly #site: RequestTarget["site"];
  readonly #addresses: Addresses;
  readonly #originsUnder: ReturnType<typeof originsByHost>;
  readonly #dashboard: ReturnType<typeof createDashboard> | null;
  /** The open connections. Node's `closeAllConnections` omits those of `CONNECT`. */
  readonly #connections = new Map<Duplex, ServedConnection>();

  constructor(service: Service, site: RequestTarget["site"], addresses: Addresses) {
    this.#service = service;
    this.#site = site;
    this.#addresses = addresses;
    this.#originsUnder = originsByHost(addresses);
    this.#dashboard = site === "service" ? createDashboard() : null;
    const listener: RequestListener = (request, response) =>
      this.#connections.get(request.socket)?.take(request, response);
    this.server = http
      .createServer(SERVER_OPTIONS, listener)
      .on("checkExpectation", listener)
      .on("connection", (socket) => this.#connect(socket))
      .on("connect", (request, socket) => this.#respondToConnect(request, socket, listener))
      .on("clientError", (error, socket) => this.#refuseInvalidHttp(error, socket));
  }

  endConnections(): void {
    for (const socket of this.#connections.keys()) socket.destroy();
  }

  #connect(socket: Socket): void {
    const handle = (connection: ServedConnection, request: IncomingMessage, response: ServerResponse) =>
      void this.#serve(connection, request, response);
    this.#connections.set(socket, new ServedConnection(socket, handle));
    socket.once("close", () => this.#connections.delete(socket));
    // A request follows each connection, and virtual time must not advance in between.
    this.#service.core.clock.activity.touch();
  }

  /** For `CONNECT`, Node passes a socket instead of a response. The request gets a response, and the connection ends. */
  #respondToConnect(request: IncomingMessage, socket: Duplex, listener: RequestListener): void {
    if (!(socket instanceof Socket)) return;
    const response = new http.ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once("finish", () => socket.end());
    socket.on("error", () => socket.destroy());
    listener(request, response);
  }

  #refuseInvalidHttp(error: NodeJS.ErrnoException, socket: Duplex): void {
    if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
    const message = error.code === "HPE_HEADER_OVERFLOW" ? LONG_HEADERS : INVALID_HTTP;
    this.#connections.get(socket)?.afterLastResponse(() => refuseInvalidHttp(socket, message));
  }

  async #serve(
    connection: ServedConnection,
    incoming: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { core } = this.#service;
    const own = this.#addresses.origins;
    if (own === null || core.closing.aborted) return void incoming.socket.destroy();
    try {
      const target = targetOf(this.#site, incoming.url ?? "");
      if (this.#dashboard !== null && isPagePath(target.path)) {
        const { method = "GET", headers } = incoming;
        const acceptsGzip = /\bgzip\b/.test(String(headers["accept-encoding"]));
        const page = await this.#dashboard(method, target.path, acceptsGzip);
        if (page !== null) return send(incoming, response, page);
      }
      const origins = this.#originsUnder(incoming.headers.host, own);
      const request = new NodeRequest(core, target, origins, incoming, connection, this.#addresses);
      if (request.hasBody) await request.readBody(core.clock);
      await this.#respond(request, incoming, response);
    } catch (error) {
      // Only an ended connection is not a defect of the emulator.
      if (incoming.socket.destroyed || core.closing.aborted) incoming.socket.destroy();
      else reportDefect(error, incoming, response);
    }
  }

  /** Must be called when the body has arrived: an upload that stops halfway must not stop virtual time. */
  async #respond(request: NodeRequest, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { core } = this.#service;
    const { activity } = core.clock;
    let end = () => activity.end();
    activity.begin();
    try {
      const outcome = await handleRequest(this.#service, request);
      if (outcome === "stall") {
        end();
        end = () => {};
        await stall(core, (reset) => Promise.race([untilClosed(response), reset]));
        incoming.socket.destroy();
      } else if (outcome === "disconnect") {
        incoming.socket.destroy();
      } else if (!request.isRead) {
        refuseUnread(incoming, response, outcome);
      } else {
        send(incoming, response, outcome);
        afterSent(outcome, response, end);
        end = () => {};
      }
    } finally {
      end();
    }
  }
}

/** The target of a request may be a whole URL. */
function targetOf(site: RequestTarget["site"], url: string): RequestTarget {
  const [, path, query = ""] = /^(?:[a-z]+:\/\/[^/?#]*)?([^?#]*)\??([^#]*)/i.exec(url) ?? [];
  return { site, path: path || "/", query };
}

function isPagePath(path: string): boolean {
  return path === "/" || path.startsWith("/dashboard/");
}

function send(incoming: IncomingMessage, response: ServerResponse, outcome: HttpResponse): void {
  const { status, headers, body, stream, breaksAfterBytes } = outcome;
  response.writeHead(status, headers);
  if (stream !== undefined) {
    response.flushHeaders();
    // Ends the stream when the client disconnects, and rejects then, too.
    pipeline(Readable.fromWeb(stream as NodeStream), response).catch((error) => {
      if (!response.destroyed) reportDefect(error, incoming, response);
    });
  } else if (breaksAfterBytes !== undefined) {
    response.write(bytesOf(body).subarray(0, breaksAfterBytes), () => incoming.socket.destroy());
  } else {
    // ASCII, as most JSON is, is written faster as such.
    const isAscii = typeof body === "string" && headers["Content-Length"] === String(body.length);
    // After all requests that have arrived: their responses then reach the client together.
    nextTurn(() => response.end(body, isAscii ? "latin1" : "utf8"));
  }
}

/**
 * Calls back when a client has the response: until then it cannot continue, and virtual time stands still. A stream may
 * never end. A client may set a file aside. Without a socket, the response waits for an earlier one on its connection.
 */
function afterSent({ stream, body }: HttpResponse, response: ServerResponse, callback: () => void): void {
  if (stream !== undefined || response.closed || response.socket === null) {
    callback();
  } else if (typeof body === "string") {
    response.on("close", callback);
  } else {
    const cancel = afterRealMs(SLOW_CLIENT_MS, () => {
      response.off("close", onClose);
      callback();
    });
    const onClose = () => {
      cancel();
      callback();
    };
    response.on("close", onClose);
  }
}

function untilClosed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.closed) resolve();
    else response.on("close", () => resolve());
  });
}

/**
 * Responds before a body has arrived, and ends the connection. What still arrives is discarded for a while: a client that
 * is still sending would otherwise see its connection reset instead of the response.
 */
function refuseUnread(incoming: IncomingMessage, response: ServerResponse, refusal: HttpResponse): void {
  response.writeHead(refusal.status, { ...refusal.headers, Connection: "close" });
  response.write(refusal.body);
  const end = () => void response.end();
  const cancel = afterRealMs(SLOW_CLIENT_MS, end);
  incoming.once("close", () => {
    cancel();
    end();
  });
}

function refuseInvalidHttp(socket: Duplex, message: string): void {
  if (!socket.writable) return;
  const { headers, body } = completeResponse(
    errorResponse(400, "invalid_request_body", message),
    crypto.randomUUID(),
  );
  const lines = Object.entries({ ...headers, Connection: "close" }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  socket.end(`HTTP/1.1 400 Bad Request\r\n${lines.join("")}\r\n${body}`);
}

/** Prints the error and responds with 500, so that a defect is visible and does not end the process. */
function reportDefect(error: unknown, incoming: IncomingMessage, response: ServerResponse): void {
  const id = sentRequestId({ headers: new NodeHeaders(incoming.headers) }) ?? crypto.randomUUID();
  const reason = String(Object(error).stack ?? error);
  console.error(`async-music: Internal error of the emulator on request ${id}: ${reason}`);
  if (response.headersSent) return void incoming.socket.destroy();
  const message =
    "Internal error of the emulator; your request did not cause it. The stack trace is on stderr.";
  send(incoming, response, completeResponse(errorResponse(500, "internal_error", message), id));
}
