import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { TestResult } from "../../test/runtimes/test-runner.ts";
import { bundle } from "./bundle.ts";
import { runInChromium } from "./chromium.ts";
import { runInWorkerd } from "./workerd.ts";

/** A runtime, and the function that runs the suite in it. */
interface Runtime {
  name: string;
  run(folder: string): Promise<TestResult[]>;
}

const installed = (path: string) => fileURLToPath(new URL(`node_modules/${path}`, import.meta.url));

export const RUNTIMES: readonly Runtime[] = [
  commandLine("Node 22", installed("node22/bin/node")),
  commandLine("Node 24", process.execPath),
  commandLine("Node 26", installed("node26/bin/node")),
  commandLine("Bun", installed("@oven/bun-linux-x64/bin/bun")),
  commandLine("Deno", installed("@deno/linux-x64-glibc/deno"), ["run", "--allow-all"]),
  { name: "workerd", run: async (folder) => runInWorkerd(await bundle("worker", folder)) },
  { name: "Chromium", run: async (folder) => runInChromium(await bundle("page", folder)) },
];

/** A runtime that runs a file and prints the results as one line. */
function commandLine(name: string, binary: string, flags: readonly string[] = []): Runtime {
  return {
    name,
    async run(folder) {
      const file = await bundle("command-line", folder);
      const limits = { timeout: 120_000, maxBuffer: 64 * 2 ** 20, env: { HOME: folder } };
      const { stdout } = await promisify(execFile)(binary, [...flags, file], limits);
      return JSON.parse(stdout) as TestResult[];
    },
  };
}
