import type { Durations } from "./durations.js";
import type { Policy } from "./policies.js";
import { seededRandom } from "./random.js";
import { type Limit, overAt, Service, type ServiceTask, USUAL_LIMIT } from "./service.js";
import { createVirtualTime } from "./virtual-time.js";

/** What happens on one key. */
export interface Scenario {
  name: string;
  /** How long tasks take that begin so many seconds after the start. */
  durations(startSeconds: number): Durations;
  load: SteadyLoad | BatchLoad | CrowdLoad;
  limit?: Limit;
  /** How many processes share the key and the load. */
  processes?: number;
  /** Requests a second that another program makes with the key, evenly. */
  othersPerSecond?: number;
}

/** `run` is called at random times, at a mean rate. Tasks of the warm-up are not counted. */
export interface SteadyLoad {
  kind: "steady";
  perSecond: number;
  warmUpSeconds: number;
  seconds: number;
}

/**
 * Many tasks at once. "in flight": a new process waits by ID for tasks that began just now; "to submit": `run` is called
 * for all of them. Each repetition has new clients and an unused key.
 */
export interface BatchLoad {
  kind: "in flight" | "to submit";
  tasks: number;
  repetitions: number;
}

/**
 * One tenant begins many tasks at once; another one runs songs, one after the other, of which only these count. With several
 * processes, each tenant has its own.
 */
export interface CrowdLoad {
  kind: "beside a crowd";
  /** How many tasks the other tenant has; 0: the songs are alone. */
  crowd: number;
  /** Whether the crowd is in flight already. */
  isInFlight: boolean;
  /** Whether the crowd is in all processes, not only in the first one. */
  isSplit: boolean;
  songs: number;
  repetitions: number;
}

/** The longest pause between two songs beside a crowd. */
const LONGEST_PAUSE_SECONDS = 60;

/** The result of a simulation. Times are in seconds. */
export interface Outcome {
  tasks: number;
  /** Mean time from the end of a task to the read that finds it. */
  meanDelay: number;
  worstDelay: number;
  /** Mean time from the call of `run` to the creation of the task. */
  meanCreateWait: number;
  /** Requests refused with 429. */
  refused: number;
  /** Tasks that were found too late, or never. */
  lost: number;
  readsPerTask: number;
}

interface Ticket {
  wishedAt: number;
  counts: boolean;
  task: ServiceTask | null;
  /** Decides how long its task takes. */
  probability: number;
}

/** The network delay in each direction, in milliseconds. */
const LATENCY_MS = { shortest: 30, longest: 120 };

/** Plays a scenario in virtual time and measures it at the service. */
export async function simulate(scenario: Scenario, policy: Policy, seed: number): Promise<Outcome> {
  const { load } = scenario;
  const repetitions = load.kind === "steady" ? 1 : load.repetitions;
  const tickets: Ticket[] = [];
  let refused = 0;
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const played = await play(scenario, policy, seed + 1000 * repetition);
    tickets.push(...played.tickets);
    refused += played.refused;
  }
  return sumUp(tickets, refused);
}

async function play(scenario: Scenario, policy: Policy, seed: number) {
  const time = createVirtualTime();
  // A task's duration must not depend on how it is polled, so each use of randomness has a separate source.
  const randomOf = (source: number) => seededRandom(seed * 7919 + source * 104729);
  const [arrivals, durations, latencies, random] = [randomOf(1), randomOf(2), randomOf(3), randomOf(4)];
  const limit = scenario.limit ?? USUAL_LIMIT;
  const latencyMs = () => LATENCY_MS.shortest + latencies() * (LATENCY_MS.longest - LATENCY_MS.shortest);
  const service = new Service(time, limit, latencyMs, begin);
  const processes = scenario.processes ?? 1;
  const clients = policy.connect({ service, clock: time, limit, random, processes });
  const start = time.now();
  const tickets: Ticket[] = [];

  await time.during(work());
  return { tickets, refused: service.refused };

  async function work(): Promise<void> {
    const controller = new AbortController();
    if (scenario.othersPerSecond) void spendAside(scenario.othersPerSecond, controller.signal);
    const { load } = scenario;
    if (load.kind === "steady") await arrive(load);
    else if (load.kind === "beside a crowd") await runBeside(load);
    else await beginAll(load);
    controller.abort();
  }

  async function arrive({ perSecond, warmUpSeconds, seconds }: SteadyLoad): Promise<void> {
    const runs: Promise<void>[] = [];
    for (;;) {
      await time.sleep((-Math.log(1 - arrivals()) / perSecond) * 1000);
      const elapsed = (time.now() - start) / 1000;
      if (elapsed >= warmUpSeconds + seconds) break;
      runs.push(run(addTicket(elapsed >= warmUpSeconds)));
    }
    await Promise.all(runs);
  }

  async function beginAll({ kind, tasks }: BatchLoad): Promise<void> {
    const all = Array.from({ length: tasks }, () => addTicket(true));
    await Promise.all(
      all.map((index) =>
        kind === "in flight" ? clientOf(index).wait(begin(index).id).catch(givenUp) : run(index),
      ),
    );
  }

  async function runBeside({ crowd, isInFlight, isSplit, songs }: CrowdLoad): Promise<void> {
    for (let count = 0; count < crowd; count++) {
      const index = addTicket(false);
      const crowded = isSplit ? clientOf(count) : clients[0];
      void (isInFlight ? crowded?.wait(begin(index).id, "a") : crowded?.run(index, "a"))?.catch(givenUp);
    }
    // The songs must be the same without a crowd.
    const [pauses, ends] = [randomOf(5), randomOf(6)];
    for (let count = 0; count < songs; count++) {
      await time.sleep(1000 * LONGEST_PAUSE_SECONDS * pauses());
      await clients.at(-1)?.run(addTicket(true, ends()), "b");
    }
  }

  async function run(index: number): Promise<void> {
    await clientOf(index).run(index).catch(givenUp);
  }

  function clientOf(index: number) {
    const client = clients[index % clients.length];
    if (client === undefined) throw new Error("Invariant: at least one process exists.");
    return client;
  }

  function addTicket(counts: boolean, probability = durations()): number {
    return tickets.push({ wishedAt: time.now(), counts, task: null, probability }) - 1;
  }

  function begin(index: number): ServiceTask {
    const ticket = tickets[index];
    if (ticket === undefined) throw new Error("Invariant: every task has a ticket.");
    const distribution = scenario.durations((time.now() - start) / 1000);
    ticket.task = service.begin(index, distribution.draw(ticket.probability));
    return ticket.task;
  }

  async function spendAside(perSecond: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await time.sleep(1000 / perSecond, signal).catch(() => {});
      const counted = service.count();
      const retryAfterSeconds = "retryAfterSeconds" in counted ? counted.retryAfterSeconds : 0;
      await time.sleep(1000 * retryAfterSeconds, signal).catch(() => {});
    }
  }
}

/** A wait that ended without the task's result: the task counts as lost unless a read has found it. */
function givenUp(error: unknown): void {
  if (error instanceof Error && error.name === "WaitTimeoutError") return;
  throw error;
}

function sumUp(tickets: readonly Ticket[], refused: number): Outcome {
  const counted = tickets.filter(({ counts }) => counts);
  const mean = (of: (ticket: Ticket) => number) =>
    counted.reduce((sum, ticket) => sum + of(ticket), 0) / counted.length;
  const delay = ({ task }: Ticket) => {
    if (task === null) return Number.NaN;
    return ((task.foundAt ?? Number.NaN) - overAt(task)) / 1000;
  };
  return {
    tasks: counted.length,
    meanDelay: mean(delay),
    worstDelay: Math.max(...counted.map(delay)),
    meanCreateWait: mean(({ task, wishedAt }) => ((task?.createdAt ?? Number.NaN) - wishedAt) / 1000),
    refused,
    lost: counted.filter(({ task }) => task === null || task.foundAt === null || task.isLost).length,
    readsPerTask: mean(({ task }) => task?.reads ?? 0),
  };
}
