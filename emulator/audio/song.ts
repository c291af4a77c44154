import type { EncodedFormat } from "./formats.js";
import { encodeMp3 } from "./mp3.js";
import { type SongRequest, writeScore } from "./score.js";
import { type AudioBytes, type Pause, render, SAMPLE_RATE } from "./synth.js";

export { SAMPLE_RATE };

/** How long two joined parts sound together. */
export const CROSSFADE_SECONDS = 0.25;

/** The samples of a song. The same request always gives the same samples. */
export async function renderSong(request: SongRequest, pause: Pause): Promise<Int16Array> {
  return render(writeScore(request), request.durationSeconds, pause);
}

/** The parts one after the other, each fading into the next: shorter than their sum by one crossfade for each join. */
export function joinSamples(parts: readonly Int16Array[]): Int16Array {
  const joined = new Int16Array(parts.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const part of parts) {
    const overlap = Math.min(CROSSFADE_SECONDS * SAMPLE_RATE, end, part.length);
    const start = end - overlap;
    const before = joined.slice(start, end);
    joined.set(part, start);
    for (const [i, sample] of before.entries()) {
      const fadeIn = (i + 1) / (overlap + 1);
      joined[start + i] = Math.round(sample * (1 - fadeIn) + (part[i] ?? 0) * fadeIn);
    }
    end = start + part.length;
  }
  return joined.subarray(0, end);
}

export async function encode(samples: Int16Array, format: EncodedFormat, pause: Pause): Promise<AudioBytes> {
  await pause();
  return format === "mp3" ? encodeMp3(samples, pause) : encodeWav(samples);
}

/** A RIFF file: 16-bit samples of one channel behind a header of 44 bytes. */
function encodeWav(samples: Int16Array): AudioBytes {
  const dataBytes = 2 * samples.length;
  const [riff, wave, format, data] = [0x46464952, 0x45564157, 0x20746d66, 0x61746164];
  const header = [riff, 36 + dataBytes, wave, format, 16, (1 << 16) | 1, SAMPLE_RATE, 2 * SAMPLE_RATE];
  header.push((16 << 16) | 2, data, dataBytes);
  const view = new DataView(new ArrayBuffer(4 * header.length + dataBytes));
  for (const [index, word] of header.entries()) view.setUint32(4 * index, word, true);
  for (let i = 0; i < samples.length; i++) view.setInt16(4 * header.length + 2 * i, samples[i] ?? 0, true);
  return new Uint8Array(view.buffer);
}
