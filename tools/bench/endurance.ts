/** Measures memory after a million requests at full speed: `npm run bench:endurance`. */

import { setTimeout as sleep } from "node:timers/promises";
import { createEmulator } from "async-music/emulator";
import { heapBytes } from "./heap-bytes.ts";
import { LIBRARIES } from "./libraries.ts";
import { print, publish } from "./publish.ts";
import { significant, type Table } from "./report.ts";
import { responses, serviceOf } from "./responses.ts";
import { SHORT_SONG } from "./songs.ts";

const TENTH = 100_000;
const PLENTY = 1_000_000_000;
/** The number of tasks that are read in turn, once a second each. */
const TASKS = 1000;

const tables: Table[] = [];
for (const [title, begin] of [
  ["Heap of the emulator", emulatorRequest],
  ["Heap of the SDK", sdkRequest],
] as const) {
  const table = await endure(title, await begin());
  print([table]);
  tables.push(table);
  publish("bench:endurance", tables);
}

async function endure(title: string, request: () => Promise<unknown>): Promise<Table> {
  const megabytes = async () => {
    for (let count = 0; count < TENTH; count++) await request();
    // Records that are kept for 1 s are dropped at the second request after it.
    for (let time = 0; time < 2; time++) {
      await sleep(1100);
      await request();
    }
    return (await heapBytes()) / 1e6;
  };
  const first = await megabytes();
  let last = first;
  for (let tenth = 2; tenth <= 10; tenth++) last = await megabytes();
  const ratio = significant(last / first);
  return {
    title,
    unit: "MB",
    against: "after the first tenth",
    rows: [
      { name: `after ${TENTH} requests`, value: significant(first) },
      { name: `after ${10 * TENTH} requests`, value: significant(last), ratio, promise: { atMost: 1.02 } },
    ],
  };
}

/** Reads of the SDK, each of another task. The service responds at once. */
async function sdkRequest(): Promise<() => Promise<unknown>> {
  const service = serviceOf((await responses()).retrieve);
  const calls = LIBRARIES["async-music"]?.("http://service.invalid", service);
  if (calls === undefined) throw new Error("Invariant: the SDK is among the libraries");
  return calls.retrieve;
}

/** Reads of the emulator, each of another unfinished task. */
async function emulatorRequest(): Promise<() => Promise<unknown>> {
  const emulator = createEmulator({ credits: PLENTY, limits: { requests: PLENTY } });
  emulator.providers.provider_a.always({ outcome: "hang" });
  const headers = { "x-api-key": emulator.apiKey, "Content-Type": "application/json" };
  const url = `${emulator.url}/api/v1/task`;
  const body = JSON.stringify(SHORT_SONG);
  const ids: string[] = [];
  for (let task = 0; task < TASKS; task++) {
    const created = await emulator.fetch(url, { method: "POST", headers, body });
    ids.push((await created.json()).data.task_id);
  }
  let reads = 0;
  return async () => {
    if (reads % TASKS === 0) await emulator.clock.advance(1000);
    const response = await emulator.fetch(`${url}/${ids[reads++ % TASKS]}`, { headers });
    return response.text();
  };
}
