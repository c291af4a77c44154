import type { TaskRequest } from "async-music";
import type { FaultRule, Outcome } from "async-music/emulator";
import { type Random, randomChoice, randomStream } from "../../emulator/time/random.js";

/** One task that an application wants. */
export interface Order {
  /** Occurs in the request, so that the task of a lost response can be found. */
  words: string;
  request: TaskRequest;
  outcome: Outcome;
  tenant: string | undefined;
  mode: "run" | "journal" | "wait" | "watch" | "waits" | "batch";
  startsAt: number;
}

/** All random choices of a world, drawn before it begins. */
export interface Plan {
  seed: number;
  credits: number;
  limit: number;
  /** Clients that share the key, and no pacer: they cause 429s. */
  clients: number;
  orders: Order[];
  faults: FaultRule[];
  /** The probabilities that a request does not reach the service: its connection fails, or it never has a response. */
  unreachable: number;
  stalled: number;
}

const MODES = ["run", "journal", "wait", "watch", "waits", "batch"] as const;
const TENANTS = ["acme", "globex", "initech", ""];

export function drawPlan(seed: number): Plan {
  const random = randomStream(seed, "metrics");
  const isCalm = random() < 0.1;
  return {
    seed,
    credits: random() < 0.3 ? 30 + below(random, 100) : 1000,
    limit: random() < 0.5 ? 120 : 15 + below(random, 30),
    clients: 1 + below(random, 3),
    orders: Array.from({ length: 3 + below(random, 20) }, (_, index) => drawOrder(random, seed, index)),
    faults: isCalm ? [] : Array.from({ length: below(random, 6) }, () => drawFault(random)),
    unreachable: isCalm ? 0 : random() * 0.05,
    stalled: isCalm ? 0 : random() * 0.03,
  };
}

function drawOrder(random: Random, seed: number, index: number): Order {
  const words = `song ${index} of world ${seed}`;
  const request = randomChoice<TaskRequest>(random, [
    { model: "provider_a", task_type: "music", input: { gpt_description_prompt: words } },
    { model: "provider_a", task_type: "lyrics", input: { prompt: words } },
    { model: "provider_b", task_type: "music", input: { prompt: words } },
  ]);
  return {
    words,
    request,
    outcome: drawOutcome(random),
    tenant: randomChoice(random, TENANTS) || undefined,
    mode: randomChoice(random, MODES),
    startsAt: below(random, 60_000),
  };
}

function drawOutcome(random: Random): Outcome {
  const probability = random();
  const process_seconds = below(random, 90_000) / 1000;
  if (probability < 0.65) return { outcome: "success", process_seconds };
  if (probability < 0.9) {
    const error_code = randomChoice(random, ["content_moderation", "rate_limited"] as const);
    return { outcome: "failure", process_seconds, error_code };
  }
  return { outcome: probability < 0.95 ? "reject" : "hang" };
}

function drawFault(random: Random): FaultRule {
  const when = randomChoice(random, ["before", "after"] as const);
  const fault = randomChoice<FaultRule["fault"]>(random, [
    { kind: "status", status: 502, when },
    { kind: "status", status: 503, when },
    { kind: "status", status: 429, retry_after_seconds: below(random, 20), when: "before" },
    { kind: "disconnect", when },
    { kind: "disconnect", when },
    { kind: "latency", ms: below(random, 20_000) },
    { kind: "malformed" },
  ]);
  return { method: randomChoice(random, ["POST", "GET"]), probability: 0.02 + random() * 0.1, fault };
}

function below(random: Random, limit: number): number {
  return Math.floor(random() * limit);
}
