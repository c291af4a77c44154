import { once } from "node:events";
import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";

/** A question to a server, the same every time. */
export interface Question {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** Asks a server on one connection, and resolves when the whole answer is there. */
type Ask = () => Promise<void>;

/** Makes what asks on a connection of its own. */
export type Client = (url: string, question: Question) => Promise<Ask & Disposable>;

/** Connections that ask at once, each again as soon as it has its answer. */
const CONNECTIONS = 16;

/** Asks for so long, and answers how often it got an answer in a second. */
export async function askFor(ms: number, client: Client, url: string, question: Question): Promise<number> {
  const began = performance.now();
  const counts = await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      using ask = await client(url, question);
      let count = 0;
      for (; performance.now() - began < ms; count++) await ask();
      return count;
    }),
  );
  return (counts.reduce((sum, count) => sum + count, 0) * 1000) / (performance.now() - began);
}

/** Node's own client, as applications have it. */
export const nodeClient: Client = async (url, { method, path, headers, body }) => {
  const agent = new Agent({ keepAlive: true });
  const ask = () =>
    new Promise<void>((resolve, reject) => {
      const sent = request(new URL(path, url), { agent, method, headers }, (answer) => {
        let text = "";
        answer.setEncoding("utf8");
        answer.on("data", (chunk) => {
          text += chunk;
        });
        answer.on("end", () => {
          if (JSON.parse(text).code < 300) resolve();
          else reject(new Error(`Expected a success, got ${text}`));
        });
      });
      sent.on("error", reject);
      sent.end(body);
    });
  return Object.assign(ask, { [Symbol.dispose]: () => agent.destroy() });
};

/** Bytes that are made once: it costs so little that the server alone is measured. */
export const bytesClient: Client = async (url, { method, path, headers, body }) => {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  const lines = Object.entries({ Host: "localhost", ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const bytes = `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
  return Object.assign(() => exchange(socket, bytes), { [Symbol.dispose]: () => socket.destroy() });
};

function exchange(socket: Socket, bytes: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const onData = (chunk: Buffer) => {
      answer += chunk.toString("latin1");
      const head = answer.indexOf("\r\n\r\n");
      const [, length] = /content-length: (\d+)/i.exec(answer) ?? [];
      if (head === -1 || answer.length < head + 4 + Number(length)) return;
      socket.off("data", onData);
      if (/^HTTP\/1\.1 20[02] /.test(answer)) resolve();
      else reject(new Error(`Expected a success, got ${answer}`));
    };
    socket.on("data", onData);
    socket.write(bytes);
  });
}
