import { type CliOptions, startVitest } from "vitest/node";

/** How tests can be run in a vitest of their own. */
export interface VitestOptions {
  include?: string[];
  /** What stands for which import. */
  alias?: { find: RegExp; replacement: string }[];
}

/**
 * Runs the tests of a folder in a vitest of their own, which knows nothing of the project's configuration.
 *
 * @returns the messages with which each test failed, by its name, and those of each file that didn't load
 */
export async function runVitest(
  root: string,
  { include = ["*.test.ts"], alias = [] }: VitestOptions = {},
): Promise<Map<string, string[]>> {
  const testTimeout = 30_000;
  const options: CliOptions = { root, include, config: false, watch: false, reporters: [], testTimeout };
  const vitest = await startVitest("test", [], options, { resolve: { alias } });
  try {
    const files = vitest.state.getTestModules();
    const tests = files.flatMap((file) => [...file.children.allTests()]);
    return new Map([
      ...files.map((file) => [file.relativeModuleId, messagesOf(file.errors())] as const),
      ...tests.map((test) => [test.name, messagesOf(test.result().errors ?? [])] as const),
    ]);
  } finally {
    await vitest.close();
  }
}

function messagesOf(errors: readonly { message: string }[]): string[] {
  return errors.map(({ message }) => message);
}
