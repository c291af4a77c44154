import { isPublicIpv4 } from "./ipv4.js";

/** Blocks inside the global unicast space that no public host has: protocol assignments and documentation. */
const REFUSED_BLOCKS: readonly Block[] = [
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
export function parseIpv6(text: string): number[] {
  const [head = "", tail] = text.split("::");
  const before = words(head);
  if (tail === undefined) return before;
  const after = words(tail);
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

/** Whether an address is one that the public internet can reach. */
export function isPublicIpv6(address: readonly number[]): boolean {
  const carrier = IPV4_CARRIERS.find((block) => contains(block, address));
  if (carrier !== undefined)
    return isPublicIpv4(word(address, carrier.at) * 0x10000 + word(address, carrier.at + 1));
  return contains(GLOBAL_UNICAST, address) && !REFUSED_BLOCKS.some((block) => contains(block, address));
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
