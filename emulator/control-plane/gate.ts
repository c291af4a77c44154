import type { Exchange } from "../api/exchange.js";
import { Refusal } from "../api/refusal.js";

/** Names of this machine that no foreign page can have. */
const OWN_NAMES = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Keeps web pages out, which must not drive an emulator by accident: their requests bear their own `Origin`, and where
 * a page has its own name point at this machine, that name as the `Host`.
 */
export function refuseForeigners({ headers, origins }: Exchange): void {
  const own = new URL(origins.service);
  const host = headers.get("Host");
  if (host !== null && !isOwnHost(host, own)) {
    throw new Refusal(
      "foreign_origin",
      "The control plane was asked under a name that is not the emulator's",
    );
  }
  const origin = headers.get("Origin");
  if (origin !== null && origin !== own.origin && origin !== `${own.protocol}//${host}`) {
    throw new Refusal("foreign_origin", "The control plane can't be asked by pages of another origin");
  }
}

function isOwnHost(host: string, own: URL): boolean {
  if (host.toLowerCase() === own.host) return true;
  return OWN_NAMES.includes(host.toLowerCase().replace(/:\d+$/, ""));
}
