import { at } from "../seeded.js";

/** Semitones above the key note. */
export const SCALES = {
  major: [0, 2, 4, 5, 7, 9, 11],
  lydian: [0, 2, 4, 6, 7, 9, 11],
  mixolydian: [0, 2, 4, 5, 7, 9, 10],
  dorian: [0, 2, 3, 5, 7, 9, 10],
  minor: [0, 2, 3, 5, 7, 8, 10],
  phrygian: [0, 1, 3, 5, 7, 8, 10],
  blues: [0, 2, 3, 5, 7, 9, 10],
} as const satisfies Record<string, readonly number[]>;

export type ScaleName = keyof typeof SCALES;

/** Four chords each, as scale steps from 0; tried and tested ones, so that any of them sounds like a song. */
export const PROGRESSIONS: Readonly<Record<ScaleName, readonly (readonly number[])[]>> = {
  major: [
    [0, 4, 5, 3],
    [0, 5, 3, 4],
    [5, 3, 0, 4],
    [0, 3, 5, 4],
    [3, 0, 4, 5],
    [0, 2, 3, 4],
    [1, 4, 0, 5],
    [0, 3, 1, 4],
  ],
  lydian: [
    [0, 1, 0, 1],
    [0, 1, 4, 0],
    [0, 4, 1, 5],
    [5, 1, 0, 4],
  ],
  mixolydian: [
    [0, 6, 3, 0],
    [0, 3, 6, 0],
    [0, 6, 3, 4],
    [3, 0, 6, 0],
  ],
  dorian: [
    [0, 3, 0, 3],
    [0, 6, 3, 0],
    [0, 2, 3, 6],
    [0, 3, 6, 2],
  ],
  minor: [
    [0, 5, 2, 6],
    [0, 3, 5, 4],
    [0, 6, 5, 6],
    [5, 6, 0, 0],
    [0, 2, 6, 3],
    [3, 0, 5, 4],
    [0, 4, 5, 2],
  ],
  phrygian: [
    [0, 1, 0, 1],
    [0, 5, 1, 0],
    [0, 1, 6, 0],
    [0, 6, 5, 1],
  ],
  blues: [
    [0, 3, 0, 4],
    [0, 0, 3, 0],
    [0, 3, 4, 0],
    [3, 3, 0, 4],
  ],
};

/** The pitch of a scale step counted from the key note; steps go on above 6 and below 0. */
export function stepPitch(scale: readonly number[], tonicPitch: number, step: number): number {
  return tonicPitch + at(scale, step) + 12 * Math.floor(step / scale.length);
}
