import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { type Delivery, type Exchange, LARGEST_BODY_BYTES, type Site } from "../api/exchange.js";
import type { Origins } from "../api/origins.js";
import { carryOut } from "../api/pipeline.js";
import { attend } from "../mounts/attend.js";
import { joinChunks } from "../mounts/read-body.js";
import type { World } from "../state/world.js";

/** What a Node server does with each request to one of the emulator's sites. */
export function createListener(
  world: World,
  site: Site,
  origins: () => Origins | undefined,
): RequestListener {
  return async (request, response) => {
    const here = origins();
    if (here === undefined || world.closing.aborted) {
      request.socket.destroy();
      return;
    }
    try {
      await attend(world, async (arrival) => {
        send(request, response, await carry(world, request, { site, origins: here, arrival }));
      });
    } catch (error) {
      const hasEnded = request.socket.destroyed || world.closing.aborted;
      request.socket.destroy();
      // Anything but a connection that ended is a fault of the emulator's own, and must be seen.
      if (!hasEnded) throw error;
    }
  };
}

async function carry(
  world: World,
  request: IncomingMessage,
  place: Pick<Exchange, "site" | "origins" | "arrival">,
): Promise<Delivery> {
  const { method = "GET", url = "/" } = request;
  const body = method === "GET" || method === "HEAD" ? null : await readBody(request);
  const hasLeft = () => request.socket.destroyed;
  return carryOut(world, { ...place, method, path: pathOf(url), headers: headersOf(request), body, hasLeft });
}

function send(request: IncomingMessage, response: ServerResponse, delivery: Delivery): void {
  if (delivery.kind === "stall") return;
  if (delivery.kind === "disconnect") {
    request.socket.destroy();
    return;
  }
  const { answer, breaksAfterBytes } = delivery;
  response.writeHead(answer.status, answer.headers);
  if (breaksAfterBytes === null) {
    response.end(answer.body);
    return;
  }
  response.write(answer.body.subarray(0, breaksAfterBytes), () => request.socket.destroy());
}

function headersOf(request: IncomingMessage): Exchange["headers"] {
  const { headers } = request;
  return {
    get(name) {
      const value = headers[name.toLowerCase()];
      return value === undefined ? null : String(value);
    },
  };
}

/** The path of a request's target, in whichever form it came. */
function pathOf(target: string): string {
  const [path = ""] = (target.startsWith("/") ? target : target.replace(/^[a-z]+:\/\/[^/?#]*/i, "")).split(
    /[?#]/,
    1,
  );
  return path === "" ? "/" : path;
}

/** The body of a request, of which no more is kept than is allowed to come in. */
async function readBody(request: IncomingMessage): Promise<Uint8Array | "too_large"> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.byteLength;
    if (bytes <= LARGEST_BODY_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  }
  return bytes > LARGEST_BODY_BYTES ? "too_large" : joinChunks(chunks, bytes);
}
