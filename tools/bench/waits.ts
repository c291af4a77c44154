import { AsyncMusic, type Clock } from "async-music";
import { createEmulator } from "async-music/emulator";
import { heapBytes } from "./heap-bytes.ts";
import { type Promised, type Row, significant, type Table } from "./report.ts";
import { SHORT_SONG } from "./songs.ts";

/** The numbers of concurrent waits. The first entry warms up, and does not count. */
const WAITS = [1000, 10, 100, 1000, 10_000, 50_000];
/** Smaller numbers of waits are repeated up to this total. */
const ENOUGH = 1000;
const PLENTY = 1_000_000_000;

/** The cost of one wait, by the number of concurrent waits. */
interface Cost {
  waits: number;
  microseconds: number;
  bytes: number;
  timers: number;
}

/** The cost of a wait until its task's end, with all reads and the emulator's work. */
export async function measureWaits(most: number): Promise<Table[]> {
  const costs: Cost[] = [];
  for (const waits of WAITS.filter((each) => each <= most)) costs.push(await meanCost(waits));
  const [, ...warm] = costs;
  const enough = warm.filter(({ waits }) => waits >= ENOUGH);
  const rows = (some: readonly Cost[], of: (cost: Cost) => number, promise?: Promised): Row[] =>
    some.map((cost) => ({
      name: `${cost.waits} waits`,
      value: significant(of(cost)),
      ...(promise && { promise }),
    }));
  return [
    { title: "CPU time of a wait", unit: "µs", rows: rows(warm, ({ microseconds }) => microseconds) },
    {
      title: "Memory of a wait",
      unit: "bytes",
      rows: rows(enough, ({ bytes }) => bytes, { atMost: 2000 }),
    },
    {
      title: "Timers of all waits",
      unit: "at once",
      rows: rows(warm, ({ timers }) => timers, { atMost: 1 }),
    },
  ];
}

async function meanCost(waits: number): Promise<Cost> {
  const costs: Cost[] = [];
  for (let done = 0; done < ENOUGH; done += waits) costs.push(await costOf(waits));
  const mean = (of: (cost: Cost) => number) => costs.reduce((sum, cost) => sum + of(cost), 0) / costs.length;
  return {
    waits,
    microseconds: mean(({ microseconds }) => microseconds),
    bytes: mean(({ bytes }) => bytes),
    timers: Math.max(...costs.map(({ timers }) => timers)),
  };
}

async function costOf(waits: number): Promise<Cost> {
  await using emulator = createEmulator({ credits: PLENTY, limits: { requests: PLENTY } });
  const clock = createGatedClock(emulator.clock);
  const client = new AsyncMusic({ ...emulator.connection(), clock });
  const songs = [];
  for (let song = 0; song < waits; song++) songs.push(await client.tasks.create(SHORT_SONG));

  const before = waits < ENOUGH ? 0 : await heapBytes();
  const waiting = songs.map((song) => client.tasks.wait(song));
  const after = waits < ENOUGH ? 0 : await heapBytes();

  const cpu = process.cpuUsage();
  clock.open();
  for (const wait of waiting) await wait;
  const { user, system } = process.cpuUsage(cpu);
  const microseconds = (user + system) / waits;
  return { waits, microseconds, bytes: (after - before) / waits, timers: clock.timers() };
}

/** A clock whose sleeps begin when it is opened. It counts concurrent sleeps. */
function createGatedClock(inner: Clock) {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const asleep = new Set<object>();
  let most = 0;
  return {
    open: () => open(),
    timers: () => most,
    now: () => inner.now(),
    async sleep(ms: number, signal?: AbortSignal) {
      await opened;
      signal?.throwIfAborted();
      const sleeper = {};
      const leave = () => void asleep.delete(sleeper);
      asleep.add(sleeper);
      most = Math.max(most, asleep.size);
      signal?.addEventListener("abort", leave, { once: true });
      await inner.sleep(ms, signal).finally(leave);
    },
  };
}
