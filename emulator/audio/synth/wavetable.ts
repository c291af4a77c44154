import { logarithmOfTwo, pitchFrequency, powerOfTwo, sine } from "./exact.js";
import type { Instrument } from "./instruments/instrument.js";
import { type Formant, VOWEL_FORMANTS, type Vowel } from "./vowels.js";

/** One period of a sound, with its first sample again at the end. */
export const TABLE_SIZE = 2048;

/** A note sounds between these two: `bright` at its attack, `dull` later. */
export type Wave = {
  readonly bright: Float32Array;
  readonly dull: Float32Array;
};

export type WaveBank = (instrument: Instrument, pitch: number, vowel: Vowel | undefined) => Wave;

/** Tables are made for every fourth semitone, so that no overtone goes above what can be heard and formants stay put. */
const SEMITONES_PER_TABLE = 4;
const HIGHEST_FREQUENCY = 16_000;
const MOST_OVERTONES = 72;
const LOUDNESS = 0.22;

/** Waves made when they are first played, and kept for one song. */
export function createWaveBank(): WaveBank {
  const period = Float32Array.from({ length: TABLE_SIZE }, (_, index) => sine(index / TABLE_SIZE));
  const logarithms = Array.from({ length: MOST_OVERTONES + 1 }, (_, overtone) =>
    logarithmOfTwo(Math.max(1, overtone)),
  );
  const waves = new Map<Instrument, Map<string, Wave>>();

  return (instrument, pitch, vowel = "a") => {
    const band = Math.floor(pitch / SEMITONES_PER_TABLE);
    const formants = instrument.formants === "vowel" ? VOWEL_FORMANTS[vowel] : instrument.formants;
    const key = instrument.formants === "vowel" ? `${band}${vowel}` : `${band}`;
    const ofInstrument = waves.get(instrument) ?? new Map<string, Wave>();
    waves.set(instrument, ofInstrument);
    const known = ofInstrument.get(key);
    if (known !== undefined) return known;

    const frequency = pitchFrequency((band + 0.5) * SEMITONES_PER_TABLE);
    const build = (dulling: number) =>
      buildTable(loudnesses(instrument, formants, frequency, dulling, logarithms), period);
    const bright = build(0);
    const wave = {
      bright,
      dull: instrument.dulling === 0 ? bright : build(instrument.dulling),
    };
    ofInstrument.set(key, wave);
    return wave;
  };
}

function loudnesses(
  { slope, evens, drawbars }: Instrument,
  formants: readonly Formant[] | undefined,
  frequency: number,
  dulling: number,
  logarithms: readonly number[],
): readonly number[] {
  const count = Math.max(1, Math.min(MOST_OVERTONES, Math.floor(HIGHEST_FREQUENCY / frequency)));
  return Array.from(
    {
      length: drawbars === undefined ? count : Math.min(count, drawbars.length),
    },
    (_, index) => {
      const overtone = index + 1;
      const fall = powerOfTwo(
        -(dulling + (drawbars === undefined ? slope : 0)) * (logarithms[overtone] ?? 0),
      );
      const strength = drawbars?.[index] ?? (overtone % 2 === 0 ? evens : 1);
      return strength * fall * (formants === undefined ? 1 : resonance(formants, overtone * frequency));
    },
  );
}

/** A little of everything gets through, more of it near the resonances. */
function resonance(formants: readonly Formant[], frequency: number): number {
  return formants.reduce((sum, [middle, width, gain]) => {
    const distance = (frequency - middle) / width;
    return sum + gain / (1 + distance * distance);
  }, 0.03);
}

function buildTable(strengths: readonly number[], period: Float32Array): Float32Array {
  const table = new Float32Array(TABLE_SIZE + 1);
  let power = 0;
  for (const [index, strength] of strengths.entries()) {
    const overtone = index + 1;
    power += (strength * strength) / 2;
    // Overtones that all start together would make one sharp peak; spread like this the same sound is half as high.
    let phase = (overtone * overtone * 709) % TABLE_SIZE;
    for (let i = 0; i < TABLE_SIZE; i++) {
      table[i] = (table[i] ?? 0) + strength * (period[phase] ?? 0);
      phase = (phase + overtone) % TABLE_SIZE;
    }
  }
  const gain = LOUDNESS / Math.sqrt(power);
  for (let i = 0; i < TABLE_SIZE; i++) table[i] = (table[i] ?? 0) * gain;
  table[TABLE_SIZE] = table[0] ?? 0;
  return table;
}
