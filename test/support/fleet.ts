import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { createEmulator, type Emulator } from "async-music/emulator";
import { serve } from "async-music/emulator/node";
import { type TestContext, vi } from "vitest";

const ORDERS = 13;

/** How often the test of each fleet is repeated. */
export const FLEET_RUNS = Array.from({ length: Number(process.env["FLEET_RUNS"] ?? 1) }, (_, run) => run);

/** The end of an order that only a person can decide, with the command for that. */
const PARKED = /^ParkedError: .*then run: npx node (\S+) (\S+) TASK_ID/;

/**
 * Runs the fleet of an example, which kills its workers twelve times, against an emulator in real time. Checks that each order
 * is one song, or is parked with the command that settles it; then settles those, and checks that each order is one song.
 */
export async function runFleet(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { expect, onTestFinished }: Pick<TestContext, "expect" | "onTestFinished">,
): Promise<Emulator> {
  // The seed selects a separate API key, and therefore a separate budget.
  const emulator = createEmulator({ clock: "real", seed: seedOf(env) });
  emulator.providers.provider_a.always({ outcome: "success", queue_seconds: 1, process_seconds: 2 });
  // Leaves time to kill a worker between a request and its response.
  emulator.faults.add({ method: "POST", probability: 0.5, fault: { kind: "latency", ms: 500 } });
  const { url, close } = await serve(emulator);
  onTestFinished(close);

  const service = { ASYNC_MUSIC_BASE_URL: url, ASYNC_MUSIC_API_KEY: emulator.apiKey };
  const times = { POLL_MS: "1000", SETTLE_MS: "5000" };
  const execute = async (...script: readonly string[]) => {
    const parameters = ["--import", "./tools/loader/run-sources.ts", ...script];
    const options = { env: { ...process.env, ...service, ...times, ...env } };
    return (await promisify(execFile)(process.execPath, parameters, options)).stdout;
  };
  const stdout = await execute(...args);

  const ends = new Map(endsIn(stdout));
  expect([ends.size, stdout.includes("12 workers were killed")]).toEqual([ORDERS, true]);
  expect(tasksOf(emulator)).toHaveLength(new Set(tasksOf(emulator).map(({ order }) => order)).size);

  // As the service tells a person which task a request has created.
  const open = [
    ...stdout.matchAll(/^open (\S+): unknown outcome of request \S+: npx node \S+ \S+ TASK_ID\|none$/gm),
  ];
  const parked = [...ends].filter(([, end]) => PARKED.test(end));
  expect(open.map(([, key]) => key).sort()).toEqual(parked.map(([name]) => `${name}/1`).sort());
  for (const [name, end] of parked) {
    const [, script = "", key = ""] = PARKED.exec(end) ?? [];
    const number = Number(name.split("-").at(-1));
    const task = tasksOf(emulator).find(({ order }) => order === number);
    for (const [settled, songOrEnd] of endsIn(await execute(script, key, task?.id ?? "none"))) {
      expect(settled).toBe(name);
      ends.set(settled, songOrEnd);
    }
  }

  const tasks = tasksOf(emulator);
  expect([...ends.values()].sort()).toEqual(tasks.map(({ id }) => id).sort());
  expect(tasks.map(({ order }) => order).sort(ascending)).toEqual([...Array(ORDERS).keys()]);
  expect(new Set(tasks.map(({ status }) => status))).toEqual(new Set(["success"]));
  expect(emulator.state().accounts[0]?.balance.total).toBe(1000 - 10 * ORDERS);
  return emulator;
}

/**
 * Runs the worker of an example against an emulator in real time, and ends it by SIGTERM during its first order. Checks that it
 * exits with 0, and takes no second order. Returns the ID of its song.
 */
export async function stopWorker(
  script: readonly string[],
  env: Readonly<Record<string, string>>,
  order: (which: "first" | "second") => Promise<unknown>,
  { expect, onTestFinished }: Pick<TestContext, "expect" | "onTestFinished">,
): Promise<string | undefined> {
  const emulator = createEmulator({ clock: "real" });
  emulator.providers.provider_a.always({ outcome: "success", queue_seconds: 1, process_seconds: 4 });
  const { url, close } = await serve(emulator);
  onTestFinished(close);
  await order("first");
  const service = { ASYNC_MUSIC_BASE_URL: url, ASYNC_MUSIC_API_KEY: emulator.apiKey, POLL_MS: "1000" };
  const options = { env: { ...process.env, ...service, ...env }, stdio: "inherit" } as const;
  const worker = spawn(process.execPath, ["--import", "./tools/loader/run-sources.ts", ...script], options);
  onTestFinished(() => void worker.kill("SIGKILL"));
  const ended = once(worker, "exit");
  await vi.waitUntil(() => emulator.state().tasks.length === 1, { timeout: 60_000 });
  worker.kill("SIGTERM");
  await setTimeout(1000);
  await order("second");
  expect(await ended).toEqual([0, null]);
  const [task, ...others] = emulator.state().tasks;
  expect(others).toEqual([]);
  return task?.task_id;
}

const ascending = (one: number, other: number) => one - other;

/** Each run has its own emulator and API key, also in one process. */
function seedOf(env: Readonly<Record<string, string>>): number {
  return [...JSON.stringify(env)].reduce(
    (sum, unit) => (sum * 31 + unit.charCodeAt(0)) % 1_000_003,
    process.pid,
  );
}

/** The name and the end of each order. */
function endsIn(stdout: string): [name: string, end: string][] {
  return [...stdout.matchAll(/^(\w+-[\w-]+): (.*)$/gm)].map(([, name = "", end = ""]) => [name, end]);
}

/** The number of an order is at the end of its description. */
function tasksOf(emulator: Emulator) {
  return emulator.state().tasks.map(({ task_id: id, status, input }) => {
    const order = Number(/\d+$/.exec(String(input?.["gpt_description_prompt"]))?.[0]);
    return { id, status, order };
  });
}
