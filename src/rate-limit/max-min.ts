/** What one claimant has of an amount, and wants more of it. */
export interface Claimant {
  has: number;
  wants: number;
  /** How much of a whole claimant it is, above 0. */
  weight: number;
}

/** The level is found by this many bisections. */
const BISECTIONS = 60;

/**
 * Divides an amount max-min fairly: returns the level up to which each claimant is filled, for each unit of its weight. A
 * claimant that wants less leaves the rest to the others. `Infinity` if each receives what it wants.
 */
export function fairLevel(amount: number, claims: readonly Claimant[]): number {
  const givenAt = (level: number) => claims.reduce((sum, claim) => sum + partOf(claim, level), 0);
  if (givenAt(Number.POSITIVE_INFINITY) <= amount) return Number.POSITIVE_INFINITY;
  let [low, high] = [0, Math.max(...claims.map(({ has, wants, weight }) => (has + wants) / weight))];
  for (let step = 0; step < BISECTIONS; step++) {
    const middle = (low + high) / 2;
    if (givenAt(middle) > amount) high = middle;
    else low = middle;
  }
  return low;
}

/** What a claimant receives at a level. */
export function partOf({ has, wants, weight }: Claimant, level: number): number {
  return Math.min(wants, Math.max(0, weight * level - has));
}
