import { createRandom, type Random, seedOf } from "../seeded.js";
import type { Style } from "../style/style.js";
import { INSTRUMENTS, type InstrumentName } from "../synth/instruments/instruments.js";
import { bassRoot, writeBass } from "./bass.js";
import type { BassPattern } from "./bass-patterns.js";
import type { ChordPattern } from "./chord-patterns.js";
import { closeVoicing, powerVoicing, type Voicing, writeChords } from "./chords.js";
import { writeDrums } from "./drums.js";
import type { Section } from "./form.js";
import { chordAt, type Harmony } from "./harmony.js";
import { createTune, type Tune, writeMelody } from "./melody.js";
import type { Hit, Note, Part, Role } from "./score.js";
import { withVowels } from "./vowels.js";

/** Who plays what: together with the key, what a continuation keeps. */
type Arrangement = {
  readonly chordInstrument: InstrumentName;
  readonly lead: InstrumentName;
  readonly bassPattern: BassPattern;
  readonly versePattern: ChordPattern;
  readonly chorusPattern: ChordPattern;
  readonly voicePitch: number;
  readonly tune: Tune;
};

/** A song decided, before its notes are written. */
type SongPlan = {
  readonly style: Style;
  readonly arrangement: Arrangement;
  readonly harmony: Harmony;
  readonly sections: readonly Section[];
  readonly endBeat: number;
  readonly ringBeats: number;
  /** The words of the voice; `undefined` for an instrumental. */
  readonly sung: string | undefined;
};

/** A chord instrument this distorted plays power chords. */
const POWER_DRIVE = 0.5;
const CHORD_PITCH = 60;
const PAD_PITCH = 65;
const LOW_VOICE_PITCH = 56;
const HIGH_VOICE_PITCH = 67;

export function chooseArrangement(style: Style, identitySeed: number): Arrangement {
  const random = createRandom(seedOf("arrangement", identitySeed));
  return {
    chordInstrument: random.pick(style.chordInstruments),
    lead: random.pick(style.leads),
    bassPattern: random.pick(style.bass),
    versePattern: random.pick(style.chords),
    chorusPattern: random.pick(style.chords),
    voicePitch: random.chance(0.5) ? HIGH_VOICE_PITCH : LOW_VOICE_PITCH,
    tune: createTune(style, createRandom(seedOf("tune", identitySeed))),
  };
}

export function writeHits(song: SongPlan, seed: number): readonly Hit[] {
  const hits = writeDrums(song.sections, song.style, createRandom(seedOf("drums", seed)));
  if (hits.length === 0) return hits;
  const last = { start: song.endBeat, velocity: 0.8 };
  return [...hits, { ...last, drum: "kick" }, { ...last, drum: "crash" }];
}

export function writeParts(song: SongPlan, seed: number): readonly Part[] {
  const { style, arrangement, harmony, sections } = song;
  const random = (role: Role) => createRandom(seedOf(role, seed));
  const voicing = closeVoicing(harmony, CHORD_PITCH);
  const isPower = style.drive > POWER_DRIVE && arrangement.chordInstrument === "electricGuitar";

  const patternOf = ({ kind }: Section) =>
    kind === "chorus" ? arrangement.chorusPattern : arrangement.versePattern;
  const chordVoicing = isPower ? powerVoicing(harmony) : voicing;
  const bass = writeBass(harmony, sections, style, arrangement.bassPattern, random("bass"));
  const chords = writeChords(harmony, sections, style, patternOf, chordVoicing, random("chords"));
  return [
    part("bass", style.bassInstrument, [...bass, ...ending(song, (chord) => [bassRoot(harmony, chord)])]),
    part("chords", arrangement.chordInstrument, [...chords, ...ending(song, chordVoicing)]),
    ...writePad(song, random("pad")),
    ...writeTune(song, random),
  ];
}

/** The background of every section that is not a verse. */
function writePad(song: SongPlan, random: Random): readonly Part[] {
  const { style, harmony, sections } = song;
  if (style.pad === null) return [];
  const voicing = closeVoicing(harmony, PAD_PITCH);
  const wide = sections.filter((section) => section.kind !== "verse");
  const notes = writeChords(harmony, wide, style, () => "held", voicing, random);
  return [part("pad", style.pad, [...notes, ...ending(song, voicing)])];
}

/** An instrumental's lead plays all but the intro; beside a voice it keeps to the edges of the song. */
function writeTune(song: SongPlan, random: (role: Role) => Random): readonly Part[] {
  const { style, harmony, sections, sung } = song;
  const { lead, tune, voicePitch } = song.arrangement;
  const leadPitch = INSTRUMENTS[lead].middlePitch;
  if (sung === undefined) {
    const played = sections.filter(({ kind }) => kind !== "intro");
    return [part("lead", lead, writeMelody(tune, harmony, played, style, leadPitch, random("lead")))];
  }
  const edges = sections.filter(isEdge);
  const body = sections.filter((section) => !isEdge(section));
  const voice = writeMelody(tune, harmony, body, style, voicePitch, random("vocal"));
  return [
    part("lead", lead, writeMelody(tune, harmony, edges, style, leadPitch, random("lead"))),
    part("vocal", "voice", withVowels(voice, sung)),
  ];
}

function isEdge({ kind }: Section): boolean {
  return kind === "intro" || kind === "outro";
}

function ending({ harmony, endBeat, ringBeats }: SongPlan, voicing: Voicing): readonly Note[] {
  return voicing(chordAt(harmony, endBeat)).map((pitch) => ({
    start: endBeat,
    length: ringBeats,
    pitch,
    velocity: 0.85,
  }));
}

function part(role: Role, instrument: InstrumentName, notes: readonly Note[]): Part {
  return { role, instrument, notes };
}
