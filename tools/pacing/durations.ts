/** How long tasks take, in seconds. */
export interface Durations {
  name: string;
  /** The share of tasks that have ended at an age. */
  endedBy(ageSeconds: number): number;
  /** The duration for a number drawn evenly from 0 to 1; `Infinity` for a task that never ends. */
  draw(probability: number): number;
}

/** The typical durations of the interface: 30 s to 5 min, 103 s on average. */
export const TYPICAL: Durations = clamped(lognormal("typical", 90, 0.52), 30, 300);

/** Lognormal durations around a median. */
export function lognormal(name: string, medianSeconds: number, sigma: number): Durations {
  return {
    name,
    endedBy: (age) => (age <= 0 ? 0 : normalShare(Math.log(age / medianSeconds) / sigma)),
    draw: (probability) => medianSeconds * Math.exp(sigma * normalQuantile(probability)),
  };
}

/** Weibull durations from a minimum. 1 in 1000 takes longer than the second value. */
export function weibull(name: string, shape: number, shortest: number, longest: number): Durations {
  const scale = (longest - shortest) / Math.log(1000) ** (1 / shape);
  const durations = {
    name,
    endedBy: (age: number) => (age <= shortest ? 0 : 1 - Math.exp(-(((age - shortest) / scale) ** shape))),
    draw: (probability: number) => shortest + scale * (-Math.log(1 - probability)) ** (1 / shape),
  };
  return clamped(durations, shortest, longest);
}

/** A distribution that is clamped to its bounds. */
function clamped(durations: Durations, shortest: number, longest: number): Durations {
  return {
    name: durations.name,
    endedBy: (age) => (age < shortest ? 0 : age >= longest ? 1 : durations.endedBy(age)),
    draw: (probability) => Math.min(longest, Math.max(shortest, durations.draw(probability))),
  };
}

/** All tasks take the same time. */
export function equal(name: string, seconds: number): Durations {
  return { name, endedBy: (age) => (age >= seconds ? 1 : 0), draw: () => seconds };
}

/** Uniform durations between two values. */
export function even(name: string, shortest: number, longest: number): Durations {
  const span = longest - shortest;
  return {
    name,
    endedBy: (age) => Math.min(1, Math.max(0, (age - shortest) / span)),
    draw: (probability) => shortest + probability * span,
  };
}

/** A share of the tasks follows one distribution, the rest another. */
export function mixture(name: string, share: number, first: Durations, second: Durations): Durations {
  return {
    name,
    endedBy: (age) => share * first.endedBy(age) + (1 - share) * second.endedBy(age),
    draw: (probability) =>
      probability < share
        ? first.draw(probability / share)
        : second.draw((probability - share) / (1 - share)),
  };
}

/** Tasks that hang until the service's task timeout ends them. */
export const NEVER: Durations = { name: "never", endedBy: () => 0, draw: () => Number.POSITIVE_INFINITY };

/** The share of a normal distribution below a number of deviations (Abramowitz and Stegun 7.1.26). */
function normalShare(deviations: number): number {
  const x = Math.abs(deviations) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const series =
    ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
  const tail = (series * Math.exp(-x * x)) / 2;
  return deviations < 0 ? tail : 1 - tail;
}

function normalQuantile(share: number): number {
  let [low, high] = [-9, 9];
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2;
    if (normalShare(middle) < share) low = middle;
    else high = middle;
  }
  return low;
}
