import { drawRequest, loadAll } from "../../emulator/worlds/explore.js";
import type { Mishap, Plan, PlannedProcess } from "../../emulator/worlds/plan.js";
import type { Violation, WorldResult } from "../../emulator/worlds/verdict.js";
import { runWorld } from "../../emulator/worlds/world.js";
import type { Journal } from "../../src/journal/journal.js";
import { memoryJournal } from "../../src/journal/memory-journal.js";
import { carefulShop } from "./program.js";

/** One order, and every placement of so many faults and crashes. */
export interface SmallScope {
  processes: 1 | 2;
  faults: number;
  crashes: number;
  /** When the second process starts, in milliseconds after the first: each step of a process takes 1 ms. */
  offsets: readonly number[];
  journal?: (() => Journal) | undefined;
}

/** A schedule that breaks a promise. */
export interface BrokenSchedule {
  plan: Plan;
  violations: readonly Violation[];
}

/** What a fault at a step can be: the label of the step decides. */
const FAULTS: readonly (readonly [step: RegExp, mishaps: readonly Mishap[]])[] = [
  [/^journal\..* returns$/, [{ kind: "storage", when: "after" }]],
  [/^journal\./, [{ kind: "storage", when: "before" }]],
  [
    /^POST \/task$/,
    [
      { kind: "unreachable" },
      { kind: "service", fault: { kind: "status", status: 502, when: "before" } },
      { kind: "service", fault: { kind: "status", status: 502, when: "after" } },
      { kind: "service", fault: { kind: "disconnect", when: "before" } },
      { kind: "service", fault: { kind: "disconnect", when: "after" } },
      { kind: "service", fault: { kind: "malformed" } },
      { kind: "service", fault: { kind: "status", status: 429, retry_after_seconds: 2, when: "before" } },
    ],
  ],
  [/^GET [^ ]+$/, [{ kind: "service", fault: { kind: "status", status: 500, when: "before" } }]],
];

/** Runs every schedule of a scope, and returns their number and those that break a promise. */
export async function runSmallScope(
  scope: SmallScope,
): Promise<{ schedules: number; broken: BrokenSchedule[] }> {
  const broken: BrokenSchedule[] = [];
  const inputs = { request: drawRequest, journal: scope.journal ?? memoryJournal };
  let schedules = 0;

  /** Runs a schedule, and then each that has one mishap more, at a later step. */
  const runFrom = async (plan: Plan, left: { faults: number; crashes: number }): Promise<void> => {
    const result = await runWorld(carefulShop, plan, inputs);
    schedules++;
    if (result.violations.length > 0) broken.push({ plan, violations: result.violations });
    for (const [index, process] of plan.processes.entries()) {
      // A set of mishaps runs once: by process, then by step.
      if (plan.processes.slice(index + 1).some(({ mishaps }) => mishaps.length > 0)) continue;
      const first = (process.mishaps.at(-1)?.[0] ?? -1) + 1;
      for (const [mishap, step] of mishapsFrom(result, index, first)) {
        const isCrash = mishap.kind === "crash";
        const rest = { faults: left.faults - (isCrash ? 0 : 1), crashes: left.crashes - (isCrash ? 1 : 0) };
        if (rest.faults < 0 || rest.crashes < 0) continue;
        await runFrom(withMishap(plan, index, [step, mishap]), rest);
      }
    }
  };

  await loadAll();
  // The first world loads what the program loads at its first use.
  await runWorld(carefulShop, planOf(scope.processes, 0), inputs);
  for (const offset of scope.processes === 1 ? [0] : scope.offsets)
    await runFrom(planOf(scope.processes, offset), scope);
  return { schedules, broken };
}

function* mishapsFrom({ steps }: WorldResult, index: number, first: number): Generator<[Mishap, number]> {
  for (const [step, label] of (steps[index] ?? []).entries()) {
    if (step < first) continue;
    yield [{ kind: "crash", ms: 5000 }, step];
    for (const mishap of FAULTS.find(([pattern]) => pattern.test(label))?.[1] ?? []) yield [mishap, step];
  }
}

function withMishap(plan: Plan, index: number, mishap: PlannedProcess["mishaps"][number]): Plan {
  const processes = plan.processes.map((each, position) =>
    position === index ? { ...each, mishaps: [...each.mishaps, mishap] } : each,
  );
  return { ...plan, processes };
}

function planOf(processes: number, offset: number): Plan {
  const starts = [0, offset].slice(0, processes);
  return {
    seed: 1,
    limit: 120,
    varies: false,
    redelivers: false,
    orders: [{ id: "order-1", outcome: { outcome: "success", polls: 1 } }],
    processes: starts.map((startsAt) => ({
      orders: ["order-1"],
      startsAt,
      pace: [1, 1],
      stopsAt: null,
      mishaps: [],
    })),
    faults: [],
    outages: [],
    others: [],
  };
}

/** Journals of worlds in one store: each has keys of its own. */
export function inOneStore(journal: Journal): () => Journal {
  let worlds = 0;
  return () => {
    const world = worlds++;
    const keyOf = (key: string) => `${world}:${key}`;
    return {
      get: (key) => journal.get(keyOf(key)),
      put: (key, entry, previous) => journal.put(keyOf(key), entry, previous),
      delete: (key, revision) => journal.delete(keyOf(key), revision),
    };
  };
}
