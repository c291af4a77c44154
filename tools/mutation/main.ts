import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** `npm run mutation -- <module> [options of Stryker]`: which faults the tests of a module do not find. */
const root = fileURLToPath(new URL("../..", import.meta.url));
const stryker = "tools/mutation/node_modules/@stryker-mutator/core/bin/stryker.js";
const [module = "", ...options] = process.argv.slice(2);

const { status } = spawnSync(
  process.execPath,
  [stryker, "run", "tools/mutation/stryker.config.mjs", ...options],
  {
    cwd: root,
    env: { ...process.env, MODULE: module },
    stdio: "inherit",
  },
);
process.exitCode = status ?? 1;
