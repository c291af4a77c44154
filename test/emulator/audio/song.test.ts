import { describe, expect, test, vi } from "vitest";
import { songDurationSeconds } from "../../../emulator/audio/formats.js";
import { writeScore } from "../../../emulator/audio/score.js";
import {
  CROSSFADE_SECONDS,
  encode,
  joinSamples,
  renderSong,
  SAMPLE_RATE,
} from "../../../emulator/audio/song.js";
import { likeness, meanOf, peakOf, rmsOf, sha256, songOf } from "./samples.js";

const RAIN = { text: "rain in Lisbon" };
const TECHNO = { text: "dark techno", instrumental: true };
const rain = await songOf(RAIN);
const techno = await songOf(TECHNO);

describe("a song", () => {
  test("does not depend on the songs that were rendered before it", async () => {
    const texts = ["dark techno", "bright pop", "sad fado", "happy waltz", "heavy metal", "calm piano"];
    const hashes = async (order: readonly string[]) => {
      vi.resetModules();
      const { renderSong: render } = await import("../../../emulator/audio/song.js");
      const found: Record<string, string> = {};
      for (const text of order) {
        const request = { text, lyrics: "", seed: 1, durationSeconds: 4, instrumental: false };
        const samples = await render(request, async () => {});
        found[text] = await sha256(new Uint8Array(samples.buffer.slice(0) as ArrayBuffer));
      }
      return found;
    };
    expect(await hashes(texts)).toEqual(await hashes(texts.toReversed()));
  });

  test("is the same in every run, engine and release", async () => {
    // Tests of users may pin bytes: a change of the music needs a changeset.
    const pause = async () => {};
    expect(await sha256(await encode(rain, "wav", pause))).toBe(
      "1967f4b83879605f093df50955f7a5c860d20427e24a6a6d25ea5aa131852588",
    );
    expect(await sha256(await encode(rain, "mp3", pause))).toBe(
      "60425a0079809be0197915e24275401f1bda3493a230ba070777c814c3c30135",
    );
  });

  describe.each([
    ["rain in Lisbon", rain],
    ["dark techno", techno],
  ])("about %j", (_, samples) => {
    test("peaks below -1 dBFS, is about as loud as other music, and has no offset", () => {
      expect(peakOf(samples)).toBeLessThan(0.892);
      expect(rmsOf(samples)).toBeGreaterThan(0.1);
      expect(rmsOf(samples)).toBeLessThan(0.3);
      expect(Math.abs(meanOf(samples))).toBeLessThan(0.003);
    });

    test("is audible from its first second to its last chord, and ends in silence", () => {
      for (let second = 0; second < 7; second++)
        expect(rmsOf(samples.subarray(second * SAMPLE_RATE, (second + 1) * SAMPLE_RATE))).toBeGreaterThan(
          0.01,
        );
      expect(rmsOf(samples.subarray(-80))).toBeLessThan(0.001);
    });
  });

  test("of another prompt, other lyrics or another seed is different", async () => {
    expect(Math.abs(likeness(rain, techno))).toBeLessThan(0.3);
    for (const other of [{ seed: 2 }, { lyrics: "la la" }]) {
      expect(Math.abs(likeness(rain, await songOf({ ...RAIN, ...other })))).toBeLessThan(0.3);
    }
  });

  test.each([0.3, 1, 8, 40])("of %d s has exactly that length", async (durationSeconds) => {
    expect(await songOf({ ...RAIN, durationSeconds })).toHaveLength(durationSeconds * SAMPLE_RATE);
  });

  test("yields to other work while it is rendered and encoded", async () => {
    const request = { ...RAIN, lyrics: "", seed: 1, durationSeconds: 40, instrumental: false };
    let pauses = 0;
    const pause = async () => {
      pauses++;
    };
    const samples = await renderSong(request, pause);
    const beats = writeScore(request).parts.flatMap(({ notes }) => notes);
    expect(beats.length).toBeGreaterThan(100);
    expect(pauses).toBeGreaterThan(12);
    pauses = 0;
    await encode(samples, "mp3", pause);
    expect(pauses).toBeGreaterThan(80);
  });

  test("lasts between 20 and 40 s, depending on its seed, in tenths of a second", () => {
    const durations = Array.from({ length: 300 }, (_, seed) => songDurationSeconds(seed));
    expect(Math.min(...durations)).toBeGreaterThanOrEqual(20);
    expect(Math.max(...durations)).toBeLessThanOrEqual(40);
    expect(new Set(durations).size).toBeGreaterThan(80);
    for (const duration of durations) expect(duration).toBe(Math.round(duration * 10) / 10);
  });
});

describe("joined parts", () => {
  const level = (value: number, seconds: number) => new Int16Array(seconds * SAMPLE_RATE).fill(value);

  test("follow one another, shorter by one crossfade for each join", () => {
    const joined = joinSamples([level(1000, 1), level(3000, 1), level(2000, 1)]);
    expect(joined).toHaveLength((3 - 2 * CROSSFADE_SECONDS) * SAMPLE_RATE);
    expect([joined.at(0), joined.at(-1)]).toEqual([1000, 2000]);
  });

  test("fade into each other without a step", () => {
    const joined = joinSamples([level(0, 1), level(10_000, 1)]);
    const steps = joined.map((sample, index) => Math.abs(sample - (joined[index - 1] ?? sample)));
    expect(Math.max(...steps)).toBeLessThan(5);
  });

  test("are not louder at the join than before it", () => {
    expect(new Set(joinSamples([level(30_000, 1), level(30_000, 1)]))).toEqual(new Set([30_000]));
  });

  test("may be shorter than a crossfade, a single one, or none", () => {
    expect(joinSamples([level(1, 1), level(2, 0.1)])).toHaveLength(SAMPLE_RATE);
    expect(joinSamples([level(5, 0.5)])).toEqual(level(5, 0.5));
    expect(joinSamples([])).toHaveLength(0);
  });

  test("do not change", () => {
    const first = level(1000, 0.5);
    joinSamples([first, level(9000, 0.5)]);
    expect(first).toEqual(level(1000, 0.5));
  });
});
