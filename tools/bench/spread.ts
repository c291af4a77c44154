/** The median of repeated measurements, and the quartiles. */
export interface Spread {
  lower: number;
  median: number;
  upper: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (part: number) => sorted[Math.round(part * (sorted.length - 1))] ?? Number.NaN;
  return { lower: at(0.25), median: at(0.5), upper: at(0.75) };
}

/**
 * Measures all candidates in each round, so that a change of the machine's speed affects all. Every other round runs in
 * reverse order, so that none always follows the same one. The first round warms up, and does not count.
 */
export async function takeTurns(
  rounds: number,
  contenders: Readonly<Record<string, () => number | Promise<number>>>,
): Promise<Record<string, Spread>> {
  const all = Object.entries(contenders).map(([name, measure]) => ({
    name,
    measure,
    values: [] as number[],
  }));
  for (let round = 0; round <= rounds; round++) {
    for (const { measure, values } of round % 2 === 0 ? all : all.toReversed()) {
      const value = await measure();
      if (round > 0) values.push(value);
    }
  }
  return Object.fromEntries(all.map(({ name, values }) => [name, spreadOf(values)]));
}
