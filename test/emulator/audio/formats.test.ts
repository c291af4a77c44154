import { MPEGDecoder } from "mpg123-decoder";
import { describe, expect, test } from "vitest";
import { AUDIO_FORMATS } from "../../../emulator/audio/formats.js";
import { encode, SAMPLE_RATE } from "../../../emulator/audio/song.js";
import { likeness, peakOf, rmsOf, songOf } from "./samples.js";

const SECONDS = 6;
/** What an encoder and a decoder of Layer III delay together, less the filter's own alignment. */
const DELAY_SAMPLES = 1057;
const FRAME_BYTES = 216;
const FRAME_SAMPLES = 576;

const pause = async () => {};
const song = await songOf({ text: "happy pop", seed: 3, durationSeconds: SECONDS });

describe("a WAV file", () => {
  test("has a header that matches its content", async () => {
    const wav = Buffer.from(await encode(song, "wav", pause));
    expect(wav).toHaveLength(44 + SECONDS * SAMPLE_RATE * 2);
    expect([wav.toString("latin1", 0, 4), wav.readUInt32LE(4)]).toEqual(["RIFF", wav.length - 8]);
    expect([wav.toString("latin1", 8, 16), wav.readUInt32LE(16)]).toEqual(["WAVEfmt ", 16]);
    // PCM, one channel; two bytes of 16 bits for each sample.
    expect([20, 22, 32, 34].map((offset) => wav.readUInt16LE(offset))).toEqual([1, 1, 2, 16]);
    expect([wav.readUInt32LE(24), wav.readUInt32LE(28)]).toEqual([SAMPLE_RATE, 2 * SAMPLE_RATE]);
    expect([wav.toString("latin1", 36, 40), wav.readUInt32LE(40)]).toEqual(["data", wav.length - 44]);
  });

  test("contains every sample", async () => {
    const wav = Buffer.from(await encode(Int16Array.of(1, -2, 300, -32_768), "wav", pause));
    expect([44, 46, 48, 50].map((offset) => wav.readInt16LE(offset))).toEqual([1, -2, 300, -32_768]);
  });
});

describe("an MP3 file", () => {
  test("has frames of one size, and is as long as the audio", async () => {
    const mp3 = await encode(song, "mp3", pause);
    expect(mp3.length % FRAME_BYTES).toBe(0);
    for (let start = 0; start < mp3.length; start += FRAME_BYTES) {
      // MPEG-2 Layer III, 48 kbit/s, 16 kHz, one channel; nothing from an earlier frame.
      expect([...mp3.subarray(start, start + 5)]).toEqual([0xff, 0xf3, 0x68, 0xc4, 0]);
    }
    const seconds = ((mp3.length / FRAME_BYTES) * FRAME_SAMPLES) / SAMPLE_RATE;
    expect(seconds).toBeGreaterThanOrEqual(SECONDS);
    expect(seconds).toBeLessThan(SECONDS + 0.15);
  });

  test("decodes to the same audio, without an error, a click or a peak above full scale", async () => {
    const { samples, errors } = await decode(await encode(song, "mp3", pause));
    expect(errors).toEqual([]);
    const heard = samples.subarray(DELAY_SAMPLES, DELAY_SAMPLES + song.length);
    expect(heard).toHaveLength(song.length);
    expect(likeness(song, heard)).toBeGreaterThan(0.99);
    expect(peakOf(samples)).toBeLessThan(1);
    const noise = song.map((sample, index) => sample - (heard[index] ?? 0));
    // Also within each half second, a few parts in a hundred at most.
    for (let start = 0; start < song.length; start += SAMPLE_RATE / 2) {
      const [loud, wrong] = [song, noise].map((each) => rmsOf(each.subarray(start, start + SAMPLE_RATE / 2)));
      expect(wrong).toBeLessThan(0.2 * (loud ?? 0) + 0.002);
    }
  });

  test.each([
    ["silence", new Int16Array(SAMPLE_RATE)],
    ["the loudest noise", Int16Array.from({ length: SAMPLE_RATE }, (_, i) => ((i * 7919) % 65_521) - 32_760)],
    ["nothing", new Int16Array(0)],
  ])("of %s can be decoded", async (_name, samples) => {
    const { errors, samples: heard } = await decode(await encode(samples, "mp3", pause));
    expect(errors).toEqual([]);
    expect(heard.length).toBeGreaterThanOrEqual(samples.length);
  });
});

test("each format has its content type", () => {
  expect(AUDIO_FORMATS).toEqual({
    wav: { contentType: "audio/wav" },
    mp3: { contentType: "audio/mpeg" },
  });
});

async function decode(file: Uint8Array) {
  const decoder = new MPEGDecoder();
  await decoder.ready;
  const { channelData, sampleRate, errors } = decoder.decode(file);
  decoder.free();
  expect(sampleRate).toBe(SAMPLE_RATE);
  return { samples: Int16Array.from(channelData[0] ?? [], (sample) => sample * 32_767), errors };
}
