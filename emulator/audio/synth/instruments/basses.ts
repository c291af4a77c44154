import { type Instrument, PLUCKED } from "./instrument.js";

const BASS: Instrument = {
  ...PLUCKED,
  fallSeconds: 0.7,
  sustain: 0.25,
  widthCents: 0,
  releaseSeconds: 0.03,
  middlePitch: 40,
};

/** What plays the lowest line. */
export const BASSES = {
  fingerBass: { ...BASS, slope: 1.4, dullingSeconds: 0.1 },
  pickBass: { ...BASS, slope: 1.05, dulling: 0.7, dullingSeconds: 0.12 },
  uprightBass: {
    ...BASS,
    slope: 1.6,
    dullingSeconds: 0.06,
    fallSeconds: 0.35,
    sustain: 0.05,
    releaseSeconds: 0.06,
  },
  synthBass: {
    ...BASS,
    slope: 1,
    dulling: 1.2,
    dullingSeconds: 0.08,
    sustain: 0.6,
  },
  subBass: {
    ...BASS,
    drawbars: [1, 0.3, 0.12, 0.04],
    dulling: 0.5,
    fallSeconds: 1.5,
    sustain: 0.6,
    releaseSeconds: 0.05,
  },
  triangleBass: {
    ...BASS,
    drawbars: [1, 0, 0.11, 0, 0.04, 0, 0.02],
    dulling: 0,
    sustain: 1,
    releaseSeconds: 0.01,
  },
} as const satisfies Record<string, Instrument>;
