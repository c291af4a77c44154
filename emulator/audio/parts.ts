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

/** Bars of a tune, from calm to busy, and bars that end a phrase. On strong beats they have notes of the chord. */
const TUNES = [
  ["1-------3---5---", "5-------3-------", "3---2---1-------", "8-----7-5-------", "5-----6-5---3---"],
  ["1---2-3-5---3---", "5-3-5---6-5-3---", "3---3-2-1---5---", "1-3-5---8-7-5---", "8---5---6-5-3-2-"],
  ["1-2-3-5-6-5-3-2-", "5.5.6-5-3.3.2-1-", "8-7-5-7-8-5-3-5-", "3-3.5-3.2-2.3-1-", "1.1.3-5-8.8.7-5-"],
];
const CADENCES = ["5---3---1-----..", "3-2-1---------..", "2---3---1-----..", "3-5-8---------.."];
const FILLS = ["........x.x.x.xx", "..........ooxxoo", "........x..x..xx", "............xxxx"];
const HELD_CHORD = "x---------------";
const HELD_ROOT = "1---------------";
/** The lowest roots of the chords. */
const BASS_PITCH = 28;
const CHORD_PITCH = 52;
const VOICE_PITCHES = [48, 60];
/** The tune of a chorus is higher by so many semitones. */
const CHORUS_LIFT = 3;

/**
 * Bass, chords and a tune, which a voice sings or an instrument plays.
 *
 * @param random - Chooses what belongs to the song: the tune and the instruments.
 * @param touch - Varies the loudness of each note.
 */
export function writeParts(song: Song, instrumental: boolean, random: Random, touch: Random): Part[] {
  const { style, bars } = song;
  const { chords, density, groove, leads } = style;
  const chooseBar = () => {
    const busy = Math.round(density + between(random, -0.6, 0.6));
    return randomChoice(random, at(TUNES, Math.min(2, Math.max(0, busy))));
  };
  const verse = [chooseBar(), chooseBar()];
  const chorus = [chooseBar(), chooseBar()];
  const cadence = randomChoice(random, CADENCES);
  const chordInstrument = randomChoice(random, chords);
  const lead = randomChoice(random, leads);
  const voicePitch = randomChoice(random, VOICE_PITCHES);
  const tunePitch = instrumental ? INSTRUMENTS[lead][3] - 8 : voicePitch;

  const notes: Record<Part["role"], Note[]> = { bass: [], chords: [], tune: [] };
  for (const bar of bars) {
    const { section, position, isLast } = bar;
    const isChorus = section === "chorus";
    const isEnding = section === "ending";
    const write = (role: Part["role"], pattern: string, lowestPitch: number) =>
      notes[role].push(...writeBar(song, bar, pattern, lowestPitch, touch));
    write("chords", isEnding ? HELD_CHORD : groove.chords[isChorus ? 1 : 0], CHORD_PITCH);
    if (section === "intro") continue;
    write("bass", isEnding ? HELD_ROOT : groove.bass, BASS_PITCH);
    const tune = isLast ? cadence : at(isChorus ? chorus : verse, position);
    if (!isEnding) write("tune", tune, tunePitch + (isChorus ? CHORUS_LIFT : 0));
  }
  return [
    { role: "bass", instrument: style.bass, notes: notes.bass },
    { role: "chords", instrument: chordInstrument, notes: notes.chords },
    { role: "tune", instrument: instrumental ? lead : "voice", notes: notes.tune },
  ];
}

/** One bar of a pattern. Its digits are notes of the scale counted from the root of the chord, `x` is the whole chord. */
function writeBar(
  song: Song,
  { startBeat, root, scale }: Bar,
  pattern: string,
  lowestPitch: number,
  touch: Random,
): readonly Note[] {
  const rootPitch = lowestPitch + modulo(song.tonic + at(scale, root) - lowestPitch, 12);
  const pitchOf = (degree: number) => {
    const step = root + degree - 1;
    return rootPitch + at(scale, step) + 12 * Math.floor(step / scale.length) - at(scale, root);
  };
  return strokesOf(pattern, song).flatMap(({ symbol, start, length }) => {
    const velocity = between(touch, 0.85, 1);
    const degrees = symbol === "x" ? [1, 3, 5] : [Number(symbol)];
    return degrees.map((degree) => ({ start: startBeat + start, length, pitch: pitchOf(degree), velocity }));
  });
}

/** The groove in every bar, a crash on each chorus and at the end, and a fill after each verse. */
export function writeDrums(song: Song, touch: Random): readonly Hit[] {
  const drums = Object.entries(song.style.groove.drums) as [DrumName, string][];
  if (drums.length === 0) return [];
  const fill = randomChoice(touch, FILLS);
  return song.bars.flatMap(({ section, startBeat, position, isLast }) => {
    const patterns: [DrumName, string][] = section === "ending" ? [["kick", "x"]] : [...drums];
    if (section === "ending" || (section === "chorus" && position === 0)) patterns.push(["crash", "x"]);
    if (section === "verse" && isLast) patterns.push(["tom", fill]);
    return patterns.flatMap(([drum, pattern]) =>
      strokesOf(pattern, song).map(({ symbol, start }) => {
        const velocity = (symbol === "x" ? 1 : 0.5) * between(touch, 0.88, 1);
        return { start: startBeat + start, drum, velocity };
      }),
    );
  });
}

/** The notes or hits of a pattern, in beats. With swing, the second half of each beat comes late. */
function strokesOf(pattern: string, { beatsPerBar, style }: Song) {
  const middle = 0.5 + (style.groove.swing ?? 0) / 6;
  const strokes = pattern.slice(0, beatsPerBar * 4).matchAll(/([^.-])-*/g);
  return [...strokes].map(({ 0: { length }, 1: symbol = "", index }) => {
    const part = (index / 2) % 2;
    const swung = part < 1 ? part * middle : middle + (part - 1) * (1 - middle);
    return { symbol, start: Math.floor(index / 4) + swung, length: length / 4 };
  });
}
