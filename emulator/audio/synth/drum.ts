import { SAMPLE_RATE } from "../pcm.js";
import type { Random } from "../seeded.js";
import type { Drum } from "./drum-kits.js";
import { decay, sine } from "./exact.js";

const BURST_SECONDS = 0.011;

/** One stroke of a drum at full strength. */
export function renderDrum(drum: Drum, random: Random): Float32Array {
  const stroke = new Float32Array(Math.round(drum.seconds * SAMPLE_RATE));
  if (drum.tone !== undefined) addSkin(stroke, drum.tone);
  if (drum.noise !== undefined) addNoise(stroke, drum.noise, random);
  fadeEnd(stroke);
  return stroke;
}

function addSkin(stroke: Float32Array, tone: NonNullable<Drum["tone"]>): void {
  const bend = decay(tone.bendSeconds, 1 / SAMPLE_RATE);
  const fall = decay(tone.fallSeconds, 1 / SAMPLE_RATE);
  let turns = 0;
  let extraHertz = tone.fromHertz - tone.toHertz;
  let level = tone.level;
  for (let i = 0; i < stroke.length; i++) {
    stroke[i] = (stroke[i] ?? 0) + sine(turns) * level;
    turns += (tone.toHertz + extraHertz) / SAMPLE_RATE;
    extraHertz *= bend;
    level *= fall;
  }
}

function addNoise(stroke: Float32Array, noise: NonNullable<Drum["noise"]>, random: Random): void {
  const lowPass = passFraction(noise.highestHertz);
  const highPass = passFraction(noise.lowestHertz);
  const fall = decay(noise.fallSeconds, 1 / SAMPLE_RATE);
  const burstFrames = Math.round(BURST_SECONDS * SAMPLE_RATE);
  let bursts = noise.bursts ?? 1;
  let level = noise.level;
  let smooth = 0;
  let low = 0;
  let lower = 0;
  for (let i = 0; i < stroke.length; i++) {
    smooth += (random.next() * 2 - 1 - smooth) * lowPass;
    low += (smooth - low) * highPass;
    lower += (smooth - low - lower) * highPass;
    stroke[i] = (stroke[i] ?? 0) + (smooth - low - lower) * level * 1.6;
    if (bursts > 1 && (i + 1) % burstFrames === 0) {
      bursts--;
      level = noise.level;
    } else {
      level *= bursts > 1 ? fall * fall * fall * fall : fall;
    }
  }
}

/** How much of the way a one-pole filter goes each frame. */
function passFraction(hertz: number): number {
  const turn = (2 * Math.PI * hertz) / SAMPLE_RATE;
  return turn / (1 + turn);
}

function fadeEnd(stroke: Float32Array): void {
  const fadeFrames = Math.min(stroke.length, 400);
  for (let i = 0; i < fadeFrames; i++) {
    const place = stroke.length - 1 - i;
    stroke[place] = (stroke[place] ?? 0) * (i / fadeFrames);
  }
}
