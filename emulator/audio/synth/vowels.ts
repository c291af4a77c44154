/** Resonances of the mouth: where, how wide (both in Hz), how strong. */
export type Formant = readonly [frequency: number, width: number, gain: number];

export const VOWELS = ["a", "e", "i", "o", "u"] as const;

export type Vowel = (typeof VOWELS)[number];

export const VOWEL_FORMANTS: Readonly<Record<Vowel, readonly Formant[]>> = {
  a: [
    [750, 120, 1],
    [1200, 130, 0.6],
    [2800, 250, 0.25],
    [3600, 300, 0.12],
  ],
  e: [
    [480, 100, 1],
    [1750, 140, 0.45],
    [2600, 220, 0.3],
    [3500, 300, 0.12],
  ],
  i: [
    [320, 90, 1],
    [2100, 150, 0.35],
    [2900, 220, 0.3],
    [3600, 300, 0.12],
  ],
  o: [
    [480, 100, 1],
    [880, 110, 0.6],
    [2600, 250, 0.15],
    [3300, 300, 0.08],
  ],
  u: [
    [350, 90, 1],
    [700, 100, 0.4],
    [2500, 250, 0.12],
    [3300, 300, 0.06],
  ],
};
