import { type CliOptions, startVitest, type TestModule } from "vitest/node";

/** How tests can be run in a vitest of their own. */
export interface VitestOptions {
  include?: string[];
  /** What stands for which import. */
  alias?: { find: RegExp; replacement: string }[];
  /** Is shown each error as it is reported. */
  onError?: (error: ReportedError) => void;
}

type ReportedError = ReturnType<TestModule["errors"]>[number];

/**
 * Runs the tests of a folder in a vitest of their own, which knows nothing of the project's configuration.
 *
 * @returns the messages with which each test failed, by its name, and those of each file that didn't load
 */
export async function runVitest(
  root: string,
  { include = ["*.test.ts"], alias = [], onError = () => {} }: VitestOptions = {},
): Promise<Map<string, string[]>> {
  const nets = { testTimeout: 300_000, hookTimeout: 300_000 };
  const options: CliOptions = { root, include, config: false, watch: false, reporters: [], ...nets };
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
  }
}
