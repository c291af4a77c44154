import type { Origins } from "./origins.js";

/** A request as a mount hands it in, its body already read. */
export interface Exchange {
  /** In capitals. */
  readonly method: string;
  readonly site: Site;
  /** Without the query. */
  readonly path: string;
  readonly headers: { get(name: string): string | null };
  /** `"too_large"`: more than `bodyLimit` allows, and not read to the end. */
  readonly body: Uint8Array | "too_large" | null;
  readonly origins: Origins;
  readonly arrival: Arrival;
  /** Whether the caller has stopped waiting for the answer. */
  readonly hasLeft: () => boolean;
  /** Restricts the control plane; absent in process, where every caller is trusted. */
  readonly controlAccess?: ControlAccess;
}

/** Who sent a request over the network, and the host names that open the control plane to other machines. */
export interface ControlAccess {
  /** Whether the connection comes from this machine, by the address of its socket. */
  readonly isLocal: boolean;
  /** In lower case, without a port. */
  readonly hosts: readonly string[];
}

/** To what an exchange has come. */
export interface Arrival {
  /** Its place among all exchanges, by when each began. */
  readonly ordinal: number;
  /** Aborted when another state takes the place of the one that it came to. */
  readonly era: AbortSignal;
}

/** Which of the origins was asked: the service's own, or one of the providers'. */
export type Site = "service" | "provider";

/** Exactly this many bytes still pass; the control plane takes whole snapshots. */
const LARGEST_BODY_BYTES = 2 ** 20;
const LARGEST_CONTROL_BODY_BYTES = 2 ** 28;

/** Where the control plane is: at the service's address, and no part of the service. */
const CONTROL_PLANE = "/_emulator";

export function isControlCall({ site, path }: Pick<Exchange, "site" | "path">): boolean {
  return site === "service" && (path === CONTROL_PLANE || path.startsWith(`${CONTROL_PLANE}/`));
}

/** How much of a request's body is let in. */
export function bodyLimit(place: Pick<Exchange, "site" | "path">): number {
  return isControlCall(place) ? LARGEST_CONTROL_BODY_BYTES : LARGEST_BODY_BYTES;
}

/** What goes back. */
export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  /** Text stays text: most of it is written out as it is, and never has to be bytes of its own. */
  readonly body: Uint8Array<ArrayBuffer> | string;
  /** What follows the body, for as long as its reader stays. Such an answer has no length. */
  readonly live?: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** For the log; `null` on success. */
  readonly errorCode: string | null;
}

/** How an exchange ends, as far as the mount is concerned. */
export type Delivery =
  /** The answer. The connection may break after so many bytes of its body; one that was cut can't be read. */
  | { kind: "answer"; answer: Answer; breaksAfterBytes: number | null; isReadable: boolean }
  /** The connection breaks before any answer. */
  | { kind: "disconnect" }
  /** No answer ever comes, and the connection stays open. */
  | { kind: "stall" };
