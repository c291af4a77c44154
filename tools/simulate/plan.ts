import type { FaultRule } from "../../emulator/core/faults.js";
import type { Outcome } from "../../emulator/core/providers.js";
import { type Random, randomChoice, randomStream } from "../../emulator/time/random.js";
import type { TaskRequest } from "../../src/contract/requests.js";

/** All random choices of a world, drawn before it begins. */
export interface Plan {
  seed: number;
  /** Requests of a window of 60 s. */
  limit: number;
  orders: Order[];
  processes: ProcessPlan[];
  faults: FaultRule[];
  /** Start and duration of the service's outages, in milliseconds. */
  outage: { at: number; ms: number } | null;
}

/** A song that must be created once. */
export interface Order {
  key: string;
  request: TaskRequest;
  outcome: Outcome;
}

/** One run of a process: its songs and its faults. */
export interface ProcessPlan {
  name: string;
  startsAt: number;
  keys: string[];
  /** One after the other, all at once, or by `runAll`. */
  mode: "in_turn" | "at_once" | "batch";
  probe: boolean;
  /** Its faults, by step. A step is the start or the end of anything that it awaits. */
  events: ReadonlyMap<number, Mishap>;
  /** When its caller aborts; `null` for never. */
  abortsAt: number | null;
}

export type Mishap =
  /** The process is killed: nothing that it awaits ever settles. */
  | { kind: "crash" }
  /** The process is suspended, as on a laptop that is closed. */
  | { kind: "freeze"; ms: number }
  /** Its clock is set to another time. */
  | { kind: "clock"; ms: number }
  /** Its journal fails before or after the operation. No effect on other steps. */
  | { kind: "journal"; when: "before" | "after" }
  /** The service refuses the connection. No effect on other steps. */
  | { kind: "unreachable" };

export function drawPlan(seed: number): Plan {
  const random = randomStream(seed, "plan");
  const orders = Array.from({ length: 1 + below(random, 4) }, (_, index) => drawOrder(random, seed, index));
  const isCalm = random() < 0.15;
  const count = 1 + below(random, 3);
  const processes = Array.from({ length: count }, (_, index) => drawProcess(random, index, orders, isCalm));
  return {
    seed,
    limit: random() < 0.2 ? 20 + below(random, 30) : 120,
    orders,
    processes,
    faults: isCalm ? [] : Array.from({ length: below(random, 5) }, () => drawFault(random, count === 1)),
    outage: !isCalm && random() < 0.15 ? { at: below(random, 60_000), ms: below(random, 600_000) } : null,
  };
}

function drawOrder(random: Random, seed: number, index: number): Order {
  const words = `song ${index} of world ${seed}`;
  const request = randomChoice<TaskRequest>(random, [
    { model: "provider_a", task_type: "music", input: { gpt_description_prompt: words } },
    { model: "provider_a", task_type: "lyrics", input: { prompt: words } },
    { model: "provider_b", task_type: "music", input: { prompt: words } },
  ]);
  const probability = random();
  const process_seconds = below(random, 90);
  const outcome: Outcome =
    probability < 0.8
      ? { outcome: "success", process_seconds }
      : probability < 0.92
        ? { outcome: "failure", process_seconds, retryable: random() < 0.5 }
        : { outcome: probability < 0.98 ? "reject" : "hang" };
  return { key: `order-${index}`, request, outcome };
}

function drawProcess(random: Random, index: number, orders: readonly Order[], isCalm: boolean): ProcessPlan {
  const keys = orders.map(({ key }) => key).filter(() => random() < 0.75);
  const [first] = orders;
  return {
    name: `process ${index}`,
    startsAt: random() < 0.4 ? 0 : below(random, 120_000),
    keys: keys.length > 0 || first === undefined ? keys : [first.key],
    mode: randomChoice(random, ["in_turn", "at_once", "batch"]),
    probe: random() < 0.4,
    events: isCalm ? new Map() : drawEvents(random),
    abortsAt: !isCalm && random() < 0.15 ? below(random, 60_000) : null,
  };
}

/** Most faults come early, around the submissions, where duplicates are possible. */
function drawEvents(random: Random): Map<number, Mishap> {
  const events = new Map<number, Mishap>();
  const count = below(random, 4);
  for (let event = 0; event < count; event++)
    events.set(below(random, 12 * 4 ** below(random, 3)), drawMishap(random));
  return events;
}

function drawMishap(random: Random): Mishap {
  const probability = random();
  if (probability < 0.45) return { kind: "crash" };
  if (probability < 0.55) return { kind: "freeze", ms: below(random, 7_200_000) };
  if (probability < 0.65) return { kind: "clock", ms: below(random, 14_400_000) - 7_200_000 };
  if (probability < 0.9) return { kind: "journal", when: randomChoice(random, ["before", "after"]) };
  return { kind: "unreachable" };
}

function drawFault(random: Random, isAlone: boolean): FaultRule {
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
    // Other processes with the same API key do not receive the stated wait.
    isAlone
      ? { kind: "status", status: 429, retry_after_seconds: below(random, 60), when: "before" }
      : { kind: "stall" },
  ]);
  const method =
    fault.kind === "status" && fault.status === 402 ? "POST" : randomChoice(random, ["POST", "POST", "GET"]);
  return { method, times: 1 + below(random, 3), fault };
}

function below(random: Random, limit: number): number {
  return Math.floor(random() * limit);
}
