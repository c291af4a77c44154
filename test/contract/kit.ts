import { describe, it } from "vitest";

/** The test functions of a suite, from Vitest or another test runner. */
export interface Kit {
  describe(name: string, define: () => void): void;
  it: Define & {
    /** `%s` in the name stands for the first value of a row. */
    each<Row extends readonly unknown[]>(
      rows: readonly Row[],
    ): (name: string, run: (...row: Row) => Promise<void>) => void;
  };
}

type Define = (name: string, run: () => Promise<void>) => void;

export interface Scenario {
  name: string;
  run: () => Promise<void>;
}

export const testKit: Kit = kitOf(describe, it);

/** The scenarios of a suite, to be run many times inside one test. */
export function scenariosOf(define: (kit: Kit) => void): Scenario[] {
  const scenarios: Scenario[] = [];
  const titles: string[] = [];
  const group: Kit["describe"] = (name, define) => {
    titles.push(name);
    define();
    titles.pop();
  };
  define(kitOf(group, (name, run) => void scenarios.push({ name: [...titles, name].join(": "), run })));
  return scenarios;
}

function kitOf(group: Kit["describe"], define: Define): Kit {
  const each: Kit["it"]["each"] = (rows) => (name, run) => {
    for (const row of rows) define(name.replace("%s", String(row[0])), () => run(...row));
  };
  return {
    describe: group,
    it: Object.assign<Define, { each: typeof each }>((...scenario) => define(...scenario), { each }),
  };
}
