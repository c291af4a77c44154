import { SAMPLE_RATE } from "../pcm.js";
import { decay, sine } from "./exact.js";
import type { Instrument } from "./instruments/instrument.js";
import { TABLE_SIZE, type Wave } from "./wavetable.js";

/** One note on one side. */
export type Tone = {
  readonly instrument: Instrument;
  readonly wave: Wave;
  readonly frequency: number;
  readonly startFrame: number;
  /** How long the note is held before it dies away. */
  readonly heldFrames: number;
  readonly gain: number;
  /** How much of the wave's upper partials to start with, 0 to 1. */
  readonly brightness: number;
};

/** Loudness, pitch and colour change once a block; samples between are ramped. */
const BLOCK_FRAMES = 64;
const BLOCK_SECONDS = BLOCK_FRAMES / SAMPLE_RATE;
const SILENCE = 0.004;
/** Below this much of the bright wave, it is not worth reading. */
const DULL_ENOUGH = 0.01;
const VIBRATO_HERTZ = 5.3;
const VIBRATO_DELAY_SECONDS = 0.35;
/** The frequency of a small interval grows by this much a cent. */
const GROWTH_PER_CENT = Math.LN2 / 1200;

/** Adds a note to a channel, from its attack until nothing is left of it. */
export function addTone(channel: Float32Array, tone: Tone): void {
  const { instrument, wave, startFrame, gain } = tone;
  const nextLevel = envelopeOf(tone);
  const dullPerBlock = decay(instrument.dullingSeconds, BLOCK_SECONDS);
  const increment = (tone.frequency * TABLE_SIZE) / SAMPLE_RATE;

  let phase = 0;
  let level = 0;
  let bright = tone.brightness;
  for (let frame = 0; startFrame + frame < channel.length; frame += BLOCK_FRAMES) {
    const next = nextLevel(level, frame);
    if (next === 0 && level === 0) return;
    const start = startFrame + frame;
    const end = Math.min(start + BLOCK_FRAMES, channel.length);
    const step = increment * (1 + vibratoAt(frame / SAMPLE_RATE) * instrument.vibratoCents * GROWTH_PER_CENT);
    phase = addBlock(channel, start, end, wave, phase, step, level * gain, next * gain, bright);
    level = next;
    bright *= dullPerBlock;
  }
}

/** The loudness at the end of each block, from the one at its beginning; 0 once the note is over. */
function envelopeOf({ instrument, heldFrames }: Tone): (level: number, frame: number) => number {
  const { attackSeconds, sustain } = instrument;
  const fallPerBlock = decay(instrument.fallSeconds, BLOCK_SECONDS);
  const releasePerBlock = decay(instrument.releaseSeconds, BLOCK_SECONDS);
  const attackPerBlock = BLOCK_SECONDS / attackSeconds;
  let rising = true;

  return (level, frame) => {
    if (frame < heldFrames && rising) {
      rising = level + attackPerBlock < 1;
      return rising ? level + attackPerBlock : 1;
    }
    const next = frame < heldFrames ? sustain + (level - sustain) * fallPerBlock : level * releasePerBlock;
    return next < SILENCE ? 0 : next;
  };
}

/** Vibrato sets in slowly, as a player's does. */
function vibratoAt(seconds: number): number {
  const depth = Math.min(1, Math.max(0, seconds - VIBRATO_DELAY_SECONDS) / VIBRATO_DELAY_SECONDS);
  return depth === 0 ? 0 : depth * sine(seconds * VIBRATO_HERTZ);
}

/** The hot loop: nothing is allocated and nothing is called here. Answers the phase after it. */
function addBlock(
  channel: Float32Array,
  start: number,
  end: number,
  { dull, bright }: Wave,
  startPhase: number,
  step: number,
  startGain: number,
  endGain: number,
  brightness: number,
): number {
  const ramp = (endGain - startGain) / BLOCK_FRAMES;
  const isDull = brightness < DULL_ENOUGH;
  let phase = startPhase;
  let gain = startGain;
  for (let i = start; i < end; i++) {
    const index = phase | 0;
    const between = phase - index;
    const low = dull[index] ?? 0;
    let sample = low + ((dull[index + 1] ?? 0) - low) * between;
    if (!isDull) {
      const sharp = bright[index] ?? 0;
      sample += (sharp + ((bright[index + 1] ?? 0) - sharp) * between - sample) * brightness;
    }
    channel[i] = (channel[i] ?? 0) + sample * gain;
    gain += ramp;
    phase += step;
    if (phase >= TABLE_SIZE) phase -= TABLE_SIZE;
  }
  return phase;
}
