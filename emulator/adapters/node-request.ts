import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Core } from "../core/core.js";
import type {
  Arrival,
  ControlAccess,
  HttpRequest,
  Origins,
  RequestHead,
  RequestTarget,
} from "../http/messages.js";
import { registerArrival } from "../http/pipeline.js";
import type { ServiceClock } from "../time/clock.js";
import type { Addresses } from "./origins.js";
import type { ServedConnection } from "./served-connection.js";

/** What follows a `CONNECT` is no longer HTTP. */
const BODILESS_METHODS = ["GET", "HEAD", "CONNECT"];

/** A request that arrived on a port. */
export class NodeRequest implements HttpRequest {
  readonly site: RequestTarget["site"];
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: RequestHead["headers"];
  readonly origins: Origins;
  readonly arrival: Arrival;
  body: HttpRequest["body"] = null;
  readonly #incoming: IncomingMessage;
  readonly #connection: ServedConnection;
  readonly #addresses: Addresses;

  constructor(
    core: Core,
    { site, path, query }: RequestTarget,
    origins: Origins,
    incoming: IncomingMessage,
    connection: ServedConnection,
    addresses: Addresses,
  ) {
    this.site = site;
    this.method = incoming.method ?? "GET";
    this.path = path;
    this.query = query;
    this.headers = new NodeHeaders(incoming.headers);
    this.origins = origins;
    this.#incoming = incoming;
    this.#connection = connection;
    this.#addresses = addresses;
    this.arrival = registerArrival(core, this);
  }

  get isAborted(): boolean {
    return this.#incoming.socket.destroyed;
  }

  get controlAccess(): ControlAccess {
    const { origins, allowedHosts } = this.#addresses;
    return {
      origin: (origins ?? this.origins).service,
      isLocal: this.#connection.isLocal,
      hosts: allowedHosts,
    };
  }

  /** Whether nothing of the request is left to arrive. */
  get isRead(): boolean {
    return this.body !== "too_large" || this.#incoming.complete;
  }

  get hasBody(): boolean {
    return !BODILESS_METHODS.includes(this.method);
  }

  /** Reads the body to its end, but keeps no more of it than the limit. With a limit of 0 it does not wait for the end. */
  async readBody(clock: ServiceClock): Promise<void> {
    const { bodyLimit } = this.arrival;
    const incoming = this.#incoming;
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    clock.activity.touch();
    this.body = await new Promise((resolve, reject) => {
      if (bodyLimit === 0 && Number(incoming.headers["content-length"]) > 0) resolve("too_large");
      incoming.on("data", (chunk: Uint8Array) => {
        clock.activity.touch();
        bytes += chunk.byteLength;
        if (bytes <= bodyLimit) chunks.push(chunk);
        else chunks.length = 0;
        if (bodyLimit === 0) resolve("too_large");
      });
      incoming.on("end", () => resolve(bytes > bodyLimit ? "too_large" : joined(chunks)));
      incoming.on("close", () => {
        if (!incoming.readableEnded) reject(new Error("The connection ended before the whole body arrived."));
      });
    });
  }
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const [first] = chunks;
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
}

/** Node's headers. The log keeps them, without the rest of the request. */
export class NodeHeaders implements Pick<Headers, "get" | "entries"> {
  readonly #headers: IncomingHttpHeaders;

  constructor(headers: IncomingHttpHeaders) {
    this.#headers = headers;
  }

  get(name: string): string | null {
    return this.#headers[name.toLowerCase()]?.toString() ?? null;
  }

  entries(): ReturnType<Headers["entries"]> {
    return new Headers(Object.entries(this.#headers).map(([name, value]) => [name, String(value)])).entries();
  }
}
