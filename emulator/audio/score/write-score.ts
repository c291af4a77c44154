import { createRandom, type Random, seedOf } from "../seeded.js";
import { readStyle } from "../style/read-style.js";
import type { Style } from "../style/style.js";
import { chooseArrangement, writeHits, writeParts } from "./arrangement.js";
import { planForm } from "./form.js";
import { planKey, writeHarmony } from "./harmony.js";
import type { Score } from "./score.js";
import { swung } from "./swing.js";

/** What a song is made from, and what another song has to name to carry it on. */
type SongSource = {
  /** What describes the song: tags, a description, the title. Its words choose the style, and the first genre wins. */
  readonly text: string;
  /** What is sung. It steers the style only where `text` is blank. */
  readonly lyrics?: string;
  readonly seed: number;
};

export type SongRequest = SongSource & {
  readonly durationSeconds: number;
  /** Without a voice. */
  readonly instrumental: boolean;
  /** The song that this one carries on: its key, tempo, chords, tune and instruments are kept, and no intro is played. */
  readonly continues?: SongSource;
};

/** At least this much is left at the end for the last chord to ring. */
const RING_SECONDS = 1.6;
/** However many words slow a style down or speed it up. */
const SLOWEST_BEATS_PER_MINUTE = 60;
const FASTEST_BEATS_PER_MINUTE = 184;

/** Music for a text. The same request always gives the same score. */
export function writeScore(request: SongRequest): Score {
  const identity = request.continues ?? request;
  const lyrics = identity.lyrics ?? "";
  const identitySeed = seedOf(identity.text, lyrics, identity.seed);
  const ownSeed = seedOf(identitySeed, request.text, request.lyrics ?? "", request.seed);
  const style = readStyle(filled(identity.text, lyrics), seedOf(identity.text, lyrics));

  const beatsPerMinute = chooseTempo(style.tempo, createRandom(seedOf("tempo", identitySeed)));
  const barSeconds = (style.beatsPerBar * 60) / beatsPerMinute;
  const bars = Math.max(1, Math.floor((request.durationSeconds - RING_SECONDS) / barSeconds));
  const sections = planForm(bars, request.continues === undefined);
  const key = planKey(style, beatsPerMinute, createRandom(seedOf("key", identitySeed)));
  const harmony = writeHarmony(key, sections, style);

  const arrangement = chooseArrangement(style, identitySeed);
  const song = {
    style,
    arrangement,
    harmony,
    sections,
    endBeat: bars * style.beatsPerBar,
    ringBeats: Math.max(0, (request.durationSeconds - bars * barSeconds) / barSeconds) * style.beatsPerBar,
    sung: request.instrumental ? undefined : filled(request.lyrics ?? "", request.text),
  };
  const { beatsPerBar, kit, swing, swingBeats, brightness, drive, reverb, echo, pump } = style;
  return {
    beatsPerMinute,
    beatsPerBar,
    tonic: key.tonic,
    scale: key.scale,
    sections,
    parts: writeParts(song, ownSeed).map((part) => ({
      ...part,
      notes: swung(part.notes, swing, swingBeats),
    })),
    kit,
    hits: swung(writeHits(song, ownSeed), swing, swingBeats),
    sound: { brightness, drive, reverb, echo, pump },
  };
}

function chooseTempo([slowest, fastest]: Style["tempo"], random: Random): number {
  const tempo = Math.round(random.between(slowest, fastest));
  return Math.min(FASTEST_BEATS_PER_MINUTE, Math.max(SLOWEST_BEATS_PER_MINUTE, tempo));
}

/** The first text, or the second one where there is nothing in the first. */
function filled(text: string, otherwise: string): string {
  return text.trim() === "" ? otherwise : text;
}
