import type { HttpRequest } from "../../http/messages.js";
import { Refusal } from "../../http/messages.js";

/** Names of this machine that no foreign page can have. */
const OWN_NAMES = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Refuses other machines and web pages. A header proves nothing about another machine, so the socket's address decides;
 * such a request needs a host name from `controlHost`. A page sends its own `Origin`, a cross-site `Sec-Fetch-Site` with
 * requests that have no `Origin`, and its own name as `Host` after DNS rebinding.
 */
export function refuseForeigners({ headers, origins, controlAccess }: HttpRequest): void {
  const own = new URL(origins.service);
  const host = headers.get("Host")?.toLowerCase() ?? null;
  const isOpened = host !== null && controlAccess?.hosts.includes(withoutPort(host)) === true;
  if (controlAccess?.isLocal === false && !isOpened) {
    throw new Refusal(
      "foreign_origin",
      "The control plane is closed to other machines. Start the emulator with `--control-host` and the host name of " +
        "this URL to open it",
    );
  }
  if (host !== null && host !== own.host && !OWN_NAMES.includes(withoutPort(host)) && !isOpened) {
    throw new Refusal(
      "foreign_origin",
      "The control plane was asked under a name that is not the emulator's",
    );
  }
  const origin = headers.get("Origin");
  const site = headers.get("Sec-Fetch-Site") ?? "none";
  const isOwnPage = origin === null || origin === own.origin || origin === `${own.protocol}//${host}`;
  if (!isOwnPage || !["same-origin", "none"].includes(site)) {
    throw new Refusal("foreign_origin", "The control plane can't be asked by pages of another origin");
  }
}

function withoutPort(host: string): string {
  return host.replace(/:\d+$/, "");
}
