import type { Pacer } from "../../src/pacer/pacer.js";
import type { Law } from "./law.js";
import type { Policy } from "./policies.js";
import { seededRandom } from "./random.js";
import { beginTask, type Limit, overAt, Service, type ServiceTask, USUAL_LIMIT } from "./service.js";
import { createVirtualTime, type VirtualTime } from "./virtual-time.js";

/** What happens on one key. */
export interface Scenario {
  name: string;
  /** How long tasks take that begin so many seconds after the start. */
  law(startSeconds: number): Law;
  load: SteadyLoad | BurstLoad;
  limit?: Limit;
  /** How many processes share the key and the load. */
  processes?: number;
  /** Requests a second that somebody else makes with the key, evenly. */
  othersPerSecond?: number;
}

/** New tasks come at random, at a rate; the first ones only warm up. */
export interface SteadyLoad {
  kind: "steady";
  perSecond: number;
  warmUpSeconds: number;
  seconds: number;
}

/** Many tasks at once: already in flight, or still to be submitted through the key. */
export interface BurstLoad {
  kind: "in flight" | "to submit";
  tasks: number;
}

/** What came of a run. */
export interface Outcome {
  tasks: number;
  /** Between the end of a task and the read that finds it, on average, in seconds. */
  meanDelay: number;
  worstDelay: number;
  /** Between the wish for a task and the answer that it is created. */
  meanCreateWait: number;
  /** Between the wish for a task and the read that finds it over. */
  meanTurnaround: number;
  refused: number;
  lost: number;
  readsPerTask: number;
}

interface Ticket {
  wishedAt: number;
  acceptedAt: number;
  task: ServiceTask | null;
  /** What decides how long its task takes. */
  chance: number;
  reads: number;
  counts: boolean;
}

type Sources = [() => number, () => number, () => number, () => number];

interface Process {
  pacer: Pacer;
  policy: Policy;
}

/** How long a task is waited for: five minutes past the hour. */
const WAIT_MS = 3_900_000;

/** On the way to the service and back, each, in milliseconds. */
const LATENCY_MS = { shortest: 30, longest: 120 };

export async function simulate(scenario: Scenario, policy: Policy, seed: number): Promise<Outcome> {
  const time = createVirtualTime();
  // What happens to a task must not depend on how it is polled: chance has a source for each thing that it decides.
  const [arrivals, durations, latencies, jitter] = [1, 2, 3, 4].map((source) =>
    seededRandom(seed * 7919 + source * 104729),
  ) as Sources;
  const service = new Service(scenario.limit ?? USUAL_LIMIT);
  const start = time.now();
  const tickets: Ticket[] = [];
  const processes = Array.from({ length: scenario.processes ?? 1 }, () => ({
    pacer: policy.createPacer(time),
    policy,
  }));

  await time.during(work());
  return sumUp(tickets, service);

  async function work(): Promise<void> {
    const controller = new AbortController();
    if (scenario.othersPerSecond) void spendAside(scenario.othersPerSecond, controller.signal);
    await (scenario.load.kind === "steady" ? arrive(scenario.load) : begin(scenario.load));
    controller.abort();
  }

  async function arrive({ perSecond, warmUpSeconds, seconds }: SteadyLoad): Promise<void> {
    const runs: Promise<void>[] = [];
    for (;;) {
      await time.sleep((-Math.log(1 - arrivals()) / perSecond) * 1000);
      const elapsed = (time.now() - start) / 1000;
      if (elapsed >= warmUpSeconds + seconds) break;
      runs.push(run(processAt(runs.length), newTicket(elapsed >= warmUpSeconds)));
    }
    await Promise.all(runs);
  }

  async function begin({ kind, tasks }: BurstLoad): Promise<void> {
    const runs = Array.from({ length: tasks }, (_, index) => {
      const ticket = newTicket(true);
      if (kind === "in flight") ticket.task = beginTask(scenario.law(0), ticket.chance, start);
      return run(processAt(index), ticket);
    });
    await Promise.all(runs);
  }

  function processAt(index: number): Process {
    const process = processes[index % processes.length];
    if (process === undefined) throw new Error("Invariant: somebody is there.");
    return process;
  }

  function newTicket(counts: boolean): Ticket {
    const ticket = {
      wishedAt: time.now(),
      acceptedAt: time.now(),
      task: null,
      chance: durations(),
      reads: 0,
      counts,
    };
    tickets.push(ticket);
    return ticket;
  }

  async function run({ pacer, policy }: Process, ticket: Ticket): Promise<void> {
    ticket.task ??= await create(pacer, ticket);
    const { task } = ticket;
    const submittedAt = time.now();
    const taskId = String(tickets.indexOf(ticket));
    let unfinishedAt = submittedAt;
    let notBefore = submittedAt + policy.gapMs(0, jitter());
    for (let poll = 1; ; poll++) {
      const facts = { model: "provider_a", type: "music", submittedAt, unfinishedAt };
      const isAdmitted = await pacer.admit({
        kind: "poll",
        taskId,
        notBefore,
        notAfter: submittedAt + WAIT_MS,
        task: facts,
      });
      if (!isAdmitted) return giveUp(task);
      const answer = await exchange(pacer, (now) => service.read(task, now));
      ticket.reads++;
      const gapMs = policy.gapMs(poll, jitter());
      if ("retryAfterMs" in answer) notBefore = time.now() + Math.max(gapMs, answer.retryAfterMs);
      else {
        pacer.learn(facts, answer.result);
        if (answer.result) return;
        unfinishedAt = time.now();
        notBefore = time.now() + gapMs;
      }
    }
  }

  /** The wait's time is over, and nobody has seen the end. */
  function giveUp(task: ServiceTask): void {
    task.foundAt = time.now();
    task.isLost = true;
  }

  async function create(pacer: Pacer, ticket: Ticket): Promise<ServiceTask> {
    for (;;) {
      await pacer.admit({ kind: "create" });
      const answer = await exchange(pacer, (now) =>
        beginTask(scenario.law((now - start) / 1000), ticket.chance, now),
      );
      if ("retryAfterMs" in answer) {
        await time.sleep(answer.retryAfterMs);
        continue;
      }
      ticket.acceptedAt = answer.result.createdAt;
      return answer.result;
    }
  }

  async function exchange<Result>(
    pacer: Pacer,
    serve: (now: number) => Result,
  ): Promise<{ result: Result } | { retryAfterMs: number }> {
    const sentAt = time.now();
    await time.sleep(latencyMs());
    const counted = service.count(time.now());
    const outcome = "remaining" in counted ? { result: serve(time.now()) } : counted;
    await time.sleep(latencyMs());
    const remaining = "remaining" in counted ? counted.remaining : 0;
    pacer.report({ sentAt, remaining, heldForMs: "retryAfterMs" in counted ? counted.retryAfterMs : null });
    return outcome;
  }

  function latencyMs(): number {
    return LATENCY_MS.shortest + latencies() * (LATENCY_MS.longest - LATENCY_MS.shortest);
  }

  async function spendAside(perSecond: number, signal: AbortSignal): Promise<void> {
    const aside: VirtualTime = time;
    while (!signal.aborted) {
      await aside.sleep(1000 / perSecond, signal).catch(() => {});
      const answer = service.count(aside.now());
      if ("retryAfterMs" in answer) {
        service.refused--;
        await aside.sleep(answer.retryAfterMs, signal).catch(() => {});
      }
    }
  }
}

function sumUp(tickets: readonly Ticket[], service: Service): Outcome {
  const counted = tickets.filter(({ counts }) => counts);
  const mean = (of: (ticket: Ticket) => number) =>
    counted.reduce((sum, ticket) => sum + of(ticket), 0) / counted.length;
  const foundAt = ({ task }: Ticket) => task?.foundAt ?? Number.NaN;
  const delay = (ticket: Ticket) =>
    (ticket.task === null ? Number.NaN : foundAt(ticket) - overAt(ticket.task)) / 1000;
  return {
    tasks: counted.length,
    meanDelay: mean(delay),
    worstDelay: Math.max(...counted.map(delay)),
    meanCreateWait: mean(({ wishedAt, acceptedAt }) => acceptedAt - wishedAt) / 1000,
    meanTurnaround: mean((ticket) => foundAt(ticket) - ticket.wishedAt) / 1000,
    refused: service.refused,
    lost: counted.filter(({ task }) => task?.isLost).length,
    readsPerTask: mean(({ reads }) => reads),
  };
}
