import { SAMPLE_RATE } from "../pcm.js";
import type { Bus, Mix } from "./bus.js";
import { decay } from "./exact.js";

/** How soon half of a push is over. */
const BACK_SECONDS = 0.07;

/** Bends the peaks over: 0 leaves the sound, 1 is a wall of guitars. Then takes the fizz off, as a loudspeaker does. */
export function distort(bus: Bus, amount: number): void {
  const gain = 1 + amount * 11;
  for (const channel of [bus.left, bus.right]) {
    let first = 0;
    let second = 0;
    for (let i = 0; i < channel.length; i++) {
      const hot = (channel[i] ?? 0) * gain;
      first += (hot / (1 + Math.abs(hot)) - first) * 0.42;
      second += (first - second) * 0.42;
      channel[i] = second * 0.5;
    }
  }
}

/** Repeats from side to side, each softer than the one before. */
export function echo(bus: Bus, seconds: number, amount: number): void {
  const delay = Math.round(seconds * SAMPLE_RATE);
  const { left, right } = bus;
  const near = new Float32Array(delay);
  const far = new Float32Array(delay);
  let place = 0;
  for (let i = 0; i < left.length; i++) {
    const fromNear = near[place] ?? 0;
    const fromFar = far[place] ?? 0;
    near[place] = ((left[i] ?? 0) + (right[i] ?? 0)) * 0.5 + fromFar * 0.42;
    far[place] = fromNear * 0.8;
    left[i] = (left[i] ?? 0) + fromNear * amount;
    right[i] = (right[i] ?? 0) + fromFar * amount;
    place = place + 1 === delay ? 0 : place + 1;
  }
}

/** Makes room for each kick drum: everything is pushed down at `frames` and comes back. */
export function duck({ dry, send }: Mix, frames: readonly number[], depth: number): void {
  const back = decay(BACK_SECONDS, 1 / SAMPLE_RATE);
  let next = 0;
  let push = 0;
  for (let i = 0; i < send.length; i++) {
    if (i === frames[next]) {
      push = depth;
      next++;
    }
    dry.left[i] = (dry.left[i] ?? 0) * (1 - push);
    dry.right[i] = (dry.right[i] ?? 0) * (1 - push);
    send[i] = (send[i] ?? 0) * (1 - push);
    push *= back;
  }
}
