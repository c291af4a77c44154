import { once } from "node:events";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { concatBytes } from "../../../src/shared/data.js";
import { untilReplaced } from "../../core/state/world.js";
import { bytesOf } from "../../http/answers.js";
import { attend } from "../../http/attend.js";
import {
  type Answer,
  bodyLimit,
  type ControlAccess,
  type Delivery,
  type Exchange,
  isControlCall,
  type Site,
} from "../../http/exchange.js";
import type { Mounted } from "../../http/mounted-world.js";
import type { Origins } from "../../http/origins.js";
import { afterRealMs, nextTurn } from "../../time/event-loop.js";
import { answerFault } from "./answer-fault.js";
import { type Dashboard, isDashboardPath } from "./dashboard.js";

/** Methods of which no body is read: what follows a `CONNECT` is no longer HTTP. */
const BODILESS_METHODS: readonly string[] = ["GET", "HEAD", "CONNECT"];

/** How long a file is waited for that nobody reads, in real milliseconds: its client may have set it aside. */
const FILE_MS = 250;

/** What a Node server does with each request to one of the emulator's sites. */
export function createListener(
  mounted: Mounted,
  site: Site,
  origins: (host: string | undefined) => Origins | undefined,
  controlHosts: readonly string[],
  dashboard: Dashboard | null,
): RequestListener {
  const { world } = mounted;
  return async (request, response) => {
    const place = { site, path: pathOf(request.url ?? "/") };
    const isLocal = isFromThisMachine(request.socket);
    // The control plane has one name, so that it stays closed to all others.
    const here = origins(isControlCall(place) ? undefined : request.headers.host);
    if (here === undefined || world.closing.aborted) {
      request.socket.destroy();
      return;
    }
    try {
      if (dashboard !== null && isDashboardPath(place.path)) {
        const answer = await dashboard(request.method ?? "GET", place.path);
        if (answer !== null) {
          send(request, response, { kind: "answer", answer, breaksAfterBytes: null, isReadable: true });
          return;
        }
      }
      const isOver = over(response);
      const delivery = await attend(world, place, async (arrival) => {
        const controlAccess = { isLocal, hosts: controlHosts };
        const carried = await carry(mounted, request, { ...place, origins: here, arrival, controlAccess });
        send(request, response, carried);
        if (carried.kind === "answer") await untilTaken(carried.answer, response, isOver);
        return carried;
      });
      if (delivery.kind === "stall") {
        await stall(mounted, isOver);
        request.socket.destroy();
      }
    } catch (error) {
      // Anything but a connection that ended is a fault of the emulator's own.
      if (request.socket.destroyed || world.closing.aborted) request.socket.destroy();
      else answerFault(error, request, response);
    }
  };
}

/** Whether a connection comes from this machine: from a loopback address, or from the address that it connected to. */
function isFromThisMachine({ remoteAddress, localAddress }: Socket): boolean {
  const address = remoteAddress?.replace(/^::ffff:/i, "") ?? "";
  return /^127\.|^::1$/.test(address) || (address !== "" && remoteAddress === localAddress);
}

/** Resolves when the answer is out, or its connection gone. */
function over(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => response.once("close", resolve));
}

/** Before the last byte of an answer is out, its client has nothing to go on with. */
async function untilTaken({ body, live }: Answer, response: ServerResponse, isOver: Promise<void>) {
  // A stream has no last byte, and what stands behind another answer on its connection waits for that one.
  if (live !== undefined || response.socket === null) return;
  if (typeof body === "string") return isOver;
  return Promise.race([isOver, new Promise<void>((resolve) => afterRealMs(FILE_MS, resolve))]);
}

/** Whoever waits here gives up in real time, so that the time of the emulator must not run away meanwhile. */
async function stall({ world }: Mounted, isOver: Promise<void>): Promise<void> {
  const { promise, forget } = untilReplaced(world);
  world.clock.hold();
  await Promise.race([isOver, promise]).finally(() => {
    world.clock.release();
    forget();
  });
}

async function carry(
  { carryOut }: Mounted,
  request: IncomingMessage,
  place: Pick<Exchange, "site" | "path" | "origins" | "arrival"> & { controlAccess: ControlAccess },
): Promise<Delivery> {
  const { method = "GET" } = request;
  const body = BODILESS_METHODS.includes(method) ? null : await readBody(request, bodyLimit(place));
  const hasLeft = () => request.socket.destroyed;
  return carryOut({ ...place, method, headers: headersOf(request), body, hasLeft });
}

function send(request: IncomingMessage, response: ServerResponse, delivery: Delivery): void {
  if (delivery.kind === "stall") return;
  if (delivery.kind === "disconnect") {
    request.socket.destroy();
    return;
  }
  const { answer, breaksAfterBytes } = delivery;
  response.writeHead(answer.status, answer.headers);
  if (answer.live !== undefined) {
    response.flushHeaders();
    follow(answer.live, response).catch((error) => answerFault(error, request, response));
    return;
  }
  if (breaksAfterBytes === null) {
    // Answers go out together, when all requests that have come were carried out: alone, each would wake its reader.
    nextTurn(() => response.end(answer.body));
    return;
  }
  response.write(bytesOf(answer.body).subarray(0, breaksAfterBytes), () => request.socket.destroy());
}

/** Passes on what comes, until there is no more of it or its reader has left. */
async function follow(live: NonNullable<Answer["live"]>, response: ServerResponse): Promise<void> {
  const reader = live.getReader();
  const gone = new AbortController();
  response.on("close", () => {
    gone.abort();
    void reader.cancel();
  });
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (!response.write(value)) await once(response, "drain", { signal: gone.signal }).catch(() => {});
  }
  response.end();
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
  const path = target.replace(/^[a-z]+:\/\/[^/?#]*/i, "").replace(/[?#].*/s, "");
  return path === "" ? "/" : path;
}

/** The body of a request, of which no more is kept than is allowed to come in. */
function readBody(request: IncomingMessage, limit: number): Promise<Uint8Array | "too_large"> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  request.on("data", (chunk: Uint8Array) => {
    bytes += chunk.byteLength;
    if (bytes <= limit) chunks.push(chunk);
    else chunks.length = 0;
  });
  return new Promise((resolve, reject) => {
    request.on("end", () => resolve(bytes > limit ? "too_large" : concatBytes(chunks)));
    request.on("close", () => {
      if (!request.readableEnded) reject(new Error("The connection ended within a body"));
    });
  });
}
