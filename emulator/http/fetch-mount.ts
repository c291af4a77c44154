import { untilReplaced } from "../core/state/world.js";
import { attend } from "./attend.js";
import { bodyLimit, type Delivery, type Site } from "./exchange.js";
import type { Mounted } from "./mounted-world.js";
import type { Origins } from "./origins.js";
import { readBody, type Upload } from "./read-body.js";
import { toResponse } from "./response.js";

/** How a mount with requests and responses meets the network's failures. */
export interface FetchMountOptions {
  readonly origins: Origins;
  /** What a caller gets where the connection breaks. */
  readonly onDisconnect: () => Response;
}

/** How one request can be given up. */
interface Leaving {
  /** The caller's own signal. @defaultValue that of the request */
  signal?: AbortSignal | undefined;
  /** The request that the signal belongs to. @defaultValue the request itself */
  owner?: Request;
  /** Whether its caller can abort it. @defaultValue true */
  canLeave?: boolean;
}

/** Answers requests at the given origins, and behaves towards its caller as `fetch` does. */
export function createFetchMount({ world, carryOut }: Mounted, { origins, onDisconnect }: FetchMountOptions) {
  const { closing } = world;
  // A request follows the signal that it was made with only while the request itself is referenced.
  const inFlight = new Set<Request>();
  const ownerOfBody = new WeakMap<ReadableStream, Request>();

  return async function answer(
    request: Request,
    { signal = request.signal, owner = request, canLeave = true }: Leaving = {},
  ): Promise<Response> {
    signal.throwIfAborted();
    const { url } = request;
    const place = placeOf(url, origins);
    if (place === null || closing.aborted) return onDisconnect();
    const upload = request.body?.getReader();
    inFlight.add(owner);
    try {
      const delivery = await untilOver(carry(request, upload, signal, place), signal);
      if (delivery.kind === "answer") {
        const response = toResponse(delivery, { url, signal });
        if (response.body !== null) ownerOfBody.set(response.body, owner);
        return response;
      }
      if (delivery.kind === "stall") await stall(signal, canLeave);
    } catch (error) {
      // Who is gone sends no more: a body that never ends must not keep the time from moving.
      upload?.cancel(error).catch(() => {});
      if (signal.aborted || !closing.aborted) throw error;
    } finally {
      inFlight.delete(owner);
    }
    return onDisconnect();
  };

  /**
   * Waits until the caller aborts, the emulator is reset, or it ends. A caller that can abort does so in real time, so virtual
   * time stands still meanwhile. For a caller that cannot, it would stand still permanently.
   */
  async function stall(signal: AbortSignal, canLeave: boolean): Promise<void> {
    const { promise, forget } = untilReplaced(world);
    if (canLeave) world.clock.hold();
    try {
      await untilOver(promise, signal);
    } finally {
      if (canLeave) world.clock.release();
      forget();
    }
  }

  /** Settles with the promise, or rejects when its caller aborts or the emulator ends, whichever comes first. */
  function untilOver<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
    let forget = () => {};
    const over = new Promise<Result>((resolve, reject) => {
      signal.throwIfAborted();
      closing.throwIfAborted();
      const onAbort = () => reject(signal.reason);
      signal.addEventListener("abort", onAbort, { once: true });
      const stop = world.closed.add(() => reject(closing.reason));
      forget = () => {
        signal.removeEventListener("abort", onAbort);
        stop();
      };
      promise.then(resolve, reject);
    });
    return over.finally(() => forget());
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
