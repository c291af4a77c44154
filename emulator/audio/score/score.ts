import type { DrumName, KitName } from "../synth/drum-kits.js";
import type { InstrumentName } from "../synth/instruments/instruments.js";
import type { Vowel } from "../synth/vowels.js";
import type { Section } from "./form.js";
import type { ScaleName } from "./scales.js";

/** Written music: everything that the synthesis needs to know, in beats and semitones, and nothing about samples. */
export type Score = {
  readonly beatsPerMinute: number;
  readonly beatsPerBar: 3 | 4;
  /** The key note as a pitch class, 0 for C. */
  readonly tonic: number;
  readonly scale: ScaleName;
  readonly sections: readonly Section[];
  readonly parts: readonly Part[];
  readonly kit: KitName;
  readonly hits: readonly Hit[];
  readonly sound: Sound;
};

export type Part = {
  readonly role: Role;
  readonly instrument: InstrumentName;
  readonly notes: readonly Note[];
};

export type Role = "bass" | "chords" | "pad" | "lead" | "vocal";

/** `pitch` is a MIDI number; `vowel` is what a voice sings on it. */
export type Note = {
  readonly start: number;
  readonly length: number;
  readonly pitch: number;
  readonly velocity: number;
  readonly vowel?: Vowel;
};

export type Hit = {
  readonly start: number;
  readonly drum: DrumName;
  readonly velocity: number;
};

export type Sound = {
  readonly brightness: number;
  readonly drive: number;
  readonly reverb: number;
  readonly echo: number;
  readonly pump: number;
};
