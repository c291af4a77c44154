import { AsyncMusic } from "async-music";
import { createEmulator } from "async-music/emulator";
import { type Row, significant, type Table } from "./report.ts";
import { SHORT_SONG } from "./songs.ts";

const TASKS = 100_000;
const CLIENTS = 20;
const DAY_MS = 86_400_000;

/** Each task is read once a minute, as in a batch that is not urgent. */
const POLL_INTERVAL_MS = 60_000;

/** Measures a day of service time on a virtual clock. Clients with separate keys run songs at an even rate. */
export async function measureDay(most: number): Promise<Table[]> {
  const tasks = Math.min(TASKS, most);
  await using emulator = createEmulator();
  const began = performance.now();
  await Promise.all(Array.from({ length: CLIENTS }, spendDay));
  const value = significant((performance.now() - began) / 1000);
  const row = { name: `${tasks} tasks of ${CLIENTS} clients, each read once a minute`, value };
  const rows: Row[] = [tasks < TASKS ? row : { ...row, promise: { atMost: 60 } }];
  return [{ title: "A day of service time", unit: "s", rows }];

  async function spendDay(): Promise<void> {
    const { api_key: apiKey } = emulator.accounts.create({ credits: tasks * 10 });
    const client = new AsyncMusic(emulator.connection({ apiKey }));
    const ends: Promise<void>[] = [];
    for (let song = 0; song < tasks / CLIENTS; song++) {
      await emulator.clock.sleep((DAY_MS * CLIENTS) / tasks);
      ends.push(runSong(client));
    }
    await Promise.all(ends);
  }
}

/** A batch stores its results elsewhere, and does not keep them in memory. */
async function runSong(client: AsyncMusic): Promise<void> {
  await client.tasks.run(SHORT_SONG, { pollIntervalMs: POLL_INTERVAL_MS });
}
