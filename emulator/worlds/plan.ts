import type { Fault, FaultRule } from "../core/faults.js";
import type { Outcome } from "../core/providers.js";
import { Future } from "../future/future.js";
import { type Random, randomChoice, randomStream } from "../time/random.js";

/** All random choices of a world, drawn before it begins. It is JSON. */
export interface Plan {
  /** The seed of the service and of the processes' random numbers. */
  readonly seed: number;
  /** Requests of a key in 60 s. */
  readonly limit: number;
  /** Whether the service's policy is drawn from the seed. */
  readonly varies: boolean;
  /** The seed of the later version of the service that is played; absent for today's. */
  readonly future?: number;
  /** Whether finished orders are handed out again at the last start. */
  readonly redelivers: boolean;
  readonly orders: readonly PlannedOrder[];
  readonly processes: readonly PlannedProcess[];
  readonly faults: readonly FaultRule[];
  /** When the service fails completely, and for how long, in milliseconds. */
  readonly outages: readonly { readonly at: number; readonly ms: number }[];
  /** When another client of the account creates a task, in milliseconds. */
  readonly others: readonly number[];
}

/** What a plan has several of. */
export const PLAN_LISTS = ["orders", "processes", "faults", "outages", "others"] as const;

/** An order of a world, and what the provider does with its task. */
export interface PlannedOrder {
  readonly id: string;
  /** Of its first task. Further ones succeed. */
  readonly outcome: Outcome;
}

/** A process of a world: when it starts and stops, and what happens to it. */
export interface PlannedProcess {
  readonly orders: readonly string[];
  /** In milliseconds. */
  readonly startsAt: number;
  /** How long each step takes, in milliseconds, so that the steps of processes alternate. */
  readonly pace: readonly [shortest: number, longest: number];
  /** When the process receives SIGTERM, in milliseconds after its start; `null` for never. */
  readonly stopsAt: number | null;
  /** Its faults, by step. A step is the start or the end of anything that the process awaits, counted over all its lives. */
  readonly mishaps: readonly (readonly [step: number, mishap: Mishap])[];
}

/** What happens to a process at a step. */
export type Mishap =
  /** The process is killed, and starts again after `ms`. */
  | { readonly kind: "crash"; readonly ms: number }
  /** The process is suspended, as on a laptop that is closed. */
  | { readonly kind: "freeze"; readonly ms: number }
  /** Its clock is set forward or back. */
  | { readonly kind: "clock"; readonly ms: number }
  /** Its journal or storage fails, before or after the operation took effect. No effect on other steps. */
  | { readonly kind: "storage"; readonly when: "before" | "after" }
  /** The service refuses the connection. No effect on other steps. */
  | { readonly kind: "unreachable" }
  /** The service has a fault at this request. No effect on other steps. */
  | { readonly kind: "service"; readonly fault: Fault };

/** A pause that is longer than the lifetime of audio (Limits: Audio lifetime). */
export const LONG_PAUSE_MS = 8 * 24 * 3_600_000;

/** Which worlds to draw. */
export interface PlanScope {
  readonly orders: number;
  readonly processes: number;
  /** Whether each world plays a later version of the service. */
  readonly future?: boolean;
}

/** Draws a world. One in seven has no faults, but a process may receive SIGTERM. */
export function drawPlan(seed: number, scope: PlanScope): Plan {
  const random = randomStream(seed, "world");
  const isCalm = random() < 0.15;
  const orders = Array.from({ length: 1 + below(random, scope.orders) }, (_, index) =>
    drawOrder(random, index),
  );
  const count = 1 + below(random, scope.processes);
  const mayDrawOutage = !isCalm && random() < 0.12;
  return {
    seed,
    ...(scope.future && { future: knownEnds(seed) }),
    limit: random() < 0.2 ? 20 + below(random, 30) : 120,
    varies: random() < 0.3,
    redelivers: random() < 0.2,
    orders,
    processes: Array.from({ length: count }, (_, index) => drawProcess(random, index, count, orders, isCalm)),
    faults: isCalm ? [] : drawMany(below(random, 4), () => drawFault(random)),
    outages: mayDrawOutage ? [{ at: below(random, 60_000), ms: below(random, 600_000) }] : [],
    others: random() < 0.15 ? drawMany(1 + below(random, 3), () => below(random, 30_000)) : [],
  };
}

/** A future in which each task ends in a status of today: no program can learn how a task ended whose status it does not know. */
function knownEnds(seed: number): number {
  const { changes } = new Future(seed);
  return changes.some(({ name }) => name === "final_status") ? knownEnds(seed + 1) : seed;
}

function drawOrder(random: Random, index: number): PlannedOrder {
  const probability = random();
  const process_seconds = Math.floor(60 * random() ** 3);
  const outcome: Outcome =
    probability < 0.8
      ? { outcome: "success", process_seconds }
      : probability < 0.92
        ? { outcome: "failure", process_seconds, retryable: random() < 0.5 }
        : { outcome: probability < 0.993 ? "reject" : "hang" };
  return { id: `order-${index + 1}`, outcome };
}

function drawProcess(
  random: Random,
  index: number,
  count: number,
  orders: readonly PlannedOrder[],
  isCalm: boolean,
): PlannedProcess {
  // Each order is handed to one process, and half of the orders also to others.
  const own = orders.filter((_, position) => position % count === index || random() < 0.5);
  return {
    orders: own.map(({ id }) => id),
    startsAt: random() < 0.5 ? 0 : below(random, 120_000),
    pace: [0, random() < 0.5 ? 0 : 1 + below(random, 20) ** 2],
    stopsAt: random() < (isCalm ? 0.5 : 0.12) ? below(random, random() < 0.5 ? 1000 : 60_000) : null,
    mishaps: isCalm ? [] : drawMishaps(random),
  };
}

/** Most faults come early, around the submissions, where duplicates are possible. */
function drawMishaps(random: Random): [number, Mishap][] {
  const mishaps = new Map<number, Mishap>();
  for (let left = below(random, 4); left > 0; left--)
    mishaps.set(below(random, 12 * 4 ** below(random, 3)), drawMishap(random));
  return [...mishaps].sort(([a], [b]) => a - b);
}

function drawMishap(random: Random): Mishap {
  const probability = random();
  if (probability < 0.45) return { kind: "crash", ms: drawPause(random) };
  if (probability < 0.55)
    return { kind: "freeze", ms: random() < 0.1 ? LONG_PAUSE_MS : below(random, 7_200_000) };
  if (probability < 0.65) return { kind: "clock", ms: below(random, 14_400_000) - 7_200_000 };
  if (probability < 0.9) return { kind: "storage", when: randomChoice(random, ["before", "after"]) };
  return { kind: "unreachable" };
}

/** Most processes start again at once, some after hours, a few after the audio has expired. */
function drawPause(random: Random): number {
  const probability = random();
  if (probability < 0.7) return 5000;
  return probability < 0.95 ? below(random, 7_200_000) : LONG_PAUSE_MS;
}

function drawFault(random: Random): FaultRule {
  const when = randomChoice(random, ["before", "after"] as const);
  const fault = randomChoice<FaultRule["fault"]>(random, [
    { kind: "status", status: 502, when },
    { kind: "status", status: 500, when },
    { kind: "status", status: 402, when: "before" },
    { kind: "disconnect", when },
    { kind: "disconnect", when },
    { kind: "latency", ms: below(random, 40_000) },
    { kind: "malformed" },
    { kind: "stall" },
    { kind: "status", status: 429, retry_after_seconds: below(random, 60), when: "before" },
  ]);
  const isRefusal = fault.kind === "status" && fault.status === 402;
  const method = isRefusal ? "POST" : randomChoice(random, ["POST", "POST", "GET"]);
  return { method, times: 1 + below(random, 3), fault };
}

function drawMany<Item>(count: number, draw: () => Item): Item[] {
  return Array.from({ length: count }, () => draw());
}

function below(random: Random, limit: number): number {
  return Math.floor(random() * limit);
}
