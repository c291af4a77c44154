import type { Pcm } from "./pcm.js";
import { type SongRequest, writeScore } from "./score/write-score.js";
import { createRandom, seedOf } from "./seeded.js";
import { renderScore } from "./synth/render-score.js";

const SHORTEST_SECONDS = 20;
const LONGEST_SECONDS = 40;

/** A song for a text and a seed; the same request always gives the same samples. */
export function composeSong(request: SongRequest): Pcm {
  const { durationSeconds } = request;
  if (!(durationSeconds > 0 && Number.isFinite(durationSeconds))) {
    throw new RangeError(`Expected \`durationSeconds\` to be a number over 0, got \`${durationSeconds}\``);
  }
  return renderScore(writeScore(request), durationSeconds);
}

/** How long a song of this seed is: 20 to 40 s, in tenths. */
export function songDurationSeconds(seed: number): number {
  const tenths = createRandom(seedOf("duration", seed)).between(
    SHORTEST_SECONDS * 10,
    LONGEST_SECONDS * 10 + 1,
  );
  return Math.floor(tenths) / 10;
}
