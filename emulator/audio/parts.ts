import { type Random, randomChoice } from "../time/random.js";
import { at, between, modulo } from "./numbers.js";
import type { Style } from "./style.js";
import { type DrumName, type Hit, INSTRUMENTS, type Note, type Part } from "./synth.js";

/** A song before its notes. */
export interface Song {
  readonly style: Style;
  readonly beatsPerBar: number;
  /** The key note, from 0 for C to 11. */
  readonly tonic: number;
  /** The last one holds the final chord. */
  readonly bars: readonly Bar[];
}

export interface Bar {
  readonly section: "intro" | "verse" | "chorus" | "bridge" | "outro" | "ending";
  readonly startBeat: number;
  /** Counted from 0 in each section. */
  readonly position: number;
  readonly isLast: boolean;
  /** The root of the chord as a scale step, 0 to 6, and the scale to play over it, in semitones above the key note. */
  readonly root: number;
  readonly scale: readonly number[];
}

/** One bar of tune without a key: when, how long, and how many scale steps above its first note. */
type Motif = readonly { readonly start: number; readonly length: number; readonly rise: number }[];

const HELD_ROOT = "1---------------";
const HELD_CHORD = "x---------------";
const FILLS = ["........x.x.x.xx", "..........ooxxoo", "........x..x..xx", "............xxxx"];
const LOWEST_BASS_PITCH = 28;
const LOWEST_CHORD_PITCH = 54;
const VOICE_PITCHES = [56, 67];
/** The tune of a chorus is higher by so many scale steps. */
const CHORUS_LIFT = 3;
/** Two beats of rhythm each, from calm to busy. */
const RHYTHMS = [
  ["2", "1.5 0.5", "1 1"],
  ["1 1", "0.5 0.5 1", "1 0.5 0.5", "1.5 0.5", "0.5 1 0.5", "0.75 0.75 0.5"],
  ["0.5 0.5 0.5 0.5", "0.75 0.25 0.5 0.5", "0.5 0.25 0.25 0.5 0.5", "0.25 0.25 0.5 1"],
];
/** Mostly steps, sometimes a third, rarely a leap: what a person can sing. */
const MOVES = [-2, -1, -1, -1, 0, 1, 1, 1, 2, 2, -3, 4];

/**
 * Bass, chords and a tune, which a voice sings or an instrument plays.
 *
 * @param random - Chooses what belongs to the song: the tune and the instruments.
 * @param touch - Varies the loudness of each note.
 */
export function writeParts(
  song: Song,
  instrumental: boolean,
  random: Random,
  touch: Random,
): readonly Part[] {
  const { density, groove, ...style } = song.style;
  const verseMotifs = [0, 1].map(() => writeMotif(song, density, random));
  const chorusMotifs = [0, 1].map(() => writeMotif(song, density * 0.8, random));
  const lead = randomChoice(random, style.leads);
  const chordInstrument = randomChoice(random, style.chords);
  const voicePitch = randomChoice(random, VOICE_PITCHES);
  const middlePitch = instrumental ? INSTRUMENTS[lead][3] : voicePitch;

  const bass: Note[] = [];
  const chords: Note[] = [];
  const tune: Note[] = [];
  for (const bar of song.bars) {
    const isEnding = bar.section === "ending";
    const isChorus = bar.section === "chorus";
    const chordPattern = isEnding ? HELD_CHORD : groove.chords[isChorus ? 1 : 0];
    chords.push(...writePattern(song, bar, chordPattern, chordPitches(song, bar), touch));
    if (bar.section === "intro") continue;
    bass.push(...writePattern(song, bar, isEnding ? HELD_ROOT : groove.bass, bassPitches(song, bar), touch));
    if (!isEnding)
      tune.push(...writeTune(song, bar, isChorus ? chorusMotifs : verseMotifs, middlePitch, touch));
  }
  return [
    { role: "bass", instrument: style.bass, notes: bass },
    { role: "chords", instrument: chordInstrument, notes: chords },
    { role: "tune", instrument: instrumental ? lead : "voice", notes: tune },
  ];
}

/** One bar of a pattern, played on the root, third, fifth and highest note of the chord. */
function writePattern(
  { beatsPerBar }: Song,
  { startBeat }: Bar,
  pattern: string,
  pitches: readonly number[],
  touch: Random,
): readonly Note[] {
  return strokesOf(pattern, beatsPerBar).flatMap(({ symbol, start, length }) => {
    const played = symbol === "x" ? pitches.slice(0, 3) : [at(pitches, "1358".indexOf(symbol))];
    const velocity = between(touch, 0.85, 1);
    return played.map((pitch) => ({ start: startBeat + start, length, pitch, velocity }));
  });
}

function bassPitches({ tonic }: Song, { root, scale }: Bar): readonly number[] {
  const lowest = foldedAbove(LOWEST_BASS_PITCH, tonic + stepPitch(scale, root));
  return [0, 2, 4, 7].map((step) => lowest + stepPitch(scale, root + step) - stepPitch(scale, root));
}

/** The chord within one octave, so that neighboring chords move little, and its lowest note again on top. */
function chordPitches({ tonic }: Song, { root, scale }: Bar): readonly number[] {
  const pitches = [0, 2, 4]
    .map((step) => foldedAbove(LOWEST_CHORD_PITCH, tonic + stepPitch(scale, root + step)))
    .sort((a, b) => a - b);
  return [...pitches, at(pitches, 0) + 12];
}

function writeMotif({ beatsPerBar }: Song, density: number, random: Random): Motif {
  let start = 0;
  let rise = 0;
  const notes: Motif[number][] = [];
  while (start < beatsPerBar) {
    const busy = Math.min(2, Math.max(0, Math.round(density + between(random, -0.6, 0.6))));
    const rhythm = beatsPerBar - start === 1 ? "1" : randomChoice(random, at(RHYTHMS, busy));
    for (const length of rhythm.split(" ").map(Number)) {
      notes.push({ start, length, rise });
      start += length;
      const move = randomChoice(random, MOVES);
      rise += rise + move > 5 || rise + move < -3 ? -move : move;
    }
  }
  return notes.length > 2 && random() < 0.3 ? notes.slice(1) : notes;
}

/** One bar of tune, fitted to its chord: motifs take turns, and the last bar of a section rests on a long note. */
function writeTune(
  { tonic, beatsPerBar }: Song,
  bar: Bar,
  motifs: readonly Motif[],
  middlePitch: number,
  touch: Random,
): readonly Note[] {
  const { section, startBeat, position, isLast, scale } = bar;
  const tonicPitch = foldedAbove(middlePitch - 6, tonic);
  const anchor = nearestChordStep(bar, section === "chorus" ? CHORUS_LIFT : 0);
  const motif = isLast ? cadenceOf(at(motifs, 0), beatsPerBar) : at(motifs, position);
  return motif.map(({ start, length, rise }) => {
    const isStrong = start % 2 === 0 || length >= 1;
    const step = isStrong ? nearestChordStep(bar, anchor + rise) : anchor + rise;
    return {
      start: startBeat + start,
      length: length * 0.95,
      pitch: tonicPitch + stepPitch(scale, step),
      velocity: (isStrong ? 1 : 0.82) * between(touch, 0.9, 1),
    };
  });
}

/** The end of a phrase: the first notes of the motif, then a long one and a rest. */
function cadenceOf(motif: Motif, beatsPerBar: number): Motif {
  const opening = motif.filter(({ start, length }) => start + length <= beatsPerBar / 2);
  const { start, length } = opening.at(-1) ?? { start: 0, length: 0 };
  return [...opening, { start: start + length, length: (beatsPerBar - start - length) * 0.75, rise: 0 }];
}

function nearestChordStep({ root }: Bar, target: number): number {
  const candidates = [0, 2, 4].map((third) => root + third + 7 * Math.round((target - root - third) / 7));
  return candidates.reduce((a, b) => (Math.abs(b - target) < Math.abs(a - target) ? b : a));
}

/** The groove in every bar, a crash on each chorus and at the end, and a fill after each verse. */
export function writeDrums({ style, bars, beatsPerBar }: Song, touch: Random): readonly Hit[] {
  const drums = Object.entries(style.groove.drums) as [DrumName, string][];
  if (drums.length === 0) return [];
  const fill = randomChoice(touch, FILLS);
  return bars.flatMap(({ section, startBeat, position, isLast }) => {
    const patterns: [DrumName, string][] = section === "ending" ? [["kick", "x"]] : [...drums];
    if (section === "ending" || (section === "chorus" && position === 0)) patterns.push(["crash", "x"]);
    if (section === "verse" && isLast) patterns.push(["tom", fill]);
    return patterns.flatMap(([drum, pattern]) =>
      strokesOf(pattern, beatsPerBar).map(({ symbol, start }) => {
        const velocity = (symbol === "x" ? 1 : 0.5) * between(touch, 0.88, 1);
        return { start: startBeat + start, drum, velocity };
      }),
    );
  });
}

/** The notes or hits of a pattern, in beats from the beginning of the bar. */
function strokesOf(pattern: string, beatsPerBar: number) {
  const strokes = pattern.slice(0, beatsPerBar * 4).matchAll(/([^.-])-*/g);
  return [...strokes].map(({ 0: { length }, 1: symbol = "", index }) => ({
    symbol,
    start: index / 4,
    length: length / 4,
  }));
}

/** Semitones from the key note to a scale step; steps continue above 6 and below 0. */
function stepPitch(scale: readonly number[], step: number): number {
  return at(scale, step) + 12 * Math.floor(step / scale.length);
}

/** The pitch in the octave that begins at `lowest`. */
function foldedAbove(lowest: number, pitch: number): number {
  return lowest + modulo(pitch - lowest, 12);
}
