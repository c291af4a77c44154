/** A minimal Node server. It reads the request to its end, and returns JSON that differs in the task ID only. */

import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { createBodies, createHeaders, type ServiceResponse } from "./responses.ts";

const self = fileURLToPath(import.meta.url);

if (process.argv[1] === self) process.send?.(await listen(JSON.parse(process.argv[2] ?? "")));

/** Starts the server in a separate process. */
export async function startBareServer(recorded: ServiceResponse): Promise<{ url: string } & Disposable> {
  const child = fork(self, [JSON.stringify(recorded)]);
  const [url] = await once(child, "message");
  return { url, [Symbol.dispose]: () => void child.kill() };
}

async function listen(recorded: ServiceResponse): Promise<string> {
  const bodyOf = createBodies(recorded);
  const headersOf = createHeaders();
  const server = createServer(async (request, response) => {
    if (request.method === "POST") for await (const _ of request);
    const body = bodyOf(request.url ?? "/");
    const headers = { ...headersOf(), "Content-Length": Buffer.byteLength(body) };
    response.writeHead(recorded.status, headers).end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
