const PARTS = 160;
/** A shape needs no more; and a lower rate takes less memory. */
const SAMPLE_RATE = 8000;

/** How a sound looks. */
export interface Shape {
  seconds: number;
  /** The loudest of each part, 0 to 1. */
  peaks: number[];
}

/**
 * Audio, whole, with its true type. A player that is left to load a part at a time keeps its request open, and a virtual
 * clock waits for it.
 *
 * @throws Error in words
 */
export async function download(source: string, signal: AbortSignal): Promise<Blob> {
  const response = await fetch(source, { signal });
  if (!response.ok) throw new Error("There is no such audio, or its seven days are over.");
  return response.blob();
}

/** @throws Error in words */
export async function shapeOf(audio: Blob): Promise<Shape> {
  const bytes = await audio.arrayBuffer();
  const decoded = await new OfflineAudioContext(1, 1, SAMPLE_RATE).decodeAudioData(bytes).catch(() => {
    throw new Error("This browser can't decode the audio to draw it.");
  });
  return { seconds: decoded.duration, peaks: peaksOf(decoded.getChannelData(0)) };
}

function peaksOf(samples: Float32Array): number[] {
  const length = Math.max(1, Math.floor(samples.length / PARTS));
  const peaks = Array.from({ length: PARTS }, (_, part) => {
    let peak = 0;
    for (const sample of samples.subarray(part * length, (part + 1) * length))
      peak = Math.max(peak, Math.abs(sample));
    return peak;
  });
  const highest = Math.max(...peaks, 0.01);
  return peaks.map((peak) => peak / highest);
}
