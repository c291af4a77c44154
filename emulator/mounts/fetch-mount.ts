import { bodyLimit, type Delivery, type Site } from "../api/exchange.js";
import type { Origins } from "../api/origins.js";
import { untilReplaced } from "../state/world.js";
import { attend } from "./attend.js";
import type { Mounted } from "./mounted-world.js";
import { readBody, type Upload } from "./read-body.js";
import { toResponse } from "./response.js";

/** How a mount with requests and responses meets the network's failures. */
export interface FetchMountOptions {
  readonly origins: Origins;
  /** What a caller gets where the connection breaks. */
  readonly onDisconnect: () => Response;
}

/** Answers requests at the given origins, and behaves towards its caller as `fetch` does. */
export function createFetchMount({ world, carryOut }: Mounted, { origins, onDisconnect }: FetchMountOptions) {
  const { closing } = world;

  return async function answer(
    request: Request,
    { signal = request.signal, canLeave = true }: { signal?: AbortSignal; canLeave?: boolean } = {},
  ): Promise<Response> {
    signal.throwIfAborted();
    const { url } = request;
    const place = placeOf(url, origins);
    if (place === null || closing.aborted) return onDisconnect();
    const upload = request.body?.getReader();
    try {
      const delivery = await untilOver(carry(request, upload, signal, place), signal);
      if (delivery.kind === "answer") return toResponse(delivery, { url, signal });
      if (delivery.kind === "stall")
        await (canLeave ? stall(signal) : untilAborted(untilReplaced(world), closing));
    } catch (error) {
      // Who is gone sends no more: a body that never ends must not keep the time from moving.
      upload?.cancel(error).catch(() => {});
      if (signal.aborted || !closing.aborted) throw error;
    }
    return onDisconnect();
  };

  /**
   * Whoever waits here gives up in real time, so that the time of the emulator must not run away meanwhile. Who can't
   * give up doesn't hold it: else it would stand still for ever.
   */
  async function stall(signal: AbortSignal): Promise<void> {
    world.clock.hold();
    await untilOver(untilReplaced(world), signal).finally(() => world.clock.release());
  }

  /** What comes first: the result, its caller's leaving, or the emulator's end. */
  function untilOver<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
    return untilAborted(untilAborted(promise, closing), signal);
  }

  /** The service goes on with what it has received, also where its caller does not wait for the answer. */
  function carry(
    { method, headers }: Request,
    upload: Upload | undefined,
    signal: AbortSignal,
    place: Place,
  ): Promise<Delivery> {
    return attend(world, place, async (arrival) => {
      const body = await readBody(upload, bodyLimit(place));
      // What was taken back before it had gone out completely never arrived.
      signal.throwIfAborted();
      closing.throwIfAborted();
      const hasLeft = () => signal.aborted;
      return carryOut({ ...place, origins, arrival, method, headers, body, hasLeft });
    });
  }
}

interface Place {
  site: Site;
  path: string;
}

/** Which site, and the path below its address; `null` for an address that the emulator does not serve. */
function placeOf(url: string, { service, providers }: Origins): Place | null {
  const { origin, pathname } = new URL(url);
  if (Object.values(providers).includes(origin)) return { site: "provider", path: pathname };
  const address = origin + pathname;
  if (address !== service && !address.startsWith(`${service}/`)) return null;
  return { site: "service", path: address.slice(service.length) || "/" };
}

/** What comes first: the result, or the signal, whose reason is then the error. */
function untilAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
