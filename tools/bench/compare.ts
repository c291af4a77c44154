/**
 * Compares two built clones in turns: `npm run bench:compare -- DIRECTORY`, with another clone of this repository in which
 * `npm run build:scripts` has run. This clone must be built too.
 */

import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { responsesPerSecond } from "./port.ts";
import { print } from "./publish.ts";
import { type Table, tableOf } from "./report.ts";
import { type CallName, responses, serviceOf } from "./responses.ts";
import { startService } from "./running-service.ts";
import { emulatorOf } from "./services.ts";
import { SONG } from "./songs.ts";
import { takeTurns } from "./spread.ts";

const PORT_ROUNDS = 15;
const CALL_ROUNDS = 9;
const CALLS = 5000;
const HERE = "this clone";
const OTHER = "the other clone";

const self = fileURLToPath(import.meta.url);
const [mode, ...words] = process.argv.slice(2);

if (mode === "calls") process.send?.(await microsecondsPerCall(words[0] ?? "", words[1] as CallName));
else await compare(resolve(mode ?? ""));

async function compare(other: string): Promise<void> {
  const clones = { [OTHER]: other, [HERE]: fileURLToPath(new URL("../../", import.meta.url)) };
  for (const [name, directory] of Object.entries(clones)) {
    if (existsSync(join(directory, "dist/cli.js"))) continue;
    throw new Error(`There is no build in ${name}. Run \`npm run build:scripts\` there.`);
  }
  for (const kind of ["read", "create"] as const) print([await comparePort(clones, kind)]);
  for (const call of ["retrieve", "create"] as const) print([await compareCalls(clones, call)]);
}

/** Responses per second of both emulators, each in its own process. Both run until the end, and one at a time has work. */
async function comparePort(
  clones: Readonly<Record<string, string>>,
  kind: "read" | "create",
): Promise<Table> {
  await using stack = new AsyncDisposableStack();
  const contenders: Record<string, () => Promise<number>> = {};
  for (const [name, directory] of Object.entries(clones)) {
    const service = emulatorOf(directory);
    const { url } = stack.use(await startService(service));
    const question = (await service.questions(url))[kind];
    contenders[name] = () => responsesPerSecond(url, question);
  }
  const spreads = await takeTurns(PORT_ROUNDS, contenders);
  return tableOf(`Emulator: ${kind}s on a port`, "responses per second", spreads, {}, OTHER);
}

async function compareCalls(clones: Readonly<Record<string, string>>, call: CallName): Promise<Table> {
  const contenders = Object.entries(clones).map(([name, directory]) => {
    const measure = async () => {
      const [took] = await once(fork(self, ["calls", directory, call]), "message");
      return Number(took);
    };
    return [name, measure] as const;
  });
  const spreads = await takeTurns(CALL_ROUNDS, Object.fromEntries(contenders));
  return tableOf(`SDK: ${call}, in process`, "µs", spreads, {}, OTHER);
}

/** The time of a call of a clone's client, with a service in the same process that responds at once. */
async function microsecondsPerCall(directory: string, call: CallName): Promise<number> {
  const { AsyncMusic } = await import(join(directory, "dist/index.js"));
  const fetch = serviceOf((await responses())[call]);
  const client = new AsyncMusic({ apiKey: "emu_bench", baseUrl: "http://service.invalid", fetch });
  let count = 0;
  const send = () =>
    call === "create"
      ? client.tasks.create(SONG)
      : client.tasks.retrieve(`5ba53ba9-9b4b-4e4c-8a30-${(count++).toString(16).padStart(12, "0")}`);
  // The first half warms up.
  for (let count = 0; count < CALLS; count++) await send();
  const began = performance.now();
  for (let count = 0; count < CALLS; count++) await send();
  return ((performance.now() - began) * 1000) / CALLS;
}
