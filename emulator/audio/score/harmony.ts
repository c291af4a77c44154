import { at, type Random } from "../seeded.js";
import type { Style } from "../style/style.js";
import type { Section, SectionKind } from "./form.js";
import { PROGRESSIONS, SCALES, type ScaleName } from "./scales.js";

export type Chord = {
  /** The root as a scale step from 0 to 6. */
  readonly root: number;
  /** Scale steps of its notes, the root first. */
  readonly steps: readonly number[];
  /** The scale to play over it, in semitones above the key note. */
  readonly scale: readonly number[];
};

export type Harmony = {
  readonly tonic: number;
  readonly scale: ScaleName;
  readonly beatsPerChord: number;
  readonly chords: readonly Chord[];
};

type KeyPlan = {
  readonly tonic: number;
  readonly scale: ScaleName;
  readonly progressions: Readonly<Record<SectionKind, readonly number[]>>;
  readonly chordsPerBar: 1 | 2;
  readonly leadingTone: boolean;
};

/** Under this tempo a chord a bar would stand still. */
const SLOW_BEATS_PER_MINUTE = 78;

/** The key and the chords of each kind of section: the part of a song that a continuation keeps. */
export function planKey(style: Style, beatsPerMinute: number, random: Random): KeyPlan {
  const scale = random.pick(style.scales);
  const verse = random.pick(PROGRESSIONS[scale]);
  const chorus = random.pick(PROGRESSIONS[scale]);
  const bridge = random.pick(PROGRESSIONS[scale]);
  return {
    tonic: random.below(12),
    scale,
    progressions: { intro: chorus, verse, chorus, bridge, outro: chorus },
    chordsPerBar:
      beatsPerMinute < SLOW_BEATS_PER_MINUTE && style.beatsPerBar === 4 && random.chance(0.6) ? 2 : 1,
    leadingTone: random.chance(0.6),
  };
}

/** One chord after another for the whole song, with the key chord as the last. */
export function writeHarmony(plan: KeyPlan, sections: readonly Section[], style: Style): Harmony {
  const chords = sections.flatMap(({ kind, bars }) =>
    Array.from({ length: bars * plan.chordsPerBar }, (_, index) =>
      buildChord(plan, at(plan.progressions[kind], index), style.sevenths),
    ),
  );
  chords.push(buildChord(plan, 0, style.sevenths && plan.scale !== "minor"));
  return {
    tonic: plan.tonic,
    scale: plan.scale,
    beatsPerChord: style.beatsPerBar / plan.chordsPerBar,
    chords,
  };
}

export function chordAt(harmony: Harmony, beat: number): Chord {
  const index = Math.floor(beat / harmony.beatsPerChord + 1e-6);
  return at(harmony.chords, Math.min(index, harmony.chords.length - 1));
}

function buildChord(plan: KeyPlan, root: number, sevenths: boolean): Chord {
  return {
    root,
    steps: sevenths ? [root, root + 2, root + 4, root + 6] : [root, root + 2, root + 4],
    scale: scaleOver(plan, root),
  };
}

/** The fifth chord of a minor key wants the raised seventh; blues takes the major third under its home chords. */
function scaleOver({ scale, leadingTone }: KeyPlan, root: number): readonly number[] {
  const steps = SCALES[scale];
  if (scale === "minor" && leadingTone && root === 4) return [...steps.slice(0, 6), 11];
  if (scale === "blues" && root !== 3) return [0, 2, 4, 5, 7, 9, root === 4 ? 11 : 10];
  return steps;
}
