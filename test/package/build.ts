import { spawnSync } from "node:child_process";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    buildStatus: number | null;
  }
}

/**
 * Builds the package once, before the tests of the built package; of `npm test`, only its scripts. The tests report a
 * failure: here, it would end all tests.
 */
export function setup(project: TestProject): void {
  const script = project.name === "built" ? "build:scripts" : "build";
  const { status } = spawnSync("npm", ["run", script, "--silent"], { stdio: "inherit" });
  project.provide("buildStatus", status);
}
