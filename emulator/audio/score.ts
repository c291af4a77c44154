import { type Random, randomChoice, randomStream } from "../time/random.js";
import { at, between } from "./numbers.js";
import { type Bar, type Song, writeDrums, writeParts } from "./parts.js";
import { readStyle, SCALES, type ScaleName } from "./style.js";
import type { Performance } from "./synth.js";

/** What a song is made from, and what another song names to continue it. */
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

/** At least this much is left at the end for the last chord to ring. */
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
function writeBars(
  count: number,
  beatsPerBar: number,
  withIntro: boolean,
  scale: ScaleName,
  random: Random,
): readonly Bar[] {
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
    return { section, startBeat: bar * beatsPerBar, position, isLast, ...chord };
  });
}
