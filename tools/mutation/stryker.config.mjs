import { MODULES } from "./modules.mjs";

const module = MODULES[process.env.MODULE ?? ""];
if (module === undefined) throw new Error(`Expected MODULE to be one of ${Object.keys(MODULES).join(", ")}`);

/** Run by tools/mutation/main.ts, from the repository's root and with the module's name in `MODULE`. */
export default {
  plugins: ["@stryker-mutator/vitest-runner", "./tools/mutation/prose.mjs"],
  ignorers: ["prose"],
  testRunner: "vitest",
  vitest: { configFile: "tools/mutation/vitest.config.ts", related: false },
  coverageAnalysis: "perTest",
  mutate: module.mutate,
  ignoreStatic: true,
  concurrency: 1,
  timeoutMS: 2500,
  tempDirName: ".reports/stryker",
  ignorePatterns: ["dist", "site", ".reports", "songs", "docs/images", "tools/bench/peers", "tools/runtimes"],
  reporters: ["clear-text", "json", "progress-append-only"],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false, reportScoreTable: true },
  incrementalFile: `.reports/mutation-${process.env.MODULE}-incremental.json`,
  jsonReporter: { fileName: `.reports/mutation-${process.env.MODULE}.json` },
  thresholds: { break: 90 },
};
