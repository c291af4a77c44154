import { at, type Random } from "../seeded.js";
import type { Style } from "../style/style.js";
import { type ChordPattern, chordPattern } from "./chord-patterns.js";
import type { Section } from "./form.js";
import { type Chord, chordAt, type Harmony } from "./harmony.js";
import { stepPitch } from "./scales.js";
import type { Note } from "./score.js";

const VELOCITIES: Readonly<Record<string, number>> = {
  x: 1,
  o: 0.75,
  "-": 0.45,
};
const STEPS_PER_BEAT = 4;
const STRUM_BEATS = 0.035;

export type Voicing = (chord: Chord) => readonly number[];

/** Every note of the chord as near to one pitch as it can be, so that neighbours move little. */
export function closeVoicing(harmony: Harmony, middlePitch: number): Voicing {
  return (chord) => {
    const low = middlePitch - 6;
    const pitches = chord.steps.map((step) => {
      const pitch = stepPitch(chord.scale, harmony.tonic, step);
      return low + ((((pitch - low) % 12) + 12) % 12);
    });
    pitches.sort((a, b) => a - b);
    return pitches.length > 3 ? pitches : [...pitches, at(pitches, 0) + 12];
  };
}

/** Root, fifth and octave: what stays clear through distortion. */
export function powerVoicing(harmony: Harmony): Voicing {
  return (chord) => {
    const pitch = stepPitch(chord.scale, harmony.tonic, chord.root);
    const root = 38 + ((((pitch - 38) % 12) + 12) % 12);
    return [root, root + 7, root + 12];
  };
}

/** One touch after another, over the whole song. */
export function writeChords(
  harmony: Harmony,
  sections: readonly Section[],
  style: Style,
  patternOf: (section: Section) => ChordPattern,
  voicing: Voicing,
  random: Random,
): readonly Note[] {
  return sections.flatMap((section) => {
    const pattern = chordPattern(patternOf(section));
    const stepsPerBar = style.beatsPerBar * STEPS_PER_BEAT;
    const notes: Note[] = [];
    let touch = 0;
    for (let step = 0; step < section.bars * stepsPerBar; step++) {
      const stepInBar = step % stepsPerBar;
      if (stepInBar === 0) touch = 0;
      const velocity =
        VELOCITIES[pattern.steps.charAt(stepInBar)] ?? heldVelocity(pattern.length, step, harmony);
      if (velocity === 0) continue;
      const start = section.startBar * style.beatsPerBar + step / STEPS_PER_BEAT;
      const length = Math.min(pattern.length, harmony.beatsPerChord - (start % harmony.beatsPerChord));
      const pitches = voicing(chordAt(harmony, start));
      const played = Array.isArray(pattern.order) ? [at(pitches, at(pattern.order, touch))] : pitches;
      const late = pattern.order === "strum" ? STRUM_BEATS : 0;
      for (const [index, pitch] of played.entries()) {
        notes.push({
          start: start + index * late,
          length,
          pitch,
          velocity: velocity * random.between(0.85, 1),
        });
      }
      touch++;
    }
    return notes;
  });
}

/** A pattern of long touches still has to follow a chord that changes within the bar. */
function heldVelocity(length: number, step: number, harmony: Harmony): number {
  return length >= 4 && step % (harmony.beatsPerChord * STEPS_PER_BEAT) === 0 ? 0.9 : 0;
}
