/** A chart has no more columns than these, so that it is drawn quickly. */
const COLUMNS = 200;

type Values = (number | null)[];

/** The same curves with few points: in each column, the first and last one, and the extremes of each series. */
export function thinOut(times: readonly number[], series: Values[]): [number[], ...Values[]] {
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const columnOf = (time: number) => Math.floor((COLUMNS * (time - first)) / (last - first || 1));
  const kept: number[] = [];
  for (let from = 0, to = 0; from < times.length; from = to) {
    const column = columnOf(times[from] ?? 0);
    while (to < times.length && columnOf(times[to] ?? 0) === column) to++;
    const indices = new Set([from, to - 1, ...series.flatMap((values) => extremesOf(values, from, to))]);
    kept.push(...[...indices].sort((one, other) => one - other));
  }
  return [
    kept.map((index) => times[index] ?? 0),
    ...series.map((values) => kept.map((index) => values[index] ?? null)),
  ];
}

/** The indices of the lowest and the highest value, if any. */
function extremesOf(values: Values, from: number, to: number): number[] {
  let [lowest, highest] = [-1, -1];
  for (let index = from; index < to; index++) {
    const value = values[index] ?? null;
    if (value === null) continue;
    if (lowest === -1 || value < (values[lowest] ?? 0)) lowest = index;
    if (highest === -1 || value > (values[highest] ?? 0)) highest = index;
  }
  return lowest === -1 ? [] : [lowest, highest];
}
