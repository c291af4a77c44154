import { ROOMS } from "./rooms.mjs";

const room = ROOMS[process.env.ROOM ?? ""];
if (room === undefined) throw new Error(`Expected ROOM to be one of ${Object.keys(ROOMS).join(", ")}`);

/** Run by scripts/mutation.ts, from the repository's root and with the room's name in `ROOM`. */
export default {
  plugins: ["@stryker-mutator/vitest-runner", "./tools/mutation/prose.mjs"],
  ignorers: ["prose"],
  testRunner: "vitest",
  vitest: { configFile: "tools/mutation/vitest.config.ts", related: false },
  coverageAnalysis: "perTest",
  mutate: room.mutate,
  ignoreStatic: true,
  concurrency: 1,
  timeoutMS: 2500,
  tempDirName: ".reports/stryker",
  ignorePatterns: ["dist", "site", ".reports", "songs", "docs/images", "tools/bench", "tools/runtimes"],
  reporters: ["clear-text", "json"],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false, reportScoreTable: true },
  incrementalFile: `.reports/mutation-${process.env.ROOM}-incremental.json`,
  jsonReporter: { fileName: `.reports/mutation-${process.env.ROOM}.json` },
  thresholds: { break: 90 },
};
