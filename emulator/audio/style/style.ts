import type { BassPattern } from "../score/bass-patterns.js";
import type { ChordPattern } from "../score/chord-patterns.js";
import type { Groove } from "../score/grooves.js";
import type { ScaleName } from "../score/scales.js";
import type { KitName } from "../synth/drum-kits.js";
import type { InstrumentName } from "../synth/instruments/instruments.js";

/** How a kind of music is played. A list is a choice that the song's seed makes. */
export type Style = {
  /** The slowest and the fastest, in beats per minute. */
  readonly tempo: readonly [number, number];
  readonly beatsPerBar: 3 | 4;
  readonly scales: readonly ScaleName[];
  readonly sevenths: boolean;
  readonly groove: Groove;
  readonly kit: KitName;
  readonly bass: readonly BassPattern[];
  readonly bassInstrument: InstrumentName;
  readonly chords: readonly ChordPattern[];
  readonly chordInstruments: readonly InstrumentName[];
  /** Long chords behind everything; `null` for none. */
  readonly pad: InstrumentName | null;
  readonly leads: readonly InstrumentName[];
  /** How busy the melody is, 0 to 2. */
  readonly density: number;
  /** How late the second half of a `swingBeats` span comes: 0 is straight, 1 a full triplet. */
  readonly swing: number;
  readonly swingBeats: 1 | 0.5;
  /** Upper partials: 1 as the instrument is, less is duller. */
  readonly brightness: number;
  /** Distortion of the chord instrument, 0 to 1. */
  readonly drive: number;
  readonly reverb: number;
  readonly echo: number;
  /** How far the kick drum pushes everything else down, 0 to 1. */
  readonly pump: number;
};

/** What a word changes. A `tempoFactor` multiplies instead, so that "slow techno" is still faster than "slow ambient". */
export type StyleTwist = Partial<Style> & { readonly tempoFactor?: number };
