import { createEmulator, type Emulator } from "async-music/emulator";
import { type Row, significant, type Table } from "./report.ts";
import { SHORT_SONG } from "./songs.ts";

const TASKS = [100, 1000, 10_000, 100_000, 1_000_000];
const READS = 2000;
const PLENTY = 1_000_000_000;
const BODY = JSON.stringify(SHORT_SONG);

/** The cost of a request to an emulator, by its number of tasks. */
export async function measureTasks(most: number): Promise<Table[]> {
  const emulator = createEmulator({ credits: PLENTY, limits: { requests: PLENTY } });
  const ids: string[] = [];
  const reads: Row[] = [];
  const creates: Row[] = [];
  const create = async () => {
    const { data } = await call(emulator, "", { method: "POST", body: BODY });
    ids.push(data.task_id);
  };
  const read = () => call(emulator, `/${ids[Math.floor(Math.random() * ids.length)]}`, {});

  for (let warm = 0; warm < READS; warm++) await create();
  emulator.reset();
  ids.length = 0;
  for (const tasks of TASKS.filter((each) => each <= most)) {
    while (ids.length < tasks) await create();
    const name = `${tasks} tasks`;
    reads.push({ name, value: await timeOf(read) });
    creates.push({ name, value: await timeOf(create) });
  }
  return [
    { title: "Read a task, by number of tasks", unit: "µs", rows: reads },
    { title: "Create a task, by number of tasks", unit: "µs", rows: creates },
  ];
}

async function call(emulator: Emulator, path: string, init: RequestInit) {
  const headers = { "x-api-key": emulator.apiKey, "Content-Type": "application/json" };
  const response = await emulator.fetch(`${emulator.url}/api/v1/task${path}`, { ...init, headers });
  if (!response.ok) throw new Error(`The request failed: ${await response.text()}`);
  return await response.json();
}

async function timeOf(request: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  for (let count = 0; count < READS; count++) await request();
  const { user, system } = process.cpuUsage(before);
  return significant((user + system) / READS);
}
