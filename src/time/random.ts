/** Draws a number from 0 up to, but not including, 1. */
export type Random = () => number;

/** The system's own source of chance. */
export const systemRandom: Random = () => Math.random();

/** A new UUID (version 4): from the system's secure source, or drawn from a source that was handed in. */
export function createRequestId(random: Random): string {
  if (random === systemRandom) return crypto.randomUUID();
  const [first, second, third, fourth] = [word(random), word(random), word(random), word(random)];
  const variant = "89ab"[Math.floor(random() * 4)];
  return [
    first,
    second.slice(0, 4),
    `4${second.slice(5)}`,
    `${variant}${third.slice(1, 4)}`,
    `${third.slice(4)}${fourth}`,
  ].join("-");
}

/** 32 bits of chance, as eight hexadecimal digits. */
function word(random: Random): string {
  return Math.floor(random() * 2 ** 32)
    .toString(16)
    .padStart(8, "0");
}
