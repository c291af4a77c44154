import { type CliOptions, startVitest, type TestModule } from "vitest/node";

/** Options of a separate Vitest run. */
export interface VitestOptions {
  include?: string[];
  /** The replacement of each import. */
  alias?: { find: RegExp; replacement: string }[];
  /** Called with each error as it is reported. */
  onError?: (error: ReportedError) => void;
}

type ReportedError = ReturnType<TestModule["errors"]>[number];

/**
 * Runs the tests of a directory in a separate Vitest, without the project's configuration.
 *
 * @returns the error messages of each failed test, by its name, and those of each file that did not load
 */
export async function runVitest(
  root: string,
  { include = ["*.test.ts"], alias = [], onError = () => {} }: VitestOptions = {},
): Promise<Map<string, string[]>> {
  const nets = { testTimeout: 300_000, hookTimeout: 300_000 };
  const options: CliOptions = { root, include, config: false, watch: false, reporters: [], ...nets };
  const { exitCode } = process;
  const vitest = await startVitest("test", [], options, { resolve: { alias } });
  try {
    const files = vitest.state.getTestModules();
    const tests = files.flatMap((file) => [...file.children.allTests()]);
    const errors = [
      ...files.map((file) => [file.relativeModuleId, file.errors()] as const),
      ...tests.map((test) => [test.name, test.result().errors ?? []] as const),
    ];
    for (const error of errors.flatMap(([, each]) => each)) onError(error);
    return new Map(errors.map(([name, each]) => [name, each.map(({ message }) => message)]));
  } finally {
    await vitest.close();
    // A failed test sets it, and other tests share this process.
    process.exitCode = exitCode;
  }
}
