import { createServer, type IncomingMessage, type RequestListener, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { type Duplex, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeStream } from "node:stream/web";
import {
  bytesOf,
  completeResponse,
  errorResponse,
  type HttpOutcome,
  type HttpRequest,
  type HttpResponse,
  type Origins,
  type RequestTarget,
  sentRequestId,
} from "../http/messages.js";
import { handleRequest, registerArrival } from "../http/pipeline.js";
import type { Service } from "../http/service.js";
import { stall } from "../http/stages/fault.js";
import type { ServiceClock } from "../time/clock.js";
import { afterRealMs, nextTurn } from "../time/event-loop.js";
import { Turns } from "./turns.js";

export interface ServedSite {
  readonly service: Service;
  readonly site: RequestTarget["site"];
  /** The host names that open the control plane to other machines. */
  readonly allowedHosts: readonly string[];
  /** Responds with a file of the dashboard, or `null` if there is none at the path. */
  readonly dashboard: ((method: string, path: string) => Promise<HttpResponse | null>) | null;
  readonly addresses: Addresses;
}

export interface Addresses {
  /** `null` until every site listens. */
  origins: Origins | null;
  /** Whether URLs in responses have the name in any `Host`, not only those of `allowedHosts`. */
  readonly followHost: boolean;
}

/**
 * Requests without `Host` get the service's response, not Node's. Connections stay open for longer than clients reuse
 * them: if one ended just as a request is sent, the outcome would be unknown.
 */
const SERVER_OPTIONS = { requireHostHeader: false, keepAliveTimeout: 120_000 };

/** @param sockets - Receives the open connections. Node's `closeAllConnections` omits those of `CONNECT`. */
export function createSiteServer(served: ServedSite, sockets: Set<Socket>) {
  const { clock } = served.service.core;
  const lastResponses = new WeakMap<object, ServerResponse>();
  const turns = new Turns((request, response) => void serveRequest(served, request, response));
  const listener: RequestListener = (request, response) => {
    lastResponses.set(request.socket, response);
    turns.take(request, response);
  };
  const server = createServer(SERVER_OPTIONS, listener);
  server.on("checkExpectation", listener);
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    turns.watch(socket);
    // A request follows each connection, and virtual time must not advance in between.
    clock.activity.touch();
  });
  // For `CONNECT`, Node passes a socket instead of a response. The request gets a response, and the connection ends.
  server.on("connect", (request: IncomingMessage, socket: Duplex) => {
    if (!(socket instanceof Socket)) return;
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once("finish", () => socket.end());
    socket.on("error", () => socket.destroy());
    listener(request, response);
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const previous = lastResponses.get(socket);
    if (error.code === "ECONNRESET" || !socket.writable) socket.destroy();
    // An earlier request on the connection that arrived completely gets its response first.
    else if (previous?.req.complete && !previous.writableFinished)
      previous.once("close", () => refuseInvalidHttp(socket));
    else refuseInvalidHttp(socket);
  });
  return server;
}

function refuseInvalidHttp(socket: Duplex): void {
  if (!socket.writable) return;
  const message = "The request is not valid HTTP.";
  const { headers, body } = completeResponse(
    errorResponse(400, "invalid_request_body", message),
    crypto.randomUUID(),
  );
  const lines = Object.entries({ ...headers, Connection: "close" }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  socket.end(`HTTP/1.1 400 Bad Request\r\n${lines.join("")}\r\n${body}`);
}

/** The longest wait for a client that does not read a file or does not stop sending, in real milliseconds. */
const SLOW_CLIENT_MS = 250;

/** What follows a `CONNECT` is no longer HTTP. */
const BODILESS_METHODS = ["GET", "HEAD", "CONNECT"];

async function serveRequest(
  served: ServedSite,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { service, site, dashboard, addresses, allowedHosts } = served;
  const { core } = service;
  const { method = "GET", socket } = request;
  // The target may be a whole URL.
  const [, path, query = ""] = /^(?:[a-z]+:\/\/[^/?#]*)?([^?#]*)\??([^#]*)/i.exec(request.url ?? "") ?? [];
  const target = { site, path: path || "/", query };
  if (addresses.origins === null || core.closing.aborted) {
    socket.destroy();
    return;
  }
  const own = addresses.origins;
  const origins = originsFor(request.headers.host, own, served);
  try {
    if (dashboard !== null && (target.path === "/" || target.path.startsWith("/dashboard/"))) {
      const page = await dashboard(method, target.path);
      if (page !== null) return send(request, response, page);
    }
    const closed = new Promise<void>((resolve) => response.once("close", resolve));
    const isLocal = isFromThisMachine(socket);
    const controlAccess = { origin: own.service, isLocal, hosts: allowedHosts };
    const isAborted = () => socket.destroyed;
    const head = { ...target, method, headers: headersOf(request), origins, isAborted, controlAccess };
    const arrival = registerArrival(core, head);
    const isBodiless = BODILESS_METHODS.includes(method);
    const body = isBodiless ? null : await readBody(request, arrival.bodyLimit, core.clock);
    let outcome: HttpOutcome;
    // Only now that the body has arrived: an upload that stops halfway must not stop virtual time.
    core.clock.activity.begin();
    try {
      outcome = await handleRequest(service, { ...head, arrival, body });
      const isRead = body !== "too_large" || request.complete;
      if (isRead || typeof outcome === "string") send(request, response, outcome);
      else refuseUnread(request, response, outcome);
      if (isRead && typeof outcome !== "string") await untilSent(outcome, response, closed);
    } finally {
      core.clock.activity.end();
    }
    if (outcome === "stall") {
      await stall(core, (reset) => Promise.race([closed, reset]));
      socket.destroy();
    }
  } catch (error) {
    // Only an ended connection is not a defect of the emulator.
    if (socket.destroyed || core.closing.aborted) socket.destroy();
    else reportDefect(error, request, response);
  }
}

/** Whether the client's address is a loopback address, or the same as the server's. */
function isFromThisMachine({ remoteAddress, localAddress }: Socket): boolean {
  const address = remoteAddress?.replace(/^::ffff:/i, "") ?? "";
  return /^127\.|^::1$/.test(address) || (address !== "" && remoteAddress === localAddress);
}

/** How many hosts are kept. Anyone who can send requests chooses their `Host`. */
const MOST_HOSTS = 100;

/** The origins by the `Host` of a request: most requests have the same one. */
const originsByHost = new WeakMap<Origins, Map<string, Origins>>();

/** The origins under the host name of a request, such as a container's. The providers' port is their own. */
function originsFor(host: string | undefined, own: Origins, served: ServedSite): Origins {
  if (host === undefined) return own;
  const known = originsByHost.get(own) ?? new Map<string, Origins>();
  if (known.size === 0) originsByHost.set(own, known);
  const origins = known.get(host) ?? originsUnder(host, own, served);
  if (known.size < MOST_HOSTS) known.set(host, origins);
  return origins;
}

function originsUnder(host: string, own: Origins, { addresses, allowedHosts }: ServedSite): Origins {
  // A `Host` of anything but a name and a port is ignored.
  if (!URL.canParse(`http://${host}`) || /[/?#@\\\s]/.test(host)) return own;
  const { origin, hostname } = new URL(`http://${host}`);
  if (!addresses.followHost && !allowedHosts.includes(hostname)) return own;
  const provider = new URL(own.providers.provider_a);
  provider.hostname = hostname;
  return { service: origin, providers: { provider_a: provider.origin, provider_b: provider.origin } };
}

function headersOf({ headers }: IncomingMessage): HttpRequest["headers"] {
  return {
    get: (name) => headers[name.toLowerCase()]?.toString() ?? null,
    entries: () =>
      new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)])).entries(),
  };
}

/** Reads a body to its end, but keeps no more of it than the limit. With a limit of 0 it does not wait for the end. */
function readBody(
  request: IncomingMessage,
  limit: number,
  clock: ServiceClock,
): Promise<HttpRequest["body"]> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  clock.activity.touch();
  return new Promise((resolve, reject) => {
    if (limit === 0 && Number(request.headers["content-length"]) > 0) resolve("too_large");
    request.on("data", (chunk: Uint8Array) => {
      clock.activity.touch();
      bytes += chunk.byteLength;
      if (bytes <= limit) chunks.push(chunk);
      else chunks.length = 0;
      if (limit === 0) resolve("too_large");
    });
    request.on("end", () => resolve(bytes > limit ? "too_large" : Buffer.concat(chunks)));
    request.on("close", () => {
      if (!request.readableEnded) reject(new Error("The connection ended before the whole body arrived."));
    });
  });
}

/**
 * Responds before a body has arrived, and ends the connection. What still arrives is discarded for a while: a client that
 * is still sending would otherwise see its connection reset instead of the response.
 */
function refuseUnread(request: IncomingMessage, response: ServerResponse, refusal: HttpResponse): void {
  response.writeHead(refusal.status, { ...refusal.headers, Connection: "close" });
  response.write(refusal.body);
  const end = () => void response.end();
  const cancel = afterRealMs(SLOW_CLIENT_MS, end);
  request.once("close", () => {
    cancel();
    end();
  });
}

function send(request: IncomingMessage, response: ServerResponse, outcome: HttpOutcome): void {
  if (outcome === "stall") return;
  if (outcome === "disconnect") {
    request.socket.destroy();
    return;
  }
  const { body, stream, breaksAfterBytes } = outcome;
  response.writeHead(outcome.status, outcome.headers);
  if (stream !== undefined) {
    response.flushHeaders();
    // Ends the stream when the client disconnects, and rejects then, too.
    pipeline(Readable.fromWeb(stream as NodeStream), response).catch((error) => {
      if (!response.destroyed) reportDefect(error, request, response);
    });
  } else if (breaksAfterBytes !== undefined) {
    response.write(bytesOf(body).subarray(0, breaksAfterBytes), () => request.socket.destroy());
  } else {
    // After all requests that have arrived: their responses then reach the client together.
    nextTurn(() => response.end(body));
  }
}

/** Until a response is sent, its client cannot continue, so virtual time stands still. */
async function untilSent(sent: HttpResponse, response: ServerResponse, closed: Promise<void>): Promise<void> {
  // A stream may never end. Without a socket, the response waits for an earlier one on its connection.
  if (sent.stream !== undefined || response.socket === null) return;
  if (typeof sent.body === "string") return closed;
  let cancel = () => {};
  const slow = new Promise<void>((resolve) => {
    cancel = afterRealMs(SLOW_CLIENT_MS, resolve);
  });
  return Promise.race([closed, slow]).finally(cancel);
}

/** Prints the error and responds with 500, so that a defect is visible and does not end the process. */
function reportDefect(error: unknown, request: IncomingMessage, response: ServerResponse): void {
  const id = sentRequestId({ headers: headersOf(request) }) ?? crypto.randomUUID();
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  console.error(`async-music: Internal error of the emulator on request ${id}: ${reason}`);
  if (response.headersSent) {
    request.socket.destroy();
    return;
  }
  const message =
    "Internal error of the emulator; your request did not cause it. The stack trace is on stderr.";
  send(request, response, completeResponse(errorResponse(500, "internal_error", message), id));
}
