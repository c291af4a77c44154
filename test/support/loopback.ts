import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Server as NetServer } from "node:net";
import { onTestFinished } from "vitest";

export interface Arrival {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
}

/** Handles the n-th request of a server, counted from 0. */
export type Treatment = (response: ServerResponse, request: Arrival, index: number) => void;

export interface Loopback {
  url: string;
  arrivals: Arrival[];
  /** The number of opened connections, with or without a request. */
  connections: () => number;
  close(): Promise<void>;
}

/** Starts a real server on a free port of this machine, and closes it after the test. */
export async function listen(treat: Treatment): Promise<Loopback> {
  const arrivals: Arrival[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const { method = "", url: path = "", headers } = request;
      const arrival = { method, path, headers, body: Buffer.concat(pieces).toString() };
      arrivals.push(arrival);
      treat(response, arrival, arrivals.length - 1);
    });
  });
  server.on("connection", () => connections++);
  return { ...(await listenOn(server)), arrivals, connections: () => connections };
}

/** Lets a server listen on a free port of this machine, and closes it after the test. */
export async function listenOn(server: Server): Promise<Pick<Loopback, "url" | "close">> {
  const port = await portOf(server);
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(close);
  return { url: `http://127.0.0.1:${port}`, close };
}

/** The free port of this machine on which a server listens until the end of the test. */
export async function portOf(server: NetServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** Responds to every request with this status and JSON. */
export function replying(
  ...response: [status: number, body: unknown, headers?: Record<string, string>]
): Treatment {
  return (to) => reply(to, ...response);
}

/** Writes bytes in response to every request, then cuts the connection. */
export function cutting(bytes: string): Treatment {
  return (to) => cutAfter(to, bytes);
}

export function reply(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  response.writeHead(status, { "Content-Type": "application/json", ...headers });
  response.end(text);
}

export function cutAfter(response: ServerResponse, bytes: string): void {
  const { socket } = response;
  if (bytes === "") socket?.destroy();
  else socket?.write(bytes, () => socket.destroy());
}
