import type { Pcm } from "./pcm.js";
import { type SongRequest, writeScore } from "./score/write-score.js";
import { renderScore } from "./synth/render-score.js";

/** A song for a text and a seed; the same request always gives the same samples. */
export function composeSong(request: SongRequest): Pcm {
  const { durationSeconds } = request;
  if (!(durationSeconds > 0 && Number.isFinite(durationSeconds))) {
    throw new RangeError(`Expected \`durationSeconds\` to be a number over 0, got \`${durationSeconds}\``);
  }
  return renderScore(writeScore(request), durationSeconds);
}
