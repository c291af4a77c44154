const LOCAL_NAMES = ["localhost", "local", "internal"];

/** IPv4 blocks that are not public unicast: private, shared, loopback, link-local, reserved, multicast, broadcast. */
const REFUSED_IPV4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];

const GLOBAL_UNICAST = "2000::/3";

/** Blocks of the global unicast space that no public host has: protocol assignments and documentation. */
const REFUSED_IPV6 = ["2001::/23", "2001:db8::/32", "3fff::/20"];

/** Blocks whose prefix is followed by an IPv4 address: such an address is as public as that one. */
const IPV4_CARRIERS = ["::ffff:0:0/96", "64:ff9b::/96", "2002::/16"];

/**
 * Whether the service could fetch from this address: `http` or `https`, and a host that the public internet can
 * reach. The URL parser has already brought every notation of an address (hexadecimal, octal, one number, full-width
 * digits) into one form.
 */
export function isPublicHttpUrl(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol)) return false;
  const { hostname } = url;
  if (hostname.startsWith("[")) return isPublicIpv6(bitsOf(hostname.slice(1, -1)));
  if (/^\d+\.\d+\.\d+\.\d+$/.test(hostname)) return isPublicIpv4(bitsOf(hostname));
  const labels = hostname.replace(/\.$/, "").split(".");
  return !labels.includes("") && !LOCAL_NAMES.includes(labels.at(-1) ?? "");
}

function isPublicIpv4(bits: string): boolean {
  return !REFUSED_IPV4.some((block) => bits.startsWith(prefixOf(block)));
}

function isPublicIpv6(bits: string): boolean {
  const carrier = IPV4_CARRIERS.map(prefixOf).find((prefix) => bits.startsWith(prefix));
  if (carrier !== undefined) return isPublicIpv4(bits.slice(carrier.length, carrier.length + 32));
  const isRefused = REFUSED_IPV6.some((block) => bits.startsWith(prefixOf(block)));
  return bits.startsWith(prefixOf(GLOBAL_UNICAST)) && !isRefused;
}

/** The leading bits that all addresses of a block share. */
function prefixOf(block: string): string {
  const [address = "", length] = block.split("/");
  return bitsOf(address).slice(0, Number(length));
}

/** The bits of an address as the URL parser writes it: 32 of a dotted quad, 128 of an IPv6 address. */
function bitsOf(address: string): string {
  if (!address.includes(":")) return toBits(address.split("."), 10, 8);
  const [left = "", tail = ""] = address.split("::").map((half) => toBits(half.split(":"), 16, 16));
  return left.padEnd(128 - tail.length, "0") + tail;
}

/** An empty group, which stands beside a `::`, is one of the zeros that it replaces. */
function toBits(groups: readonly string[], radix: number, width: number): string {
  return groups.map((group) => Number.parseInt(`0${group}`, radix).toString(2).padStart(width, "0")).join("");
}
