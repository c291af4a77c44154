import { thinOut } from "../../parts/thin-out.js";
import type { BalanceAfter } from "../../store.js";

/** The balances in a range, newest first; and the curves, which begin with the balance at the range's start. */
export function balanceCurves(all: readonly BalanceAfter[], from: number, until: number) {
  const first = all.findIndex(({ at }) => at >= from);
  const entries = first === -1 ? [] : all.slice(first);
  const end = all.at(-1);
  const before = first === -1 ? end : all[first - 1];
  const points = [
    ...(before === undefined ? [] : [{ ...before, at: from }]),
    ...entries,
    ...(end === undefined || end.at >= until ? [] : [{ ...end, at: until }]),
  ].filter(({ at }, index, { [index + 1]: next }) => next?.at !== at);
  const data = thinOut(
    points.map(({ at }) => at / 1000),
    [points.map(({ available }) => available), points.map(({ frozen }) => frozen)],
  );
  return { entries: entries.toReversed(), data };
}
