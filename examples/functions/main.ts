/**
 * Runs the functions on a port. `order.ts` runs in a process of its own that ends after the response, as a function does.
 *
 * In one shell, start the service and the relay:
 *
 *     npx async-music emulator --api-key emu_demo
 *     export ASYNC_MUSIC_BASE_URL=http://127.0.0.1:4010 ASYNC_MUSIC_API_KEY=emu_demo
 *     export ASYNC_MUSIC_WEBHOOK_SECRET=whsec_$(openssl rand -base64 32)
 *     npx node examples/functions/main.ts &
 *     npx async-music relay --journal songs.journal --webhook http://127.0.0.1:3000/webhook
 *
 * Then: `curl localhost:3000/songs -d '{ "order": "order-1", "description": "rain in Lisbon" }'`, and open
 * http://localhost:3000/songs/order-1 in a browser.
 */

import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { type Ends, receiveEnd } from "./delivery.ts";
import { showSong } from "./page.ts";

const { PORT = "3000", ASYNC_MUSIC_WEBHOOK_SECRET: secret = "" } = process.env;
const ends: Ends = new Map();

/** Runs the function that orders a song. */
async function order(body: string): Promise<Response> {
  const child = spawn(process.execPath, [fileURLToPath(new URL("run-order.ts", import.meta.url))], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.end(body);
  const [status = "500", json = ""] = (await text(child.stdout)).split("\n");
  return new Response(json, { status: Number(status), headers: { "Content-Type": "application/json" } });
}

async function respond(method: string, path: string, headers: Headers, body: string): Promise<Response> {
  const request = new Request(`http://localhost${path}`, {
    method,
    headers,
    ...(method === "POST" && { body }),
  });
  if (method === "POST" && path === "/songs") return order(body);
  if (method === "POST" && path === "/webhook") return receiveEnd(ends, secret, request);
  const [, name] = /^\/songs\/([^/?]+)$/.exec(path) ?? [];
  return name === undefined
    ? new Response("not found", { status: 404 })
    : showSong(ends, decodeURIComponent(name));
}

const server = createServer(async (request, response) => {
  const { method = "GET", url = "/", headers } = request;
  const given = new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  const result = await respond(method, url, given, await text(request)).catch((error: unknown) => {
    console.error(error);
    return new Response("internal error", { status: 500 });
  });
  response.writeHead(result.status, Object.fromEntries(result.headers)).end(await result.text());
});
server.listen(Number(PORT), () => console.log(`Listening on port ${Object(server.address()).port}`));
