import type { Formant } from "../vowels.js";

/** How a sound is made: a spectrum that dulls as the note goes on, and a loudness that rises, falls and dies away. */
export type Instrument = {
  /** Overtone number h is as loud as h to the power of minus this. */
  readonly slope: number;
  /** How loud the even overtones are beside the odd ones: 0 sounds hollow. */
  readonly evens: number;
  /** Exact loudness of each overtone, in place of `slope` and `evens`. */
  readonly drawbars?: readonly number[];
  /** Resonances of a body, or `"vowel"` for those of a mouth. */
  readonly formants?: readonly Formant[] | "vowel";
  /** What the slope grows by once the attack has worn off, and how soon half of that happens. */
  readonly dulling: number;
  readonly dullingSeconds: number;
  readonly attackSeconds: number;
  /** The half-life of the fall from the attack to `sustain`, which is between 0 and 1. */
  readonly fallSeconds: number;
  readonly sustain: number;
  /** The half-life after the note has ended. */
  readonly releaseSeconds: number;
  /** How far apart the left and the right side are tuned; at 0 both are the same, which takes half the time. */
  readonly widthCents: number;
  readonly vibratoCents: number;
  readonly level: number;
  /** The middle of the register in which it plays a tune, as a MIDI pitch. */
  readonly middlePitch: number;
};

/** The plainest instrument, a plucked string; the families start from it. */
export const PLUCKED: Instrument = {
  slope: 1.1,
  evens: 1,
  dulling: 1.2,
  dullingSeconds: 0.12,
  attackSeconds: 0.003,
  fallSeconds: 0.45,
  sustain: 0,
  releaseSeconds: 0.06,
  widthCents: 0,
  vibratoCents: 0,
  level: 1,
  middlePitch: 69,
};
