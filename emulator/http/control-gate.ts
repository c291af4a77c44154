import { hasJsonType, type RequestHead } from "./messages.js";

/** The control plane takes whole snapshots. */
const LARGEST_BODY = 2 ** 28;

/** How many bytes of a control call's body to read: none if its headers are a reason to refuse it. */
export function controlBodyLimit(head: RequestHead): number {
  return foreignReason(head) === null && hasJsonType(head.headers) ? LARGEST_BODY : 0;
}

/** Host names of this machine that no page of another site can have. */
const LOCAL_NAMES = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Why a call is refused: it comes from another machine or a web page. A header proves nothing about another machine, so
 * the socket's address decides; such a request needs a host name from `controlHost`. A page sends its own `Origin`, a
 * cross-site `Sec-Fetch-Site` with requests that have no `Origin`, and its own name as `Host` after DNS rebinding.
 */
export function foreignReason({ headers, origins, controlAccess }: RequestHead): string | null {
  const own = new URL(origins.service);
  const host = headers.get("Host")?.toLowerCase() ?? null;
  const isOpened = host !== null && controlAccess?.hosts.includes(withoutPort(host)) === true;
  if (controlAccess?.isLocal === false && !isOpened)
    return (
      "The control plane is closed to other machines. Start the emulator with `--control-host` and the host name of " +
      "this URL to open it"
    );
  if (host !== null && host !== own.host && !LOCAL_NAMES.includes(withoutPort(host)) && !isOpened)
    return "The request's Host is not the emulator's";
  const origin = headers.get("Origin");
  const site = headers.get("Sec-Fetch-Site") ?? "none";
  const isOwnPage = origin === null || origin === own.origin || origin === `${own.protocol}//${host}`;
  if (isOwnPage && ["same-origin", "none"].includes(site)) return null;
  return "The control plane is closed to pages of another origin";
}

function withoutPort(host: string): string {
  return host.replace(/:\d+$/, "");
}
