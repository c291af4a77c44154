import { describe, expect, test } from "vitest";
import { encodeWav } from "../../../emulator/audio/formats/wav.js";
import { SAMPLE_RATE } from "../../../emulator/audio/pcm.js";
import { composeSong } from "../../../emulator/audio/song.js";
import { songDurationSeconds } from "../../../emulator/audio/song-duration.js";
import { likeness, meanOf, peakOf, rmsOf, sha256 } from "./pcm-samples.js";

const RAIN = { text: "rain in Lisbon", seed: 1, durationSeconds: 8, instrumental: false };
const TECHNO = { ...RAIN, text: "dark techno", instrumental: true };

const rain = composeSong(RAIN);
const techno = composeSong(TECHNO);

describe("a song", () => {
  test("is the same in every run, engine and release", async () => {
    // A change of the music changes this on purpose, and is worth a line in the changelog: tests of our users may pin bytes.
    expect(await sha256(encodeWav(rain))).toBe(
      "eb9109dfb7ebbe990d9cc77afe0272ff50323f789e11664d6f1dfc314bb08c74",
    );
  });

  test.each([
    ["rain in Lisbon", rain],
    ["dark techno", techno],
  ])("about %j peaks at -1 dBFS, is about as loud as other music, and has no offset", (_text, pcm) => {
    expect(peakOf(pcm)).toBeCloseTo(0.891, 2);
    for (const channel of [pcm.left, pcm.right]) {
      expect(rmsOf(channel)).toBeGreaterThan(0.1);
      expect(rmsOf(channel)).toBeLessThan(0.3);
      expect(Math.abs(meanOf(channel))).toBeLessThan(0.002);
    }
  });

  test.each([
    ["rain in Lisbon", rain],
    ["dark techno", techno],
  ])("about %j sounds from its first second until its last chord, and ends in silence", (_text, pcm) => {
    for (let second = 0; second < 6; second++) {
      expect(rmsOf(pcm.left.subarray(second * SAMPLE_RATE, (second + 1) * SAMPLE_RATE))).toBeGreaterThan(
        0.01,
      );
    }
    expect(rmsOf(pcm.left.subarray(-200))).toBeLessThan(0.001);
  });

  test("has two sides that differ", () => {
    expect(likeness(rain.left, rain.right)).toBeLessThan(0.98);
  });

  test("of another prompt or another seed sounds different", () => {
    expect(Math.abs(likeness(rain.left, techno.left))).toBeLessThan(0.3);
    expect(Math.abs(likeness(rain.left, composeSong({ ...RAIN, seed: 2 }).left))).toBeLessThan(0.3);
  });

  test("has exactly the length asked for", () => {
    const short = composeSong({ ...RAIN, durationSeconds: 0.3 });
    expect(short.left).toHaveLength(0.3 * SAMPLE_RATE);
    expect(short.right).toHaveLength(0.3 * SAMPLE_RATE);
    expect(rain.left).toHaveLength(8 * SAMPLE_RATE);
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])("of %d seconds is refused", (durationSeconds) => {
    expect(() => composeSong({ ...RAIN, durationSeconds })).toThrow(/`durationSeconds`/);
  });

  test("lasts between 20 and 40 seconds by its seed, in tenths", () => {
    const durations = Array.from({ length: 300 }, (_, seed) => songDurationSeconds(seed));
    expect(Math.min(...durations)).toBeGreaterThanOrEqual(20);
    expect(Math.max(...durations)).toBeLessThanOrEqual(40);
    expect(new Set(durations).size).toBeGreaterThan(80);
    for (const duration of durations) expect(duration).toBe(Math.round(duration * 10) / 10);
  });
});
