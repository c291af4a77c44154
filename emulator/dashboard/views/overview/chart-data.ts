import type { BalanceAfter } from "./balances.js";

/**
 * Times in seconds, and what was available and frozen then: of several movements at one time, what the last left, and
 * that up to now.
 */
export function chartData(balances: readonly BalanceAfter[], now: number): [number[], number[], number[]] {
  const times: number[] = [];
  const available: number[] = [];
  const frozen: number[] = [];
  for (const after of balances) {
    const at = Date.parse(after.entry.at) / 1000;
    const place = times.at(-1) === at ? times.length - 1 : times.length;
    times[place] = at;
    available[place] = after.available;
    frozen[place] = after.frozen;
  }
  const last = balances.at(-1);
  if (last !== undefined && now / 1000 > (times.at(-1) ?? 0)) {
    times.push(now / 1000);
    available.push(last.available);
    frozen.push(last.frozen);
  }
  return [times, available, frozen];
}
