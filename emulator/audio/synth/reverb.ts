import { SAMPLE_RATE } from "../pcm.js";
import type { Mix } from "./bus.js";
import { decay } from "./exact.js";

/** Lengths without a common factor, so that the echoes never fall together. */
const DELAY_FRAMES = { a: 1559, b: 1933, c: 2311, d: 2803 };
const HALF_LIFE_SECONDS = 0.24;
const WARMTH = 0.45;

/**
 * A room: four delays that feed one another, each turn softer and duller. What comes out of the first two is heard on
 * the left, of the others on the right.
 */
export function addReverb({ dry, send }: Mix, amount: number): void {
  if (amount === 0) return;
  const a = new Float32Array(DELAY_FRAMES.a);
  const b = new Float32Array(DELAY_FRAMES.b);
  const c = new Float32Array(DELAY_FRAMES.c);
  const d = new Float32Array(DELAY_FRAMES.d);
  const feedback = decay(HALF_LIFE_SECONDS * (0.5 + amount), DELAY_FRAMES.b / SAMPLE_RATE) * 0.5;
  let [placeA, placeB, placeC, placeD] = [0, 0, 0, 0];
  let [outA, outB, outC, outD] = [0, 0, 0, 0];

  for (let i = 0; i < send.length; i++) {
    outA += ((a[placeA] ?? 0) - outA) * WARMTH;
    outB += ((b[placeB] ?? 0) - outB) * WARMTH;
    outC += ((c[placeC] ?? 0) - outC) * WARMTH;
    outD += ((d[placeD] ?? 0) - outD) * WARMTH;
    const heard = send[i] ?? 0;
    a[placeA] = heard + (outA + outB + outC + outD) * feedback;
    b[placeB] = heard + (outA - outB + outC - outD) * feedback;
    c[placeC] = heard + (outA + outB - outC - outD) * feedback;
    d[placeD] = heard + (outA - outB - outC + outD) * feedback;
    dry.left[i] = (dry.left[i] ?? 0) + (outA + outB) * amount;
    dry.right[i] = (dry.right[i] ?? 0) + (outC + outD) * amount;
    placeA = placeA + 1 === DELAY_FRAMES.a ? 0 : placeA + 1;
    placeB = placeB + 1 === DELAY_FRAMES.b ? 0 : placeB + 1;
    placeC = placeC + 1 === DELAY_FRAMES.c ? 0 : placeC + 1;
    placeD = placeD + 1 === DELAY_FRAMES.d ? 0 : placeD + 1;
  }
}
