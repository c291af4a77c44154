/*
 * The functions of `Math` that have a formula may differ in the last bit from one engine to another, and so would the
 * bytes of a song. These use only + - * / and square roots, which every engine rounds alike.
 */

/** The sine of a full turn's fraction: 0.25 gives 1. */
export function sine(turns: number): number {
  let turn = turns - Math.floor(turns);
  if (turn > 0.75) turn -= 1;
  else if (turn > 0.25) turn = 0.5 - turn;
  const x = turn * 2 * Math.PI;
  let term = x;
  let sum = x;
  for (let n = 2; n < 18; n += 2) {
    term *= (-x * x) / (n * (n + 1));
    sum += term;
  }
  return sum;
}

/** 2 to the power of `exponent`. */
export function powerOfTwo(exponent: number): number {
  const whole = Math.floor(exponent);
  const x = (exponent - whole) * Math.LN2;
  let term = 1;
  let sum = 1;
  for (let n = 1; n < 16; n++) {
    term *= x / n;
    sum += term;
  }
  for (let n = 0; n < whole; n++) sum *= 2;
  for (let n = 0; n > whole; n--) sum /= 2;
  return sum;
}

/** The binary logarithm of a number of at least 1. */
export function logarithmOfTwo(value: number): number {
  let mantissa = value;
  let whole = 0;
  while (mantissa >= 2) {
    mantissa /= 2;
    whole++;
  }
  const x = (mantissa - 1) / (mantissa + 1);
  let term = x;
  let sum = 0;
  for (let n = 1; n < 30; n += 2) {
    sum += term / n;
    term *= x * x;
  }
  return whole + (2 * sum) / Math.LN2;
}

/** The frequency of a MIDI pitch in Hz. */
export function pitchFrequency(pitch: number): number {
  return 440 * powerOfTwo((pitch - 69) / 12);
}

/** What is left of 1 after some seconds when half of it goes every `halfLifeSeconds`. */
export function decay(halfLifeSeconds: number, seconds: number): number {
  return halfLifeSeconds === Number.POSITIVE_INFINITY ? 1 : powerOfTwo(-seconds / halfLifeSeconds);
}
