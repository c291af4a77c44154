import type { Formant } from "../vowels.js";
import { type Instrument, PLUCKED } from "./instrument.js";

const HELD: Instrument = {
  ...PLUCKED,
  slope: 1,
  dulling: 0.4,
  dullingSeconds: 0.6,
  attackSeconds: 0.06,
  fallSeconds: 1,
  sustain: 0.85,
  releaseSeconds: 0.08,
  vibratoCents: 9,
  level: 0.8,
};

const VIOLIN_BODY: readonly Formant[] = [
  [450, 300, 0.8],
  [1000, 400, 0.7],
  [2600, 900, 0.6],
];

/** Bowed, blown or sung: held as long as the note is. */
export const HELD_INSTRUMENTS = {
  harmonica: {
    ...HELD,
    slope: 0.9,
    evens: 0.7,
    formants: [
      [1200, 500, 1],
      [2600, 700, 0.6],
    ],
    attackSeconds: 0.04,
    vibratoCents: 14,
    middlePitch: 72,
  },
  strings: {
    ...HELD,
    slope: 1.1,
    attackSeconds: 0.09,
    releaseSeconds: 0.07,
    widthCents: 16,
    vibratoCents: 5,
    level: 0.75,
  },
  violin: {
    ...HELD,
    formants: VIOLIN_BODY,
    vibratoCents: 16,
    middlePitch: 74,
  },
  cello: {
    ...HELD,
    formants: [
      [250, 150, 1],
      [600, 300, 0.6],
      [1500, 700, 0.4],
    ],
    vibratoCents: 11,
    middlePitch: 52,
  },
  choir: {
    ...HELD,
    slope: 0.8,
    formants: [
      [650, 140, 1],
      [1080, 150, 0.5],
      [2700, 300, 0.15],
    ],
    dulling: 0,
    attackSeconds: 0.15,
    releaseSeconds: 0.12,
    widthCents: 20,
    vibratoCents: 10,
  },
  saxophone: {
    ...HELD,
    slope: 0.9,
    formants: [
      [700, 350, 1],
      [1500, 500, 0.6],
      [2500, 700, 0.25],
    ],
    attackSeconds: 0.03,
    dulling: 0.3,
    vibratoCents: 14,
    middlePitch: 63,
  },
  trumpet: {
    ...HELD,
    slope: 0.75,
    formants: [
      [1200, 700, 1],
      [2400, 900, 0.5],
    ],
    attackSeconds: 0.025,
    dulling: 0.3,
    dullingSeconds: 0.15,
    vibratoCents: 7,
    middlePitch: 67,
  },
  flute: {
    ...HELD,
    drawbars: [1, 0.28, 0.1, 0.03, 0.01],
    dulling: 0.2,
    attackSeconds: 0.05,
    vibratoCents: 12,
    middlePitch: 76,
  },
  voice: {
    ...HELD,
    slope: 0.75,
    formants: "vowel",
    dulling: 0,
    attackSeconds: 0.045,
    sustain: 0.9,
    releaseSeconds: 0.05,
    vibratoCents: 18,
    level: 1,
  },
} as const satisfies Record<string, Instrument>;
