import { FLACDecoder } from "@wasm-audio-decoders/flac";
import { describe, expect, test } from "vitest";
import { AUDIO_FORMATS, encode } from "../../../emulator/audio/formats/formats.js";
import { composeSong } from "../../../emulator/audio/song.js";
import { sha256 } from "./pcm-samples.js";

const SECONDS = 3;
const pcm = composeSong({ text: "happy pop", seed: 3, durationSeconds: SECONDS, instrumental: true });
const mp3 = await encode(pcm, "mp3");
const text = (bytes: Uint8Array, start: number, end: number) =>
  new TextDecoder("latin1").decode(bytes.subarray(start, end));

describe("a WAV file", () => {
  test("says truthfully what it holds", async () => {
    const wav = await encode(pcm, "wav");
    const view = new DataView(wav.buffer);
    expect(text(wav, 0, 4)).toBe("RIFF");
    expect(view.getUint32(4, true)).toBe(wav.length - 8);
    expect(text(wav, 8, 16)).toBe("WAVEfmt ");
    const header = [20, 22, 32, 34].map((offset) => view.getUint16(offset, true));
    expect(header).toEqual([1, 2, 4, 16]);
    expect(view.getUint32(24, true)).toBe(44_100);
    expect(view.getUint32(28, true)).toBe(176_400);
    expect(text(wav, 36, 40)).toBe("data");
    expect(view.getUint32(40, true)).toBe(SECONDS * 44_100 * 4);
    expect(wav).toHaveLength(44 + SECONDS * 44_100 * 4);
  });

  test("holds left and right by turns", async () => {
    const sides = { sampleRate: 44_100, left: Int16Array.of(1, -2), right: Int16Array.of(300, -32_768) };
    const view = new DataView((await encode(sides, "wav")).buffer, 44);
    expect([0, 2, 4, 6].map((offset) => view.getInt16(offset, true))).toEqual([1, 300, -2, -32_768]);
  });
});

describe("an MP3 file", () => {
  test("is one Layer III frame after another for as long as the sound lasts", () => {
    const { frames, end } = walkFrames(mp3);
    expect(end).toBe(mp3.length);
    // The first frame holds the header; the encoder adds about a frame at either end.
    const seconds = ((frames - 1) * 1152) / 44_100;
    expect(seconds).toBeGreaterThanOrEqual(SECONDS);
    expect(seconds).toBeLessThan(SECONDS + 0.1);
  });

  test("states its number of frames, so that a player knows its length", () => {
    expect(["Xing", "Info"]).toContain(text(mp3, 36, 40));
    expect(new DataView(mp3.buffer, mp3.byteOffset).getUint32(44)).toBe(walkFrames(mp3).frames);
  });

  test("of the same sound is the same, also when two are encoded at once", async () => {
    const [one, other] = await Promise.all([encode(pcm, "mp3"), encode(pcm, "mp3")]);
    const hash = await sha256(mp3);
    expect([await sha256(one), await sha256(other)]).toEqual([hash, hash]);
  });
});

describe("a FLAC file", () => {
  test("says truthfully what it holds, and is smaller than a WAV", async () => {
    const flac = await encode(pcm, "flac");
    const view = new DataView(flac.buffer);
    expect(text(flac, 0, 4)).toBe("fLaC");
    // Twenty bits of sample rate, three of channels less one, five of bits per sample less one.
    expect(view.getUint32(18) >>> 4).toBe((44_100 << 8) | (1 << 5) | 15);
    expect(view.getUint32(22)).toBe(SECONDS * 44_100);
    expect(flac.length).toBeLessThan(SECONDS * 44_100 * 4);
  });

  test("holds every sample as it was", async () => {
    const decoder = new FLACDecoder();
    await decoder.ready;
    const { channelData, sampleRate, errors } = await decoder.decodeFile(await encode(pcm, "flac"));
    decoder.free();
    expect([sampleRate, errors]).toEqual([44_100, []]);
    const heard = channelData.map((channel) => Int16Array.from(channel, (sample) => sample * 32_768));
    expect(heard).toEqual([pcm.left, pcm.right]);
  });

  test("of the same sound is the same, also when two are encoded at once", async () => {
    const files = await Promise.all([encode(pcm, "flac"), encode(pcm, "flac"), encode(pcm, "flac")]);
    expect(new Set(await Promise.all(files.map(sha256))).size).toBe(1);
  });
});

test("every format has its content type and extension", () => {
  expect(AUDIO_FORMATS).toEqual({
    wav: { contentType: "audio/wav", extension: "wav" },
    mp3: { contentType: "audio/mpeg", extension: "mp3" },
    flac: { contentType: "audio/flac", extension: "flac" },
  });
});

/** Follows the frames by the lengths that their headers give. */
function walkFrames(bytes: Uint8Array): { frames: number; end: number } {
  const kilobits = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
  let offset = 0;
  let frames = 0;
  while (offset < bytes.length) {
    const [sync, version, rate = 0] = bytes.subarray(offset, offset + 3);
    // MPEG 1, Layer III, 44.1 kHz.
    expect([sync, (version ?? 0) & 0xfe, rate & 0x0c]).toEqual([0xff, 0xfa, 0]);
    const bitsPerSecond = (kilobits[rate >> 4] ?? 0) * 1000;
    offset += Math.floor((144 * bitsPerSecond) / 44_100) + ((rate >> 1) & 1);
    frames++;
  }
  return { frames, end: offset };
}
