import { createEmulator } from "../../emulator/control/create-emulator.js";
import { randomStream } from "../../emulator/time/random.js";
import { memoryJournal } from "../../src/journal/memory-journal.js";
import { callForSongs, type Told } from "./caller.js";
import { createMachine, type Surroundings } from "./machine.js";
import { drawPlan, type Plan, type ProcessPlan } from "./plan.js";
import { checkWorld, type Received, requestsBeyondLimit } from "./properties.js";
import { createSubmissions } from "./submissions.js";
import { useVirtualTimers } from "./virtual-timers.js";

/** The result of a world. */
export interface Ended {
  violations: string[];
  trace: string[];
}

/** The start of the last process after all others: longer than any stated wait and the task timeout. */
const AFTERWARDS_MS = 3 * 3_600_000;
const RESTART_MS = 5000;

/** Runs one world, from its seed to its end. */
export async function simulate(seed: number): Promise<Ended> {
  const plan = drawPlan(seed);
  const violations: string[] = [];
  const trace: string[] = [];
  const emulator = createEmulator({
    seed,
    credits: 1000,
    limits: { requests: plan.limit, windowSeconds: 60 },
  });
  const note = (text: string) => trace.push(`${emulator.clock.now()} ${text}`);
  const violate = (text: string) => {
    note(`VIOLATION ${text}`);
    violations.push(text);
  };
  const restoreTimers = useVirtualTimers(emulator.clock);
  try {
    const submissions = createSubmissions(plan.orders, note, violate);
    const journal = memoryJournal();
    const { clock, fetch } = emulator;
    const world: Surroundings = { clock, fetch, journal, submissions, trace: note };
    const told: Received[] = [];
    const receive = (each: Told) => {
      note(`${each.process} received for ${each.key}: ${each.song?.task_id ?? nameOf(each.error)}`);
      const own = submissions.of(each.key).findLast(({ process }) => process === each.process);
      told.push({ ...each, own: own === undefined ? null : { ...own } });
    };

    /** Runs a process, and after a crash its next run. */
    const live = async (process: ProcessPlan, life: number): Promise<void> => {
      const name = `${process.name}.${life}`;
      const machine = createMachine({ name, events: process.events }, world);
      const random = randomStream(seed, "client", name);
      const address = { apiKey: emulator.apiKey, baseUrl: emulator.url, random };
      note(`${name} begins`);
      const program = callForSongs({ ...process, name }, plan.orders, machine, address, receive);
      await Promise.race([program, machine.crashed]);
      if (!machine.isDead()) return;
      await clock.sleep(RESTART_MS);
      await live({ ...process, events: new Map(), abortsAt: null }, life + 1);
    };

    for (const rule of plan.faults) emulator.faults.add(rule);
    if (plan.outage !== null) void breakDown(plan.outage, emulator);
    await Promise.all(
      plan.processes.map(async (process) => {
        await clock.sleep(process.startsAt);
        await live(process, 0);
      }),
    );
    const beyondLimit = requestsBeyondLimit(emulator, plan);
    const findings = emulator.audit();

    emulator.faults.clear();
    await clock.sleep(AFTERWARDS_MS);
    const keys = plan.orders.map(({ key }) => key);
    const last = { name: "afterwards", keys, mode: "at_once", probe: true, abortsAt: null } as const;
    await live({ ...last, startsAt: 0, events: new Map() }, 0);

    await checkWorld({ plan, emulator, journal, submissions, told, findings, beyondLimit, violate });
  } catch (error) {
    violate(`the world threw: ${error instanceof Error ? error.stack : String(error)}`);
  } finally {
    restoreTimers();
    await emulator[Symbol.asyncDispose]();
  }
  return { violations, trace };
}

async function breakDown(
  { at, ms }: NonNullable<Plan["outage"]>,
  { clock, faults }: ReturnType<typeof createEmulator>,
): Promise<void> {
  await clock.sleep(at);
  faults.clear();
  faults.add({ probability: 1, fault: { kind: "status", status: 500, when: "before" } });
  await clock.sleep(ms);
  faults.clear();
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : String(error);
}
