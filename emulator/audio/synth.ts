import { randomStream } from "../time/random.js";
import { powerOfTwo, sine } from "./numbers.js";

/** Samples of the one channel in a second. */
export const SAMPLE_RATE = 16_000;

export type AudioBytes = Uint8Array<ArrayBuffer>;

/** Awaited every few milliseconds, so that other work can run. */
export type Pause = () => Promise<void>;

/** What is played. Times are in beats, pitches in semitones as in MIDI. */
export interface Performance {
  readonly beatsPerMinute: number;
  readonly parts: readonly Part[];
  readonly hits: readonly Hit[];
  readonly brightness: number;
  readonly echo: number;
}

export interface Part {
  readonly role: "bass" | "chords" | "tune";
  readonly instrument: InstrumentName;
  readonly notes: readonly Note[];
}

export interface Note {
  readonly start: number;
  readonly length: number;
  readonly pitch: number;
  readonly velocity: number;
}

export interface Hit {
  readonly start: number;
  readonly drum: DrumName;
  readonly velocity: number;
}

/** After the half-life, half of the loudness is left; a tune is played around the middle pitch. */
type Instrument = readonly [
  partials: readonly number[],
  attackSeconds: number,
  halfLifeSeconds: number,
  middlePitch: number,
];

/** The half-life of an instrument that holds its tone. */
const HELD = 30;

export const INSTRUMENTS = {
  bass: [[10, 6, 3, 1.5, 0.8], 0.004, 0.7, 40],
  bell: [[10, 0.5, 0, 6, 0, 0.5, 0, 0, 2.5], 0.002, 0.5, 79],
  cello: [[10, 8, 5, 4, 3, 1.5, 1], 0.05, HELD, 52],
  flute: [[10, 2.5, 1, 0.4], 0.05, HELD, 76],
  guitar: [[10, 7, 5, 2, 2.5, 1.2, 1, 0.6], 0.002, 0.3, 64],
  distorted: [[10, 8, 8, 6, 6, 4, 4, 3, 2, 2], 0.004, 1.2, 64],
  harmonica: [[10, 4, 8, 3, 5, 2, 2], 0.03, HELD, 70],
  organ: [[8, 8, 6, 8, 0, 4, 0, 5], 0.01, HELD, 67],
  piano: [[10, 6, 3.5, 2.5, 1.4, 0.8, 0.5], 0.003, 0.45, 72],
  rhodes: [[10, 1, 2.5, 0.3, 0.8, 0.2, 0.5], 0.004, 0.6, 72],
  pluck: [[10, 5, 6, 3, 4, 2, 3, 1], 0.002, 0.12, 72],
  sax: [[10, 8, 6, 6, 4, 3, 2, 1], 0.03, HELD, 64],
  square: [[10, 0, 3.3, 0, 2, 0, 1.4, 0, 1.1], 0.004, 3, 72],
  strings: [[10, 6, 5, 4, 3, 2, 1.5, 1], 0.12, HELD, 69],
  synth: [[10, 5, 3.3, 2.5, 2, 1.7, 1.4, 1.2, 1.1, 1], 0.01, 3, 69],
  trumpet: [[8, 9, 10, 8, 6, 4, 3, 2], 0.03, HELD, 67],
  violin: [[10, 7, 5, 6, 4, 2, 2, 1.5, 1], 0.06, HELD, 74],
  voice: [[8, 9, 9, 6, 4, 2, 1, 1, 1.5, 1], 0.05, HELD, 62],
} as const satisfies Record<string, Instrument>;

export type InstrumentName = keyof typeof INSTRUMENTS;

/** A tone that falls from one frequency to another, mixed with noise, which decays by half in the half-life. */
type Drum = readonly [
  level: number,
  fromHertz: number,
  toHertz: number,
  noise: number,
  halfLifeSeconds: number,
];

const DRUMS = {
  kick: [0.9, 150, 48, 0.03, 0.06],
  snare: [0.6, 210, 175, 0.6, 0.04],
  clap: [0.5, 0, 0, 1, 0.04],
  rim: [0.4, 820, 780, 0.3, 0.01],
  tom: [0.6, 150, 85, 0.1, 0.09],
  hat: [0.3, 0, 0, 1, 0.014],
  shaker: [0.2, 0, 0, 1, 0.02],
  ride: [0.2, 3100, 3090, 0.8, 0.12],
  crash: [0.3, 0, 0, 1, 0.2],
} as const satisfies Record<string, Drum>;

export type DrumName = keyof typeof DRUMS;

const LEVELS = { bass: 0.8, chords: 0.3, tune: 0.65 };

/** One period of a tone has 1024 samples; the upper bits of a 32-bit phase are the position in it. */
const TABLE_BITS = 10;
const TABLE_SIZE = 2 ** TABLE_BITS;
const RELEASE_SECONDS = 0.04;
/** Three sixteenths: the echo falls between the beats. */
const ECHO_BEATS = 0.75;
/** The loudness before the peaks are bent, about -15 dBFS, and the highest peak, -1 dBFS. */
const LOUDNESS = 0.18;
const CEILING = 0.891;
const FADE_SECONDS = 0.5;
/** About 2 ms of work. */
const NOTES_PER_TURN = 16;

/** The sound of a performance, exactly as long as requested. */
export async function render(music: Performance, durationSeconds: number, pause: Pause) {
  const { beatsPerMinute, parts, hits, brightness, echo } = music;
  const mix = new Float32Array(Math.round(durationSeconds * SAMPLE_RATE));
  const samplesPerBeat = (60 * SAMPLE_RATE) / beatsPerMinute;
  const period = new Float32Array(TABLE_SIZE).map((_, i) => sine(i / TABLE_SIZE));
  for (const { role, instrument, notes } of parts) {
    const tables: Float32Array[] = [];
    for (const [index, { start, length, pitch, velocity }] of notes.entries()) {
      // A table serves an octave: it has the overtones that the highest note of it can have.
      const octave = Math.ceil(pitch / 12);
      tables[octave] ??= createTable(INSTRUMENTS[instrument], octave * 12, brightness, period);
      const first = Math.round(start * samplesPerBeat);
      const span = mix.subarray(first, Math.round((start + length) * samplesPerBeat));
      addTone(span, INSTRUMENTS[instrument], tables[octave], hertzOf(pitch), velocity * LEVELS[role]);
      if (index % NOTES_PER_TURN === 0) await pause();
    }
  }
  const delay = Math.round(ECHO_BEATS * samplesPerBeat);
  add(mix.subarray(delay), mix, echo);

  const strokes = new Map<DrumName, Float32Array>();
  for (const [index, { start, drum, velocity }] of hits.entries()) {
    const stroke = strokes.get(drum) ?? createStroke(DRUMS[drum], period);
    strokes.set(drum, stroke);
    add(mix.subarray(Math.round(start * samplesPerBeat)), stroke, velocity);
    if (index % NOTES_PER_TURN === 0) await pause();
  }
  await pause();
  return master(mix);
}

/** One period, with as many overtones as fit below half of the sample rate at `highestPitch`. */
function createTable([partials]: Instrument, highestPitch: number, brightness: number, period: Float32Array) {
  const table = new Float32Array(TABLE_SIZE);
  const count = Math.max(1, Math.floor((SAMPLE_RATE * 0.47) / hertzOf(highestPitch)));
  let power = 0;
  let dulled = 1;
  for (const [index, partial] of partials.slice(0, count).entries()) {
    const strength = partial * dulled;
    dulled *= brightness;
    power += strength * strength;
    // Overtones that start together would make one sharp peak.
    for (let i = 0, phase = index * index * 709; i < TABLE_SIZE; i++, phase += index + 1) {
      table[i] = (table[i] ?? 0) + strength * (period[phase & (TABLE_SIZE - 1)] ?? 0);
    }
  }
  const gain = 0.3 / Math.sqrt(power);
  for (let i = 0; i < TABLE_SIZE; i++) table[i] = (table[i] ?? 0) * gain;
  return table;
}

function addTone(span: Float32Array, sound: Instrument, table: Float32Array, hertz: number, gain: number) {
  const [, attackSeconds, halfLifeSeconds] = sound;
  const fall = fallOf(halfLifeSeconds);
  const step = ((hertz / SAMPLE_RATE) * 2 ** 32) | 0;
  const attack = 1 / (attackSeconds * SAMPLE_RATE);
  const release = 1 / (RELEASE_SECONDS * SAMPLE_RATE);
  let level = gain;
  let phase = 0;
  for (let i = 0; i < span.length; i++) {
    const envelope = Math.min(1, i * attack, (span.length - i) * release);
    span[i] = (span[i] ?? 0) + (table[phase >>> (32 - TABLE_BITS)] ?? 0) * level * envelope;
    level *= fall;
    phase = (phase + step) | 0;
  }
}

function createStroke([level, fromHertz, toHertz, noise, halfLifeSeconds]: Drum, period: Float32Array) {
  const random = randomStream(0, "noise");
  const fall = fallOf(halfLifeSeconds);
  let [loudness, hertz, turns, low] = [level, fromHertz, 0, 0];
  return new Float32Array(Math.round(5 * halfLifeSeconds * SAMPLE_RATE)).map(() => {
    const white = random() * 2 - 1;
    low += (white - low) * 0.3;
    const tone = period[Math.floor(turns * TABLE_SIZE) % TABLE_SIZE] ?? 0;
    const sample = loudness * (tone * (1 - noise) + (white - low) * noise);
    turns += hertz / SAMPLE_RATE;
    hertz += (toHertz - hertz) * 0.003;
    loudness *= fall;
    return sample;
  });
}

function add(span: Float32Array, samples: Float32Array, gain: number): void {
  const length = Math.min(span.length, samples.length);
  for (let i = 0; i < length; i++) span[i] = (span[i] ?? 0) + (samples[i] ?? 0) * gain;
}

/** The samples at an even loudness, with bent peaks and a silent end. */
function master(mix: Float32Array): Int16Array {
  let power = 0;
  for (let i = 0; i < mix.length; i += 8) power += (mix[i] ?? 0) * (mix[i] ?? 0);
  const gain = LOUDNESS / Math.sqrt((8 * power) / mix.length || 1);
  const end = mix.subarray(-FADE_SECONDS * SAMPLE_RATE);
  for (let i = 0; i < end.length; i++) end[i] = (end[i] ?? 0) * (1 - (i + 1) / end.length);
  const samples = new Int16Array(mix.length);
  for (let i = 0; i < mix.length; i++) {
    const sample = (mix[i] ?? 0) * gain;
    // Straight up to half the height, then ever flatter, below 1.
    const over = Math.abs(sample) - 0.5;
    const height = over <= 0 ? over + 0.5 : 0.5 + over / (1 + 2 * over);
    samples[i] = (sample < 0 ? -height : height) * CEILING * 32_767;
  }
  return samples;
}

function hertzOf(pitch: number): number {
  return 440 * powerOfTwo((pitch - 69) / 12);
}

/** What is left of a loudness after one sample. */
function fallOf(halfLifeSeconds: number): number {
  return powerOfTwo(-1 / (halfLifeSeconds * SAMPLE_RATE));
}
