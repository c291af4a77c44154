import type { Random } from "../seeded.js";
import type { Style } from "../style/style.js";
import type { Section, SectionKind } from "./form.js";
import { type Chord, chordAt, type Harmony } from "./harmony.js";
import { cadenceOf, createMotif, type Motif } from "./motif.js";
import { stepPitch } from "./scales.js";
import type { Note } from "./score.js";

/** A tune of two motifs for each kind of section: the part of a song that a listener hums, and a continuation keeps. */
export type Tune = Readonly<Record<SectionKind, readonly [Motif, Motif]>>;

const PHRASE_BARS = 4;
/** From a third to a fifth, in semitones. */
const HARMONY_GAPS = [3, 4, 5, 6, 7];
const SHORTEST_HARMONIZED_BEATS = 0.4;
/** Scale steps above the middle of the register, so that the chorus lifts. */
const LIFT: Readonly<Record<SectionKind, number>> = {
  intro: 2,
  verse: 0,
  chorus: 3,
  bridge: 1,
  outro: 0,
};

export function createTune(style: Style, random: Random): Tune {
  const motifs = (density: number) =>
    [
      createMotif(style.beatsPerBar, density, random),
      createMotif(style.beatsPerBar, density, random),
    ] as const;
  const verse = motifs(style.density);
  const chorus = motifs(style.density * 0.8);
  const bridge = motifs(style.density * 0.6);
  return { intro: chorus, verse, chorus, bridge, outro: chorus };
}

/** The tune, bent to the chords: bars one and three of a phrase are alike, the fourth comes to rest, and a chorus is in two voices. */
export function writeMelody(
  tune: Tune,
  harmony: Harmony,
  sections: readonly Section[],
  style: Style,
  middlePitch: number,
  random: Random,
): readonly Note[] {
  return sections.flatMap(({ kind, startBar, bars }) => {
    const [first, answer] = tune[kind];
    const line = Array.from({ length: bars }, (_, bar) => {
      const rests = bar === bars - 1 || bar % PHRASE_BARS === PHRASE_BARS - 1;
      const motif = bar % 2 === 1 && !rests ? answer : first;
      const shape = rests ? cadenceOf(motif, style.beatsPerBar) : motif;
      return writeBar(shape, harmony, (startBar + bar) * style.beatsPerBar, LIFT[kind], middlePitch, random);
    }).flat();
    return kind === "chorus" ? [...line, ...harmonize(line, harmony)] : line;
  });
}

function writeBar(
  motif: Motif,
  harmony: Harmony,
  barStart: number,
  lift: number,
  middlePitch: number,
  random: Random,
): readonly Note[] {
  const tonicPitch = middlePitch - 6 + ((((harmony.tonic - middlePitch + 6) % 12) + 12) % 12);
  const anchor = nearestChordStep(chordAt(harmony, barStart), lift);
  return motif.map(({ start, length, rise }) => {
    const chord = chordAt(harmony, barStart + start);
    const isStrong = start % 2 === 0 || length >= 1;
    const step = isStrong ? nearestChordStep(chord, anchor + rise) : anchor + rise;
    return {
      start: barStart + start,
      length: length * 0.95,
      pitch: stepPitch(chord.scale, tonicPitch, step),
      velocity: (isStrong ? 1 : 0.82) * random.between(0.9, 1),
    };
  });
}

/** The second voice of a chorus: the next chord note at least a third below each note that is long enough for it. */
function harmonize(melody: readonly Note[], harmony: Harmony): readonly Note[] {
  return melody.flatMap((note) => {
    if (note.length < SHORTEST_HARMONIZED_BEATS) return [];
    const { steps, scale } = chordAt(harmony, note.start);
    const pitchClasses = steps.map((step) => stepPitch(scale, harmony.tonic, step) % 12);
    const below = HARMONY_GAPS.map((gap) => note.pitch - gap).find((pitch) =>
      pitchClasses.includes(pitch % 12),
    );
    return below === undefined ? [] : [{ ...note, pitch: below, velocity: note.velocity * 0.55 }];
  });
}

function nearestChordStep(chord: Chord, target: number): number {
  let nearest = chord.root;
  for (const triadStep of chord.steps.slice(0, 3)) {
    const octave = 7 * Math.round((target - triadStep) / 7);
    if (Math.abs(triadStep + octave - target) < Math.abs(nearest - target)) nearest = triadStep + octave;
  }
  return nearest;
}
