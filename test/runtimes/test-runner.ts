import {
  ASYMMETRIC_MATCHERS_OBJECT,
  chai,
  type ExpectStatic,
  GLOBAL_EXPECT,
  JestAsymmetricMatchers,
  JestChaiExpect,
  JestExtend,
  setState,
} from "@vitest/expect";

// The parts of Vitest that the contract suite uses, for every runtime: Vitest itself runs on Node only. The bundles for
// the runtimes import this file as `vitest`.

export interface TestResult {
  name: string;
  outcome: "passed" | "failed" | "left out";
  /** Why the test failed or was left out. */
  reason?: string;
}

/** Tests that a runtime can't pass, by a part of their names, with the reason. */
export interface Exception {
  tests: readonly string[];
  reason: string;
}

type Work = () => void | Promise<void>;

const tests: { name: string; work: Work }[] = [];
const groups: string[] = [];
let cleanups: Work[] = [];

export function describe(name: string, define: () => void): void {
  groups.push(name);
  define();
  groups.pop();
}

export function it(name: string, work: Work): void {
  tests.push({ name: [...groups, name].join(" > "), work });
}

it.each =
  <Row extends readonly unknown[]>(rows: readonly Row[]) =>
  (name: string, work: (...row: Row) => void | Promise<void>): void => {
    for (const row of rows) {
      const title = row.reduce<string>((text, value) => text.replace(/%[sj]/, String(value)), name);
      it(title, () => work(...row));
    }
  };

export function onTestFinished(work: Work): void {
  cleanups.push(work);
}

export async function runTests(exceptions: readonly Exception[] = []): Promise<TestResult[]> {
  const results: TestResult[] = [];
  for (const { name, work } of tests) {
    const exception = exceptions.find(({ tests }) => tests.some((part) => name.includes(part)));
    results.push(
      exception === undefined
        ? { name, ...(await attempt(work)) }
        : { name, outcome: "left out", reason: exception.reason },
    );
  }
  return results;
}

async function attempt(work: Work): Promise<Omit<TestResult, "name">> {
  try {
    await work();
    return { outcome: "passed" };
  } catch (error) {
    return { outcome: "failed", reason: textOf(error) };
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup();
    cleanups = [];
  }
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const text = error.stack?.includes(error.message) ? error.stack : `${error.message}\n${error.stack}`;
  return error.cause === undefined ? text : `${text}\nbecause of ${textOf(error.cause)}`;
}

export const expect: ExpectStatic = createExpect();

function createExpect(): ExpectStatic {
  for (const plugin of [JestExtend, JestChaiExpect, JestAsymmetricMatchers]) chai.use(plugin);
  const expectation = ((value: unknown, message?: string) => chai.expect(value, message)) as ExpectStatic;
  Object.assign(expectation, chai.expect, Reflect.get(globalThis, ASYMMETRIC_MATCHERS_OBJECT));
  Reflect.set(globalThis, GLOBAL_EXPECT, expectation);
  setState({ assertionCalls: 0 }, expectation);
  return expectation;
}
