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
    left: pcm.left.slice(0, length),
    right: pcm.right.slice(0, length),
  };
}

/** Parts in their order as one sound, each fading into the next. */
export function joinPcm(parts: readonly Pcm[]): Pcm {
  const sampleRate = parts[0]?.sampleRate ?? SAMPLE_RATE;
  if (parts.some((part) => part.sampleRate !== sampleRate)) {
    throw new RangeError("Failed to join sounds: their sample rates differ");
  }
  return {
    sampleRate,
    left: joinChannel(
      parts.map((part) => part.left),
      sampleRate,
    ),
    right: joinChannel(
      parts.map((part) => part.right),
      sampleRate,
    ),
  };
}

function joinChannel(parts: readonly Int16Array[], sampleRate: number): Int16Array {
  const total = parts.reduce((sum, part) => sum + part.length, 0);
  const joined = new Int16Array(total);
  let end = 0;
  for (const [index, part] of parts.entries()) {
    const longest = index === 0 ? 0 : Math.round(CROSSFADE_SECONDS * sampleRate);
    const overlap = Math.min(longest, end, part.length);
    const start = end - overlap;
    for (let i = 0; i < overlap; i++) {
      const fadeIn = (i + 1) / (overlap + 1);
      const before = joined[start + i] ?? 0;
      joined[start + i] = Math.round(before * (1 - fadeIn) + (part[i] ?? 0) * fadeIn);
    }
    joined.set(part.subarray(overlap), end);
    end = start + part.length;
  }
  return joined.slice(0, end);
}
