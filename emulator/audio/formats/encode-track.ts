import {
  type AudioEncodingConfig,
  AudioSample,
  AudioSampleSource,
  BufferTarget,
  Output,
  type OutputFormat,
} from "mediabunny";
import type { Pcm } from "../pcm.js";

/** A second at a time keeps the encoder's worker busy while the next chunk is cut. It doesn't change the bytes. */
const FRAMES_PER_CHUNK = 44_100;

/** A file of one track of sound. The same sound gives the same bytes. */
export async function encodeTrack(
  pcm: Pcm,
  format: OutputFormat,
  encoding: AudioEncodingConfig,
): Promise<Uint8Array<ArrayBuffer>> {
  const source = new AudioSampleSource(encoding);
  const target = new BufferTarget();
  const output = new Output({ format, target });
  output.addAudioTrack(source);
  try {
    await output.start();
    for (let start = 0; start < pcm.left.length; start += FRAMES_PER_CHUNK) {
      const sample = new AudioSample({
        format: "s16-planar",
        sampleRate: pcm.sampleRate,
        numberOfChannels: 2,
        timestamp: start / pcm.sampleRate,
        data: planarChunk(pcm, start),
      });
      await source.add(sample);
      sample.close();
    }
    await output.finalize();
  } catch (error) {
    // The encoder's worker would go on living.
    await output.cancel();
    throw error;
  }

  if (target.buffer === null) throw new Error("Failed to encode audio: the encoder finished without a file");
  return new Uint8Array(target.buffer);
}

function planarChunk(pcm: Pcm, start: number): Int16Array<ArrayBuffer> {
  const length = Math.min(FRAMES_PER_CHUNK, pcm.left.length - start);
  const chunk = new Int16Array(length * 2);
  chunk.set(pcm.left.subarray(start, start + length));
  chunk.set(pcm.right.subarray(start, start + length), length);
  return chunk;
}
