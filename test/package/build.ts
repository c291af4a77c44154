import { spawnSync } from "node:child_process";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    buildStatus: number | null;
  }
}

/** Builds the package once, before the tests that run what users install. A failure is theirs to show: here it would end every other test too. */
export function setup(project: TestProject): void {
  const { status } = spawnSync("npm", ["run", "build", "--silent"], { stdio: "inherit" });
  project.provide("buildStatus", status);
}
