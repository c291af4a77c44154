/** A process that runs a batch, and is killed at some point. */

import { setTimeout as sleep } from "node:timers/promises";
import { runBatch } from "../../cli/batch/batch.js";
import { report } from "../../cli/report.js";
import { processTerminal } from "./process-terminal.js";

const [baseUrl = "", apiKey = "", file = "", out = "", journal = ""] = process.argv.slice(2);
const begun = Date.now();
/** A hundred times as fast as the system clock, so that a task is read often before the process is killed. */
const clock = {
  now: () => begun + (Date.now() - begun) * 100,
  sleep: (ms: number, signal?: AbortSignal) => sleep(ms / 100, undefined, { signal }),
};
const terminal = processTerminal({
  client: { clock },
  env: { ASYNC_MUSIC_API_KEY: apiKey, ASYNC_MUSIC_BASE_URL: baseUrl },
});
const flags = { out, journal, maxCredits: 1000, concurrency: 4, yes: true };
process.stderr.write("begins\n");
process.exit(await runBatch(file, flags, terminal).catch((error) => report(error, false, terminal)));
