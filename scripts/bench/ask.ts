import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** Connections that ask at once, each again as soon as it has its answer. */
const CONNECTIONS = 16;

/**
 * Asks a server the same for so long, and answers how often it did in a second. The requests are bytes that are made
 * once, so that the server has more to do than who asks.
 */
export async function askFor(ms: number, url: string, request: string): Promise<number> {
  const { hostname, port } = new URL(url);
  const until = performance.now() + ms;
  const began = performance.now();
  const counts = await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const socket = connect(Number(port), hostname);
      await once(socket, "connect");
      let count = 0;
      for (; performance.now() < until; count++) await exchange(socket, request);
      socket.destroy();
      return count;
    }),
  );
  return (counts.reduce((sum, count) => sum + count, 0) * 1000) / (performance.now() - began);
}

/** A request as bytes, with the headers that both servers are sent. */
export function rawRequest(method: string, path: string, apiKey: string, body?: unknown): string {
  const text = body === undefined ? "" : JSON.stringify(body);
  const headers = {
    Host: "localhost",
    "x-api-key": apiKey,
    ...(body !== undefined && { "Content-Type": "application/json", "Content-Length": text.length }),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${text}`;
}

function exchange(socket: Socket, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const onData = (chunk: Buffer) => {
      answer += chunk.toString("latin1");
      const head = answer.indexOf("\r\n\r\n");
      const [, length] = /content-length: (\d+)/i.exec(answer) ?? [];
      if (head === -1 || answer.length < head + 4 + Number(length)) return;
      socket.off("data", onData);
      if (/^HTTP\/1\.1 20[02] /.test(answer)) resolve(answer);
      else reject(new Error(`Expected a success, got ${answer}`));
    };
    socket.on("data", onData);
    socket.write(request);
  });
}
