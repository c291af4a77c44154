import { type Random, randomChoice, randomStream } from "../time/random.js";
import { at, between, modulo } from "./numbers.js";
import { readStyle, SCALES, type ScaleName, type Style } from "./style.js";
import { type DrumName, type Hit, INSTRUMENTS, type Note, type Part, type Performance } from "./synth.js";

/** The source of a song, and of its continuations. */
interface SongSource {
  /** What describes the song: tags, a description, the title. Its words choose the style. */
  readonly text: string;
  /** What is sung. It chooses the style only where `text` is blank. */
  readonly lyrics: string;
  readonly seed: number;
}

export interface SongRequest extends SongSource {
  readonly durationSeconds: number;
  readonly instrumental: boolean;
  /** The song that this one continues: its key, tempo, chords, tune and instruments stay, and no intro is played. */
  readonly continues?: SongSource;
}

export interface Score extends Song, Performance {
  readonly scale: ScaleName;
}

/** The least time for the final chord to fade. */
const RING_SECONDS = 1.6;
const BODY = ["verse", "chorus", "verse", "chorus", "bridge", "chorus"] as const;

export function writeScore(request: SongRequest): Score {
  const { durationSeconds, instrumental, continues } = request;
  const { text, lyrics, seed } = continues ?? request;
  const style = readStyle(text.trim() === "" ? lyrics : text, seed);
  const { beatsPerBar = 4 } = style.groove;
  const identity = JSON.stringify([text, lyrics]);
  // All that a continuation keeps is drawn from this stream, in an order that does not depend on the length.
  const random = randomStream(seed, "song", identity);
  const [slowest, fastest] = style.tempo;
  const beatsPerMinute = Math.min(184, Math.max(60, Math.round(between(random, slowest, fastest))));
  const bars = ((durationSeconds - RING_SECONDS) * beatsPerMinute) / 60 / beatsPerBar;
  const scale = randomChoice(random, style.scales);
  const song: Song = {
    style,
    beatsPerBar,
    tonic: Math.floor(random() * 12),
    bars: writeBars(Math.max(1, Math.floor(bars)), beatsPerBar, continues === undefined, scale, random),
  };
  const touch = randomStream(request.seed, "touch", identity, JSON.stringify([request.text, request.lyrics]));
  const parts = writeParts(song, instrumental, random, touch);
  const { brightness, echo } = style;
  return { ...song, scale, beatsPerMinute, parts, hits: writeDrums(song, touch), brightness, echo };
}

/**
 * As many bars as requested, with a chord each, and the key chord after them. Sections between intro and outro have the
 * same length, and the last of them is a chorus. A song that continues another has no intro.
 */
function writeBars(count: number, beats: number, withIntro: boolean, scale: ScaleName, random: Random) {
  const unit = count >= 10 ? 4 : count >= 4 ? 2 : 1;
  const edges = count < 6 ? 0 : withIntro ? 2 : 1;
  const units = Math.max(1, Math.floor((count - edges) / unit));
  const spare = count - units * unit;
  const intro = withIntro && spare > 1 ? Math.ceil(spare / 2) : 0;
  const sectionOf = (bar: number): Bar["section"] => {
    if (bar < intro) return "intro";
    const index = Math.floor((bar - intro) / unit);
    if (bar === count) return "ending";
    return index >= units ? "outro" : index === units - 1 ? "chorus" : at(BODY, index);
  };

  const { steps, progressions } = SCALES[scale];
  const [verse, chorus] = [randomChoice(random, progressions), randomChoice(random, progressions)];
  return Array.from({ length: count + 1 }, (_, bar) => {
    const section = sectionOf(bar);
    const position = section === "intro" ? bar : (bar - intro) % unit;
    const isLast = position === unit - 1 || sectionOf(bar + 1) !== section;
    const progression = section === "verse" ? verse : chorus;
    const root = section === "ending" ? 0 : Number(progression.charAt(position % 4));
    // The fifth chord of a minor key has the raised seventh.
    const isRaised = scale === "minor" && root === 4;
    const chord = { root, scale: isRaised ? [...steps.slice(0, 6), 11] : steps };
    return { section, startBeat: bar * beats, position, isLast, ...chord };
  });
}

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
function writeBar(song: Song, bar: Bar, pattern: string, lowestPitch: number, touch: Random) {
  const { startBeat, root, scale } = bar;
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
