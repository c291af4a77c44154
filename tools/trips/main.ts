/**
 * Counts the source files and functions that one operation runs through, warm and from the sources, by V8's call coverage. Prints
 * a table; `--json` prints JSON, and `--files create` lists the files of one operation.
 */

import { Session } from "node:inspector/promises";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { createEmulator } from "../../emulator/index.js";
import { serve } from "../../emulator/node.js";
import { AsyncMusic, memoryJournal } from "../../src/index.js";

const LYRICS = { model: "provider_a", task_type: "lyrics", input: { prompt: "rain" } } as const;
const MUSIC = {
  model: "provider_a",
  task_type: "music",
  input: { gpt_description_prompt: "rain" },
} as const;

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

/** The number of functions that were entered since the last call, by file. */
async function takeCoverage(): Promise<Map<string, number>> {
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const files = new Map<string, number>();
  for (const { url, functions } of result.filter(({ url }) => url.startsWith("file:"))) {
    const file = relative(process.cwd(), fileURLToPath(url)).replaceAll("\\", "/");
    const entered = functions.filter(({ ranges: [range], functionName }) => {
      return range !== undefined && range.count > 0 && (functionName !== "" || range.startOffset > 0);
    });
    if (/^(src|emulator)\//.test(file) && entered.length > 0) files.set(file, entered.length);
  }
  return files;
}

const trips = new Map<string, Map<string, number>>();

/** The first time loads what is loaded lazily, and is not counted. */
async function measure(name: string, operation: () => Promise<unknown>): Promise<void> {
  await operation();
  await takeCoverage();
  await operation();
  trips.set(name, await takeCoverage());
}

const emulator = createEmulator({ clock: "virtual", credits: 1_000_000, limits: { requests: 1_000_000 } });
const client = new AsyncMusic(emulator.connection());
await measure("create", async () => client.tasks.create(LYRICS));
const submission = await client.tasks.create(LYRICS);
await measure("retrieve", async () => client.tasks.retrieve(submission.task_id));
await measure("wait", async () => client.tasks.wait(await client.tasks.create(LYRICS)));

const journal = memoryJournal();
let orders = 0;
await measure("run_all_journal", async () => {
  const options = { journal, journalKey: () => `order-${++orders}` };
  for await (const { error } of client.tasks.runAll([LYRICS], options)) if (error) throw error;
});

const [clip] = (await client.tasks.run(MUSIC)).output.result;
if (clip === undefined) throw new Error("The song has no clip.");
await measure("download", async () => (await client.audio.download(clip)).arrayBuffer());

const server = await serve(emulator);
const headers = { "x-api-key": emulator.apiKey, "Content-Type": "application/json" };
const init = { method: "POST", headers, body: JSON.stringify(LYRICS) };
await measure("post_on_port", async () => (await fetch(`${server.url}/api/v1/task`, init)).text());
await server.close();

const counts = Object.fromEntries(
  [...trips].map(([name, files]) => {
    const ofSide = (side: string) => [...files].filter(([file]) => file.startsWith(side));
    const countOf = (side: string) => ({
      files: ofSide(side).length,
      functions: ofSide(side).reduce((sum, [, functions]) => sum + functions, 0),
    });
    return [name, { sdk: countOf("src/"), emulator: countOf("emulator/") }];
  }),
);
const [, , flag, name = ""] = process.argv;
if (flag === "--files") {
  for (const [file, functions] of trips.get(name) ?? []) console.log(`${functions}\t${file}`);
} else if (flag === "--json") {
  console.log(JSON.stringify(counts));
} else {
  console.table(
    Object.fromEntries(
      Object.entries(counts).map(([name, { sdk, emulator }]) => [
        name,
        {
          "SDK files": sdk.files,
          "SDK functions": sdk.functions,
          "emulator files": emulator.files,
          "emulator functions": emulator.functions,
        },
      ]),
    ),
  );
}
process.exit(0);
