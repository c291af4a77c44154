import { hasJsonType } from "./json-body.js";
import type { AccessedHead } from "./messages.js";

/** The control plane takes whole snapshots. */
const LARGEST_BODY = 2 ** 28;

/** How many bytes of a control call's body to read: none if the call will be refused for its headers. */
export function controlBodyLimit(head: AccessedHead): number {
  return accessRefusal(head) === null && hasJsonType(head.headers) ? LARGEST_BODY : 0;
}

/** Host names of this machine. DNS rebinding cannot give them to a page of another site. */
const LOCAL_NAMES = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Returns why a call from another machine or from a web page is refused; `null` if it is allowed. Another machine can send
 * any header, so its socket's address is checked; its request needs a host name from `allowHost`. A web page is
 * recognized by its `Origin`, by `Sec-Fetch-Site` if it sends no `Origin`, and after DNS rebinding by its `Host`.
 */
export function accessRefusal({ headers, origins, controlAccess }: AccessedHead): string | null {
  const own = new URL(controlAccess?.origin ?? origins.service);
  const host = headers.get("Host")?.toLowerCase() ?? null;
  const name = host?.replace(/:\d+$/, "") ?? "";
  const isListed = controlAccess?.hosts.includes(name) === true;
  const isName = /^[\w.-]+$|^\[[\da-f:]+\]$/.test(name);
  const advice = `start the emulator with \`--allow-host ${isName ? name : "NAME"}\``;
  if (controlAccess?.isLocal === false && !isListed)
    return `The control plane refuses other machines. To allow them under the host name of this URL, ${advice}.`;
  if (host !== null && host !== own.host && !LOCAL_NAMES.includes(name) && !isListed)
    return `The control plane refuses this \`Host\`: it is not a name of this machine. Use \`localhost\`, or ${advice}.`;
  const origin = headers.get("Origin");
  const site = headers.get("Sec-Fetch-Site") ?? "none";
  const isOwnPage = origin === null || origin === own.origin || origin === `${own.protocol}//${host}`;
  if (isOwnPage && ["same-origin", "none"].includes(site)) return null;
  return "The control plane refuses web pages of another origin, also with `--allow-host`. Send the request from a server or a test.";
}
