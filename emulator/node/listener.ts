import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { bytesOf } from "../api/answers.js";
import { type Delivery, type Exchange, LARGEST_BODY_BYTES, type Site } from "../api/exchange.js";
import type { Origins } from "../api/origins.js";
import { carryOut } from "../api/pipeline.js";
import { attend } from "../mounts/attend.js";
import { joinChunks } from "../mounts/read-body.js";
import type { World } from "../state/world.js";

/** Methods of which no body is read: what follows a `CONNECT` is no longer HTTP. */
const BODILESS_METHODS: readonly string[] = ["GET", "HEAD", "CONNECT"];

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
      const isOver = over(response);
      const delivery = await attend(world, async (arrival) => {
        const carried = await carry(world, request, { site, origins: here, arrival });
        send(request, response, carried);
        // Before its last byte is out, the client has nothing to go on with.
        if (carried.kind === "answer") await isOver;
        return carried;
      });
      if (delivery.kind === "stall") await stall(world, isOver);
    } catch (error) {
      const hasEnded = request.socket.destroyed || world.closing.aborted;
      request.socket.destroy();
      // Anything but a connection that ended is a fault of the emulator's own, and must be seen.
      if (!hasEnded) throw error;
    }
  };
}

/** Resolves when the answer is out, or its connection gone. */
function over(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => response.once("close", resolve));
}

/** Whoever waits here gives up in real time, so that the time of the emulator must not run away meanwhile. */
async function stall({ clock }: World, isOver: Promise<void>): Promise<void> {
  clock.hold();
  await isOver.finally(() => clock.release());
}

async function carry(
  world: World,
  request: IncomingMessage,
  place: Pick<Exchange, "site" | "origins" | "arrival">,
): Promise<Delivery> {
  const { method = "GET", url = "/" } = request;
  const body = BODILESS_METHODS.includes(method) ? null : await readBody(request);
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
  response.write(bytesOf(answer.body).subarray(0, breaksAfterBytes), () => request.socket.destroy());
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
function readBody(request: IncomingMessage): Promise<Uint8Array | "too_large"> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  request.on("data", (chunk: Uint8Array) => {
    bytes += chunk.byteLength;
    if (bytes <= LARGEST_BODY_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  });
  return new Promise((resolve, reject) => {
    request.on("end", () => resolve(bytes > LARGEST_BODY_BYTES ? "too_large" : joinChunks(chunks, bytes)));
    request.on("error", reject);
    request.on("close", () => reject(new Error("The connection ended within a body")));
  });
}
