/** How long tasks take, in seconds. */
export interface Law {
  name: string;
  /** The share of tasks that have ended at an age. */
  endedBy(ageSeconds: number): number;
  /** The duration for a number drawn evenly from 0 to 1; `Infinity` for a task that never ends. */
  draw(chance: number): number;
}

/** The typical durations of the interface: 30 s to 5 min, 103 s on average. */
export const TYPICAL: Law = clamped(lognormal("typical", 90, 0.52), 30, 300);

/** Lognormal durations around a median. */
export function lognormal(name: string, medianSeconds: number, sigma: number): Law {
  return {
    name,
    endedBy: (age) => (age <= 0 ? 0 : normalShare(Math.log(age / medianSeconds) / sigma)),
    draw: (chance) => medianSeconds * Math.exp(sigma * normalQuantile(chance)),
  };
}

/** Weibull durations from a minimum. 1 in 1000 takes longer than the second value. */
export function weibull(name: string, shape: number, shortest: number, longest: number): Law {
  const scale = (longest - shortest) / Math.log(1000) ** (1 / shape);
  const law = {
    name,
    endedBy: (age: number) => (age <= shortest ? 0 : 1 - Math.exp(-(((age - shortest) / scale) ** shape))),
    draw: (chance: number) => shortest + scale * (-Math.log(1 - chance)) ** (1 / shape),
  };
  return clamped(law, shortest, longest);
}

/** A distribution that is clamped to its bounds. */
function clamped(law: Law, shortest: number, longest: number): Law {
  return {
    name: law.name,
    endedBy: (age) => (age < shortest ? 0 : age >= longest ? 1 : law.endedBy(age)),
    draw: (chance) => Math.min(longest, Math.max(shortest, law.draw(chance))),
  };
}

/** All tasks take the same time. */
export function equal(name: string, seconds: number): Law {
  return { name, endedBy: (age) => (age >= seconds ? 1 : 0), draw: () => seconds };
}

/** Uniform durations between two values. */
export function even(name: string, shortest: number, longest: number): Law {
  const span = longest - shortest;
  return {
    name,
    endedBy: (age) => Math.min(1, Math.max(0, (age - shortest) / span)),
    draw: (chance) => shortest + chance * span,
  };
}

/** A share of the tasks follows one distribution, the rest another. */
export function mixture(name: string, share: number, first: Law, second: Law): Law {
  return {
    name,
    endedBy: (age) => share * first.endedBy(age) + (1 - share) * second.endedBy(age),
    draw: (chance) =>
      chance < share ? first.draw(chance / share) : second.draw((chance - share) / (1 - share)),
  };
}

/** Tasks that hang until the service's task timeout ends them. */
export const NEVER: Law = { name: "never", endedBy: () => 0, draw: () => Number.POSITIVE_INFINITY };

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
