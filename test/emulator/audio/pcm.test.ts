import { describe, expect, test } from "vitest";
import { CROSSFADE_SECONDS, cutPcm, type Pcm, PcmJoin, SAMPLE_RATE } from "../../../emulator/audio/pcm.js";

const FADE_FRAMES = CROSSFADE_SECONDS * SAMPLE_RATE;

function level(value: number, seconds: number): Pcm {
  const frames = Math.round(seconds * SAMPLE_RATE);
  return {
    sampleRate: SAMPLE_RATE,
    left: new Int16Array(frames).fill(value),
    right: new Int16Array(frames).fill(-value),
  };
}

function joinPcm(parts: readonly Pcm[]): Pcm {
  const join = new PcmJoin(parts.reduce((frames, part) => frames + part.left.length, 0));
  for (const part of parts) join.add(part);
  return join.sound;
}

describe("joined sounds", () => {
  test("come one after the other, shorter by one crossfade a seam", () => {
    const joined = joinPcm([level(1000, 1), level(3000, 1), level(2000, 1)]);
    expect(joined.left).toHaveLength(3 * SAMPLE_RATE - 2 * FADE_FRAMES);
    expect(joined.left.at(0)).toBe(1000);
    expect(joined.left.at(-1)).toBe(2000);
    expect(joined.right.at(-1)).toBe(-2000);
  });

  test("fade into each other without a step", () => {
    const { left } = joinPcm([level(0, 1), level(10_000, 1)]);
    let widest = 0;
    for (let index = 1; index < left.length; index++) {
      widest = Math.max(widest, Math.abs((left[index] ?? 0) - (left[index - 1] ?? 0)));
    }
    expect(widest).toBeLessThan(5);
  });

  test("are not louder at the seam than their parts", () => {
    const { left } = joinPcm([level(30_000, 1), level(30_000, 1)]);
    expect(new Set(left)).toEqual(new Set([30_000]));
  });

  test("may be shorter than a crossfade, a single one, or none", () => {
    expect(joinPcm([level(1, 1), level(2, 0.1)]).left).toHaveLength(SAMPLE_RATE);
    expect(joinPcm([level(5, 0.5)])).toEqual(level(5, 0.5));
    expect(joinPcm([]).left).toHaveLength(0);
  });

  test("leave their parts as they were", () => {
    const first = level(1000, 0.5);
    joinPcm([first, level(9000, 0.5)]);
    expect(first).toEqual(level(1000, 0.5));
  });

  test("of different sample rates are refused", () => {
    expect(() => joinPcm([level(1, 1), { ...level(1, 1), sampleRate: 48_000 }])).toThrow(RangeError);
  });
});

describe("a cut sound", () => {
  test("ends where it is cut, and never beyond its own end", () => {
    expect(cutPcm(level(7, 2), 0.5)).toEqual(level(7, 0.5));
    expect(cutPcm(level(7, 2), 3)).toEqual(level(7, 2));
    expect(cutPcm(level(7, 2), 0).left).toHaveLength(0);
  });
});
