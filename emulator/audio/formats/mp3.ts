import type { Pcm } from "../pcm.js";

/** All usual rates take LAME the same time; this one can't be told from the source. */
const BITS_PER_SECOND = 192_000;
/** A second at a time keeps the encoder's worker busy while the next chunk is cut. It doesn't change the bytes. */
const FRAMES_PER_CHUNK = 44_100;

/** A constant-bit-rate MP3 with a header that states its length. The same sound gives the same bytes. */
export async function encodeMp3(pcm: Pcm): Promise<Uint8Array<ArrayBuffer>> {
  const { AudioSample, AudioSampleSource, BufferTarget, Mp3OutputFormat, Output } = await import("./lame.js");
  const source = new AudioSampleSource({
    codec: "mp3",
    bitrate: BITS_PER_SECOND,
  });
  const target = new BufferTarget();
  const output = new Output({ format: new Mp3OutputFormat(), target });
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

  if (target.buffer === null) throw new Error("Failed to encode MP3: the encoder finished without a file");
  return new Uint8Array(target.buffer);
}

function planarChunk(pcm: Pcm, start: number): Int16Array<ArrayBuffer> {
  const length = Math.min(FRAMES_PER_CHUNK, pcm.left.length - start);
  const chunk = new Int16Array(length * 2);
  chunk.set(pcm.left.subarray(start, start + length));
  chunk.set(pcm.right.subarray(start, start + length), length);
  return chunk;
}
