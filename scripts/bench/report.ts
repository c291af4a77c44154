import type { Spread } from "./spread.ts";

/** What one contender took, and what was promised of it. */
export interface Row {
  name: string;
  value: number;
  /** The middle half of the rounds; absent where there is nothing to repeat. */
  lower?: number;
  upper?: number;
  /** The value as a part of what it is held against. */
  ratio?: number;
  /** What the ratio, or without one the value, is promised to be. */
  promise?: Promised;
}

export type Promised = { atMost: number } | { atLeast: number };

export interface Table {
  title: string;
  /** What the values are. */
  unit: string;
  /** What ratios are held against. */
  against?: string;
  rows: Row[];
}

/** What one command measured, where and when. */
export interface Section {
  machine: string;
  node: string;
  date: string;
  /** How many processes wanted to run, in the minute before the first measurement and in the last one. */
  load: { before: number; after: number };
  tables: readonly Table[];
}

export type Command = "bench" | "bench:scale" | "bench:endurance";
export type Report = Partial<Record<Command, Section>>;

/** A table of what took turns. All others are compared with `against`, the first by default. */
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

/** A row of what is held against its promise alone. */
export function rowOf(name: string, { lower, median, upper }: Spread, promise?: Promised): Row {
  const [low, value, high] = [significant(lower), significant(median), significant(upper)];
  return { name, value, lower: low, upper: high, ...(promise && { promise }) };
}

/** Whether a promise is kept; `null` where none was given. */
export function isKept({ value, ratio = value, promise }: Row): boolean | null {
  if (promise === undefined) return null;
  return "atMost" in promise ? ratio <= promise.atMost : ratio >= promise.atLeast;
}

/** Three digits are as much as a measurement tells. */
export function significant(value: number): number {
  return Number(value.toPrecision(3));
}
