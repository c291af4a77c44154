import { createRandom, seedOf } from "./seeded.js";

const SHORTEST_SECONDS = 20;
/** Every song is as long as this at most. */
export const LONGEST_SECONDS = 40;

/** How long a song of this seed is: 20 to 40 s, in tenths. Known before anything of it is composed. */
export function songDurationSeconds(seed: number): number {
  const tenths = createRandom(seedOf("duration", seed)).between(
    SHORTEST_SECONDS * 10,
    LONGEST_SECONDS * 10 + 1,
  );
  return Math.floor(tenths) / 10;
}
