import type { Random } from "../seeded.js";
import { at } from "../seeded.js";
import type { Style } from "../style/style.js";
import { BASS_PATTERNS, type BassPattern } from "./bass-patterns.js";
import type { Section } from "./form.js";
import { type Chord, chordAt, type Harmony } from "./harmony.js";
import { stepPitch } from "./scales.js";
import type { Note } from "./score.js";

/** E1: nothing is written lower. */
const LOWEST_PITCH = 28;
const STEPS_PER_BEAT = 4;

/** The pattern on every bar but the intro's; the outro holds its notes. */
export function writeBass(
  harmony: Harmony,
  sections: readonly Section[],
  style: Style,
  pattern: BassPattern,
  random: Random,
): readonly Note[] {
  const played = sections.filter((section) => section.kind !== "intro");
  return played.flatMap(({ kind, startBar, bars }) =>
    Array.from({ length: bars }, (_, bar) => (startBar + bar) * style.beatsPerBar).flatMap((start) =>
      writeBar(harmony, start, style, kind === "outro" ? BASS_PATTERNS.long : BASS_PATTERNS[pattern], random),
    ),
  );
}

function writeBar(
  harmony: Harmony,
  start: number,
  style: Style,
  pattern: string,
  random: Random,
): readonly Note[] {
  const steps = pattern.slice(0, style.beatsPerBar * STEPS_PER_BEAT);
  return [...steps.matchAll(/[a-z]-*/g)].map((touch) => {
    const beat = start + touch.index / STEPS_PER_BEAT;
    return {
      start: beat,
      length: (touch[0].length / STEPS_PER_BEAT) * 0.94,
      pitch: degreePitch(harmony, touch[0].charAt(0), beat),
      velocity: (touch.index % 4 === 0 ? 1 : 0.82) * random.between(0.92, 1),
    };
  });
}

/** The root of a chord in the bass register. */
export function bassRoot(harmony: Harmony, chord: Chord): number {
  const pitch = stepPitch(chord.scale, harmony.tonic, chord.root);
  return LOWEST_PITCH + ((((pitch - LOWEST_PITCH) % 12) + 12) % 12);
}

function degreePitch(harmony: Harmony, degree: string, beat: number): number {
  const chord = chordAt(harmony, beat);
  const root = bassRoot(harmony, chord);
  const above = (step: number) =>
    root + stepPitch(chord.scale, 0, chord.root + step) - stepPitch(chord.scale, 0, chord.root);
  switch (degree) {
    case "t":
      return above(2);
    case "f":
      return above(4);
    case "o":
      return root + 12;
    case "a":
      return approach(bassRoot(harmony, chordAt(harmony, beat + 1)), root);
    default:
      return root;
  }
}

/** One semitone beside the next root, from the side where the last one was. */
function approach(nextRoot: number, root: number): number {
  return nextRoot === root ? at([root + 7, root + 12], root) : nextRoot + (root > nextRoot ? 1 : -1);
}
