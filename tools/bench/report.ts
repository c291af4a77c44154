import type { Spread } from "./spread.ts";

/** One measurement, and its target. */
export interface Row {
  name: string;
  value: number;
  /** The middle half of the rounds; absent if the measurement is not repeated. */
  lower?: number;
  upper?: number;
  /** The value divided by the value of the row it is compared with. */
  ratio?: number;
  /** The target of the ratio, or of the value if there is no ratio. */
  promise?: Promised;
}

export type Promised = { atMost: number } | { atLeast: number };

export interface Table {
  title: string;
  /** The unit of the values. */
  unit: string;
  /** The name of the row that ratios are relative to. */
  against?: string;
  rows: Row[];
}

/** The measurements of one command, with machine and date. */
export interface Section {
  machine: string;
  node: string;
  date: string;
  /** The load averages over one minute, before the first measurement and after the last one. */
  load: { before: number; after: number };
  tables: readonly Table[];
}

export type Command = "bench" | "bench:scale" | "bench:endurance";
export type Report = Partial<Record<Command, Section>>;

/** A table of alternating measurements. All rows are compared with `against`, the first by default. */
export function tableOf(
  title: string,
  unit: string,
  spreads: Readonly<Record<string, Spread>>,
  promises: Readonly<Record<string, Promised>>,
  against: string = Object.keys(spreads)[0] ?? "",
): Table {
  const base = spreads[against];
  if (base === undefined) throw new Error(`Nothing named \`${against}\` was measured.`);
  const rows = Object.entries(spreads).map(([name, spread]) => ({
    ...rowOf(name, spread, promises[name]),
    ...(name !== against && { ratio: significant(spread.median / base.median) }),
  }));
  return { title, unit, against, rows };
}

/** A row without a ratio, compared with its target only. */
export function rowOf(name: string, { lower, median, upper }: Spread, promise?: Promised): Row {
  const [low, value, high] = [significant(lower), significant(median), significant(upper)];
  return { name, value, lower: low, upper: high, ...(promise && { promise }) };
}

/** Whether a row meets its target; `null` without a target. */
export function isKept({ value, ratio = value, promise }: Row): boolean | null {
  if (promise === undefined) return null;
  return "atMost" in promise ? ratio <= promise.atMost : ratio >= promise.atLeast;
}

/** Rounds to three significant digits. */
export function significant(value: number): number {
  return Number(value.toPrecision(3));
}
