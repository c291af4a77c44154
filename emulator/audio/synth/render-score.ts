import { type Pcm, SAMPLE_RATE } from "../pcm.js";
import type { Part, Role, Score } from "../score/score.js";
import { createRandom, seedOf } from "../seeded.js";
import { type Bus, clearBus, createBus, mixInto, type Seat } from "./bus.js";
import { renderDrum } from "./drum.js";
import { type DrumName, KITS } from "./drum-kits.js";
import { distort, duck, echo } from "./effects.js";
import { pitchFrequency } from "./exact.js";
import { INSTRUMENTS } from "./instruments/instruments.js";
import { master } from "./master.js";
import { addReverb } from "./reverb.js";
import { addTone } from "./tone.js";
import { createWaveBank, type WaveBank } from "./wavetable.js";

const SEATS: Readonly<Record<Role | "drums", Seat>> = {
  bass: { gain: 0.72, pan: 0, send: 0.03 },
  chords: { gain: 0.42, pan: -0.12, send: 0.5 },
  pad: { gain: 0.22, pan: 0.1, send: 0.8 },
  lead: { gain: 0.75, pan: 0.15, send: 0.6 },
  vocal: { gain: 0.95, pan: 0, send: 0.6 },
  drums: { gain: 0.85, pan: 0, send: 0.2 },
};
/** The right side hears the chords this much later, which makes one instrument as wide as two. */
const CHORDS_LATE_SECONDS = 0.009;
/** Three sixteenths: the echo falls between the beats. */
const ECHO_BEATS = 0.75;

/** The sound of a score, exactly as long as asked for. */
export function renderScore(score: Score, durationSeconds: number): Pcm {
  const { drive, echo: echoGain, pump, reverb } = score.sound;
  const frames = Math.round(durationSeconds * SAMPLE_RATE);
  const framesPerBeat = (60 / score.beatsPerMinute) * SAMPLE_RATE;
  const mix = { dry: createBus(frames), send: new Float32Array(frames) };
  const bus = createBus(frames);

  const waves = createWaveBank();
  for (const part of score.parts) {
    clearBus(bus);
    playPart(bus, part, waves, score, framesPerBeat);
    if (part.role === "chords" && drive > 0) distort(bus, drive);
    if (isTune(part.role) && echoGain > 0) echo(bus, (ECHO_BEATS * framesPerBeat) / SAMPLE_RATE, echoGain);
    mixInto(mix, bus, SEATS[part.role]);
  }
  if (pump > 0) duck(mix, kickFrames(score, framesPerBeat), pump);

  clearBus(bus);
  playDrums(bus, score, framesPerBeat);
  mixInto(mix, bus, SEATS.drums);
  addReverb(mix, reverb);
  return master(mix.dry);
}

function kickFrames(score: Score, framesPerBeat: number): readonly number[] {
  const kicks = score.hits.filter((hit) => hit.drum === "kick");
  const frames = new Set(kicks.map((hit) => Math.round(hit.start * framesPerBeat)));
  return [...frames].sort((a, b) => a - b);
}

function isTune(role: Role): boolean {
  return role === "lead" || role === "vocal";
}

function playPart(bus: Bus, part: Part, waves: WaveBank, score: Score, framesPerBeat: number): void {
  const instrument = INSTRUMENTS[part.instrument];
  for (const note of part.notes) {
    const tone = {
      instrument,
      wave: waves(instrument, note.pitch, note.vowel),
      startFrame: Math.round(note.start * framesPerBeat),
      heldFrames: Math.round(note.length * framesPerBeat),
      gain: note.velocity * instrument.level,
      brightness: score.sound.brightness * (0.55 + 0.45 * note.velocity),
    };
    const semitonesAside = instrument.widthCents / 200;
    addTone(bus.left, { ...tone, frequency: pitchFrequency(note.pitch - semitonesAside) });
    if (semitonesAside === 0) continue;
    addTone(bus.right, { ...tone, frequency: pitchFrequency(note.pitch + semitonesAside) });
  }
  if (instrument.widthCents > 0) return;
  const lateFrames = part.role === "chords" ? Math.round(CHORDS_LATE_SECONDS * SAMPLE_RATE) : 0;
  bus.right.set(
    bus.left.subarray(0, Math.max(0, bus.left.length - lateFrames)),
    Math.min(lateFrames, bus.left.length),
  );
}

function playDrums(bus: Bus, score: Score, framesPerBeat: number): void {
  const kit = KITS[score.kit];
  const strokes = new Map<DrumName, Float32Array>();
  for (const hit of score.hits) {
    const drum = kit[hit.drum];
    const stroke = strokes.get(hit.drum) ?? renderDrum(drum, createRandom(seedOf(score.kit, hit.drum)));
    strokes.set(hit.drum, stroke);
    const start = Math.round(hit.start * framesPerBeat);
    addStroke(bus.left, stroke, start, hit.velocity * drum.level * (1 - drum.pan));
    addStroke(bus.right, stroke, start, hit.velocity * drum.level * (1 + drum.pan));
  }
}

function addStroke(channel: Float32Array, stroke: Float32Array, start: number, gain: number): void {
  const length = Math.min(stroke.length, channel.length - start);
  for (let i = 0; i < length; i++) channel[start + i] = (channel[start + i] ?? 0) + (stroke[i] ?? 0) * gain;
}
