/** Builds the package: its types beside the scripts and the files for tools. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";

rmSync("dist", { recursive: true, force: true });
await Promise.all([runInTurn("build:scripts", "build:tools"), runInTurn("build:types")]);

/** Runs scripts of `package.json` until one of them fails. */
async function runInTurn(...scripts: readonly string[]): Promise<void> {
  for (const script of scripts) {
    const [status] = await once(
      spawn(`npm run --silent ${script}`, { stdio: "inherit", shell: true }),
      "close",
    );
    if (status === 0) continue;
    process.exitCode = 1;
    return;
  }
}
