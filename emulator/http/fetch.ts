import { MODELS } from "../../src/contract/service.js";
import { DISPOSED } from "../time/clock.js";
import { nextTurn } from "../time/event-loop.js";
import {
  bytesOf,
  type HttpOutcome,
  type HttpResponse,
  type Origins,
  type RequestTarget,
} from "./messages.js";
import { handleRequest, registerArrival } from "./pipeline.js";
import type { Service } from "./service.js";
import { stall } from "./stall.js";

/**
 * After this many requests in one turn of the event loop, a response waits until it has turned: otherwise, a client that never
 * sleeps would block timers and signals. Counted for each turn and each state, since such a wait changes the order of requests that
 * run side by side: the same requests must come in the same order after a reset, and in a fork.
 */
const REQUESTS_PER_TURN = 256;

/** A `fetch` without a network. Rejects where a connection would fail, and with the signal's reason if it is aborted. */
export function createFetch(service: Service): typeof globalThis.fetch {
  const responder = new Responder(service, failToFetch);
  return async (input, init) => {
    const given = input instanceof Request ? input : null;
    // Without a copy if possible: it would take as long as the response.
    const request = given !== null && changesOnlySignal(init) ? given : new Request(input, init);
    // Not the copy's signal, which references the caller's signal only weakly.
    const signal = init?.signal === undefined ? given?.signal : (init.signal ?? undefined);
    return responder.respond(request, { signal, owner: given ?? request, canAbort: signal !== undefined });
  };
}

function failToFetch(reason: string): never {
  throw new TypeError("fetch failed", { cause: new Error(reason) });
}

const BROKEN = "The connection broke: a fault, a reset or a restore of the emulator ended the request.";

/** Only for a plain object: `Object.keys` does not list the getters of a class. */
function changesOnlySignal(init: RequestInit = {}): boolean {
  if (Object.getPrototypeOf(init) !== Object.prototype || init.signal === null) return false;
  return ["", "signal"].includes(Object.keys(init).join());
}

interface SignalSource {
  /** @defaultValue that of the request */
  signal?: AbortSignal | undefined;
  /** The request that the signal belongs to. @defaultValue the request itself */
  owner?: Request;
  /** @defaultValue true */
  canAbort?: boolean;
}

/** Responds to requests in this process. For a broken connection, `onDisconnect` returns a response or throws. */
export class Responder {
  readonly #service: Service;
  readonly #onDisconnect: (reason: string) => Response;
  /** A request's signal follows the signal that the request was constructed with only while the request is referenced. */
  readonly #inFlight = new Set<Request>();
  readonly #ownerOfBody = new WeakMap<ReadableStream, Request>();
  #endedInTurn = 0;
  #countedState: object | null = null;

  constructor(service: Service, onDisconnect: (reason: string) => Response) {
    this.#service = service;
    this.#onDisconnect = onDisconnect;
  }

  async respond(request: Request, source: SignalSource = {}): Promise<Response> {
    const { signal = request.signal, owner = request, canAbort = true } = source;
    const { core, origins } = this.#service;
    let upload: Upload;
    try {
      signal.throwIfAborted();
      const target = targetOf(request.url, origins);
      if (core.closing.aborted) return this.#onDisconnect(DISPOSED);
      if (target === null)
        return this.#onDisconnect(
          `${new URL(request.url).origin} is not an address of this emulator. Use ${origins.service}.`,
        );
      upload = request.body?.getReader();
      this.#inFlight.add(owner);
      const received = this.#receive(request, upload, signal, target);
      const outcome = await this.#untilAborted(received, signal);
      // A caller that cannot abort never ends the stall, so it must not stop virtual time.
      if (outcome === "stall") await stall(core, (reset) => this.#untilAborted(reset, signal), canAbort);
      if (typeof outcome === "string") return this.#onDisconnect(BROKEN);
      const response = toResponse(outcome, request.url, signal);
      if (response.body !== null) this.#ownerOfBody.set(response.body, owner);
      return response;
    } catch (error) {
      // Ends `receive`, whose request would otherwise stop virtual time until its body ends.
      upload?.cancel(error).catch(() => {});
      if (signal.aborted || !core.closing.aborted) throw error;
      return this.#onDisconnect(DISPOSED);
    } finally {
      this.#inFlight.delete(owner);
      if (this.#countEnd(core.state) % REQUESTS_PER_TURN === 0) await core.clock.activity.turn();
    }
  }

  /** Returns how many requests have ended in this turn of the event loop. */
  #countEnd(state: object): number {
    if (state !== this.#countedState) this.#endedInTurn = 0;
    this.#countedState = state;
    if (++this.#endedInTurn === 1)
      nextTurn(() => {
        this.#endedInTurn = 0;
      });
    return this.#endedInTurn;
  }

  /** Reads the request's body, then handles it. From then on, an abort no longer prevents its effects. */
  async #receive(
    { method, headers }: Request,
    upload: Upload,
    signal: AbortSignal,
    target: RequestTarget,
  ): Promise<HttpOutcome> {
    const { core, origins } = this.#service;
    const { clock, closing } = core;
    const arrival = registerArrival(core, { ...target, headers, origins });
    clock.activity.begin();
    try {
      // Awaited even without a body, so that requests that are sent together arrive before the first is handled.
      const body = await readBody(upload, arrival.bodyLimit);
      signal.throwIfAborted();
      closing.throwIfAborted();
      return await handleRequest(this.#service, {
        ...target,
        method,
        headers,
        origins,
        arrival,
        body,
        get isAborted() {
          return signal.aborted;
        },
      });
    } finally {
      clock.activity.end();
    }
  }

  /** Settles with the promise, or rejects when the caller aborts or the emulator is disposed. */
  async #untilAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
    const { closing, closeListeners } = this.#service.core;
    let removeListeners = () => {};
    const ended = new Promise<never>((_, reject) => {
      signal.throwIfAborted();
      closing.throwIfAborted();
      const onAbort = () => reject(signal.reason);
      const onClose = () => reject(closing.reason);
      signal.addEventListener("abort", onAbort, { once: true });
      closeListeners.add(onClose);
      removeListeners = () => {
        signal.removeEventListener("abort", onAbort);
        closeListeners.delete(onClose);
      };
    });
    return Promise.race([promise, ended]).finally(removeListeners);
  }
}

/** The site and the path below its address; `null` for an address that is not the emulator's. */
function targetOf(url: string, { service, providers }: Origins): RequestTarget | null {
  const { origin, pathname, search } = new URL(url);
  const query = search.slice(1);
  const provider = MODELS.find((model) => providers[model] === origin);
  if (provider !== undefined) return { site: "provider", provider, path: pathname, query };
  const address = origin + pathname;
  if (address !== service && !address.startsWith(`${service}/`)) return null;
  return { site: "service", path: address.slice(service.length) || "/", query };
}

type Upload = ReadableStreamDefaultReader<Uint8Array> | undefined;

async function readBody(upload: Upload, limit: number) {
  if (upload === undefined) return null;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await upload.read();
    if (done) return concatBytes(chunks);
    chunks.push(value);
    bytes += value.byteLength;
    if (bytes > limit) {
      await upload.cancel();
      return "too_large";
    }
  }
}

function toResponse(outcome: HttpResponse, url: string, signal: AbortSignal): Response {
  const { status, headers, body, stream, breaksAfterBytes } = outcome;
  let content: BodyInit | null = body === "" ? null : body;
  // An abort ends the stream, like canceling its reader does.
  if (stream !== undefined) content = stream.pipeThrough(new TransformStream(), { signal });
  else if (breaksAfterBytes !== undefined || typeof body !== "string")
    content = streamOf(bytesOf(body), breaksAfterBytes, signal);
  const response = new Response(content, { status, headers });
  Object.defineProperty(response, "url", { value: url });
  return response;
}

/**
 * Streams a file as one chunk, copied since its reader may change the bytes. Checks the signal at each read: a listener
 * would keep an unread file in memory as long as the signal.
 */
function streamOf(bytes: Uint8Array<ArrayBuffer>, breaksAfterBytes: number | undefined, signal: AbortSignal) {
  let sent = false;
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    if (signal.aborted) controller.error(signal.reason);
    else if (!sent) controller.enqueue(bytes.slice(0, breaksAfterBytes));
    else if (breaksAfterBytes === undefined) controller.close();
    else controller.error(new TypeError("terminated"));
    sent = true;
  };
  // Without a buffer, `pull` is first called at the first read.
  return new ReadableStream({ pull }, { highWaterMark: 0 });
}

function concatBytes(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.byteLength, 0));
  let end = 0;
  for (const chunk of chunks) {
    whole.set(chunk, end);
    end += chunk.byteLength;
  }
  return whole;
}
