import { isPublicIpv4, parseIpv4 } from "./ipv4.js";
import { isPublicIpv6, parseIpv6 } from "./ipv6.js";

const LOCAL_NAMES = ["localhost", "local", "internal"];

/**
 * Whether the service could fetch from this address: `http` or `https`, and a host that the public internet can
 * reach. The URL parser has already brought every notation of an address (hexadecimal, octal, one number, full-width
 * digits) into one form.
 */
export function isPublicHttpUrl(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol)) return false;
  return isPublicHost(url.hostname);
}

function isPublicHost(hostname: string): boolean {
  if (hostname.startsWith("[")) return isPublicIpv6(parseIpv6(hostname.slice(1, -1)));
  const ipv4 = parseIpv4(hostname);
  if (ipv4 !== null) return isPublicIpv4(ipv4);
  const labels = hostname.replace(/\.$/, "").split(".");
  return !labels.includes("") && !LOCAL_NAMES.includes(labels.at(-1) ?? "");
}
