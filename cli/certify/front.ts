import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";

type Fetch = typeof globalThis.fetch;

/** A server of this machine that hands each request to a `fetch`. */
export interface Front {
  readonly origin: string;
  /** Ends every connection. */
  close(): Promise<void>;
}

/**
 * Listens on a free port.
 *
 * @param respond - Is called with the URL at the port. A rejection breaks the connection.
 */
export async function listen(respond: Fetch): Promise<Front> {
  const server = createServer((incoming, outgoing) => {
    serve(respond, origin, incoming, outgoing).catch(() => incoming.socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
  return { origin, close };
}

async function serve(
  respond: Fetch,
  origin: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const { method = "GET", url = "/", rawHeaders } = incoming;
  const leaving = new AbortController();
  outgoing.once("close", () => leaving.abort());
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] ?? "", rawHeaders[index + 1] ?? "");
  const body = chunks.length === 0 ? null : Buffer.concat(chunks);
  const { signal } = leaving;
  const response = await respond(new URL(url, origin).href, { method, headers, body, signal });
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) outgoing.end();
  else await pipeline(Readable.fromWeb(response.body as ReadableStream), outgoing);
}
