import { type Random, systemRandom } from "./random.js";

/** A new UUID (version 4): from the system's secure source, or drawn from a source that was handed in. */
export function createRequestId(random: Random): string {
  if (random === systemRandom) return crypto.randomUUID();
  const digits = Array.from({ length: 32 }, (_, position) => {
    const digit = Math.floor(random() * 16);
    if (position === 12) return "4";
    return (position === 16 ? 8 + (digit % 4) : digit).toString(16);
  }).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
