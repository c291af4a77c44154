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
function parseIpv4(host: string): number | null {
  if (!/^\d+\.\d+\.\d+\.\d+$/.test(host)) return null;
  return host.split(".").reduce((bits, octet) => bits * 256 + Number(octet), 0);
}

/** Whether a 32-bit address is one that the public internet can reach. */
function isPublicIpv4(bits: number): boolean {
  return !REFUSED_BLOCKS.some((block) => isIn(block, bits));
}

function isIn(block: string, bits: number): boolean {
  const [address = "", length = "32"] = block.split("/");
  const first = parseIpv4(address) ?? 0;
  return bits >= first && bits < first + 2 ** (32 - Number(length));
}

/** Blocks inside the global unicast space that no public host has: protocol assignments and documentation. */
const REFUSED_IPV6_BLOCKS: readonly Block[] = [
  { words: [0x2001, 0x0000], bits: 23 },
  { words: [0x2001, 0x0db8], bits: 32 },
  { words: [0x3fff, 0x0000], bits: 20 },
];

const GLOBAL_UNICAST: Block = { words: [0x2000], bits: 3 };

/** Forms that carry an IPv4 address: the block, and the word at which that address begins. They are as public as it is. */
const IPV4_CARRIERS: readonly (Block & { at: number })[] = [
  { words: [0, 0, 0, 0, 0, 0xffff], bits: 96, at: 6 },
  { words: [0x0064, 0xff9b, 0, 0, 0, 0], bits: 96, at: 6 },
  { words: [0x2002], bits: 16, at: 1 },
];

interface Block {
  words: readonly number[];
  bits: number;
}

/** The eight 16-bit words of an IPv6 address, as the URL parser writes it. */
function parseIpv6(text: string): number[] {
  const [head = "", tail] = text.split("::");
  const before = words(head);
  if (tail === undefined) return before;
  const after = words(tail);
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

/** Whether an address is one that the public internet can reach. */
function isPublicIpv6(address: readonly number[]): boolean {
  const carrier = IPV4_CARRIERS.find((block) => contains(block, address));
  if (carrier !== undefined)
    return isPublicIpv4(word(address, carrier.at) * 0x10000 + word(address, carrier.at + 1));
  return contains(GLOBAL_UNICAST, address) && !REFUSED_IPV6_BLOCKS.some((block) => contains(block, address));
}

function contains({ words: prefix, bits }: Block, address: readonly number[]): boolean {
  return prefix.every((expected, index) => {
    const kept = Math.min(Math.max(bits - index * 16, 0), 16);
    const mask = (0xffff << (16 - kept)) & 0xffff;
    return (word(address, index) & mask) === (expected & mask);
  });
}

function word(address: readonly number[], index: number): number {
  return address[index] ?? 0;
}

/** Nothing beside the `::` is one more of the zeros that it stands for, of which there are two at least. */
function words(text: string): number[] {
  return text.split(":").map((group) => Number.parseInt(`0${group}`, 16));
}
