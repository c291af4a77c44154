export const SAMPLE_RATE = 44_100;

/** Sixteen-bit stereo sound; both channels have the same length. */
export type Pcm = {
  readonly sampleRate: number;
  readonly left: Int16Array;
  readonly right: Int16Array;
};

/** How long two joined parts sound together. A join is shorter than its parts by this much for each seam. */
export const CROSSFADE_SECONDS = 0.25;

/** The sound up to `seconds`: what is left of a clip that is continued from there. All of it when it is shorter. */
export function cutPcm(pcm: Pcm, seconds: number): Pcm {
  const length = Math.round(Math.max(0, seconds) * pcm.sampleRate);
  return {
    ...pcm,
    left: pcm.left.subarray(0, length),
    right: pcm.right.subarray(0, length),
  };
}

/** One sound of parts that are added in their order, each fading into the next. No part is kept. */
export class PcmJoin {
  readonly #sampleRate: number;
  readonly #left: Int16Array;
  readonly #right: Int16Array;
  #end = 0;

  /** @param mostFrames - How long the parts are together, at most. */
  constructor(mostFrames: number, sampleRate = SAMPLE_RATE) {
    this.#sampleRate = sampleRate;
    this.#left = new Int16Array(mostFrames);
    this.#right = new Int16Array(mostFrames);
  }

  add({ left, right, sampleRate }: Pcm): void {
    if (sampleRate !== this.#sampleRate) {
      throw new RangeError("Failed to join sounds: their sample rates differ");
    }
    const longest = Math.round(CROSSFADE_SECONDS * sampleRate);
    const overlap = Math.min(longest, this.#end, left.length);
    const start = this.#end - overlap;
    fadeInto(this.#left, left, start, overlap);
    fadeInto(this.#right, right, start, overlap);
    this.#end = start + left.length;
  }

  /** All parts so far. */
  get sound(): Pcm {
    return {
      sampleRate: this.#sampleRate,
      left: this.#left.subarray(0, this.#end),
      right: this.#right.subarray(0, this.#end),
    };
  }
}

/** Puts a part where it begins; so many frames of it sound together with what was there. */
function fadeInto(joined: Int16Array, part: Int16Array, start: number, overlap: number): void {
  for (let i = 0; i < overlap; i++) {
    const fadeIn = (i + 1) / (overlap + 1);
    const before = joined[start + i] ?? 0;
    joined[start + i] = Math.round(before * (1 - fadeIn) + (part[i] ?? 0) * fadeIn);
  }
  joined.set(part.subarray(overlap), start + overlap);
}
