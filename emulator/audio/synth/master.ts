import { type Pcm, SAMPLE_RATE } from "../pcm.js";
import type { Bus } from "./bus.js";

/** -1 dBFS: an encoder that overshoots a little still doesn't clip. */
const CEILING = 0.891;
/** How loud the whole is made before its peaks are bent under the ceiling; about -15 dBFS. */
const LOUDNESS = 0.17;
const FADE_OUT_SECONDS = 1.2;
/** Shares of the way that a one-pole filter goes each frame: at about 28 Hz, and at about 1500 Hz. */
const LOWEST_PASS = 0.004;
const PRESENCE_PASS = 0.19;
/** How much of what lies above the presence is added again; an unfiltered mix of soft waves sounds muffled. */
const PRESENCE = 0.9;

/** The finished sound: no offset, even loudness, peaks at -1 dBFS, and an end that is silent. */
export function master({ left, right }: Bus): Pcm {
  const power = (balance(left) + balance(right)) / 2;
  const gain = power === 0 ? 0 : LOUDNESS / Math.sqrt(power);
  const peak = Math.max(bendPeaks(left, gain), bendPeaks(right, gain));
  const scale = peak === 0 ? 0 : (CEILING * 32767) / peak;
  return { sampleRate: SAMPLE_RATE, left: quantize(left, scale), right: quantize(right, scale) };
}

/** Takes out any offset and what is too low to hear, and lifts the presence. Answers the mean power of the result. */
function balance(channel: Float32Array): number {
  let lowest = 0;
  let low = 0;
  let sum = 0;
  for (let i = 0; i < channel.length; i++) {
    const heard = (channel[i] ?? 0) - lowest;
    lowest += heard * LOWEST_PASS;
    low += (heard - low) * PRESENCE_PASS;
    const sample = heard + (heard - low) * PRESENCE;
    channel[i] = sample;
    sum += sample * sample;
  }
  return channel.length === 0 ? 0 : sum / channel.length;
}

/** Straight up to half the height, then ever flatter. Answers the highest peak. */
function bendPeaks(channel: Float32Array, gain: number): number {
  const fadeFrames = Math.min(channel.length, FADE_OUT_SECONDS * SAMPLE_RATE);
  const fadeStart = channel.length - fadeFrames;
  let peak = 0;
  for (let i = 0; i < channel.length; i++) {
    const sample = (channel[i] ?? 0) * gain;
    const over = Math.abs(sample) - 0.5;
    const height = over <= 0 ? over + 0.5 : 0.5 + over / (1 + over * 2);
    const faded = i < fadeStart ? height : (height * (channel.length - 1 - i)) / fadeFrames;
    channel[i] = sample < 0 ? -faded : faded;
    if (faded > peak) peak = faded;
  }
  return peak;
}

function quantize(channel: Float32Array, scale: number): Int16Array {
  const samples = new Int16Array(channel.length);
  for (let i = 0; i < samples.length; i++) samples[i] = Math.floor((channel[i] ?? 0) * scale + 0.5);
  return samples;
}
