import type { Pcm } from "../pcm.js";

const HEADER_BYTES = 44;
const CHANNELS = 2;
const BYTES_PER_FRAME = CHANNELS * 2;

/** A canonical RIFF file: a 44-byte header, then interleaved little-endian 16-bit samples. */
export function encodeWav(pcm: Pcm): Uint8Array<ArrayBuffer> {
  const dataBytes = pcm.left.length * BYTES_PER_FRAME;
  const bytes = new Uint8Array(HEADER_BYTES + dataBytes);
  const view = new DataView(bytes.buffer);

  writeText(view, 0, "RIFF");
  view.setUint32(4, HEADER_BYTES - 8 + dataBytes, true);
  writeText(view, 8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, CHANNELS, true);
  view.setUint32(24, pcm.sampleRate, true);
  view.setUint32(28, pcm.sampleRate * BYTES_PER_FRAME, true);
  view.setUint16(32, BYTES_PER_FRAME, true);
  view.setUint16(34, 16, true);
  writeText(view, 36, "data");
  view.setUint32(40, dataBytes, true);

  for (let frame = 0; frame < pcm.left.length; frame++) {
    const offset = HEADER_BYTES + frame * BYTES_PER_FRAME;
    view.setInt16(offset, pcm.left[frame] ?? 0, true);
    view.setInt16(offset + 2, pcm.right[frame] ?? 0, true);
  }
  return bytes;
}

function writeText(view: DataView, offset: number, text: string): void {
  for (let index = 0; index < text.length; index++) view.setUint8(offset + index, text.charCodeAt(index));
}
