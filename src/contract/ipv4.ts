/** Address blocks that are not public unicast: private, shared, loopback, link-local, reserved, multicast, broadcast. */
const REFUSED_BLOCKS = [
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

/** The 32 bits of a dotted quad, as the URL parser writes every IPv4 address; `null` for a name. */
export function parseIpv4(host: string): number | null {
  if (!/^\d+\.\d+\.\d+\.\d+$/.test(host)) return null;
  return host.split(".").reduce((bits, octet) => bits * 256 + Number(octet), 0);
}

/** Whether a 32-bit address is one that the public internet can reach. */
export function isPublicIpv4(bits: number): boolean {
  return !REFUSED_BLOCKS.some((block) => isIn(block, bits));
}

function isIn(block: string, bits: number): boolean {
  const [address = "", length = "32"] = block.split("/");
  const first = parseIpv4(address) ?? 0;
  return bits >= first && bits < first + 2 ** (32 - Number(length));
}
