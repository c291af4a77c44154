import { MemoryPacer } from "../../../../src/rate-limit/memory-pacer.js";
import type { PacedRequest, Pacer, WaitingTask } from "../../../../src/rate-limit/pacer.js";
import { seededRandom } from "../../../../tools/pacing/random.js";
import { createVirtualTime } from "../../../../tools/pacing/virtual-time.js";

/** What is played: tasks that are created, or known by their ids only, and polled with one key until they end. */
export interface Load {
  requests?: number;
  windowMs?: number;
  isSliding?: boolean;
  /** The network delay in each direction. */
  latencyMs?: readonly [shortest: number, longest: number];
  tasks: number;
  /** The time between two tasks. */
  everyMs?: number;
  /** How long a task takes, by a number drawn evenly from 0 to 1. */
  durationMs?: (chance: number) => number;
  model?: (task: number) => string;
  /** The tasks began before the clients, which know only their ids. */
  isResumed?: boolean;
  /** Requests a second of another program. */
  othersPerSecond?: number;
  /** Clients with pacers of their own. */
  clients?: number;
  gapMs?: number;
  seed?: number;
}

/** The service's window, as simple as the interface states it. */
function createService({ requests = 120, windowMs = 60_000, isSliding = false }: Load) {
  let counted: number[] = [];
  return {
    refused: 0,
    /** Counts a request: how many remain, or for how long all are refused. */
    count(now: number): { remaining: number | null; heldForMs: number | null } {
      const [first = now] = counted;
      if (isSliding) counted = counted.filter((at) => at > now - windowMs);
      else if (now >= first + windowMs) counted = [];
      if (counted.length < requests) return { remaining: requests - counted.push(now), heldForMs: null };
      this.refused++;
      return { remaining: null, heldForMs: 1000 * Math.ceil(((counted[0] ?? now) + windowMs - now) / 1000) };
    },
  };
}

/** Plays a load in virtual time. All times are in milliseconds. */
export async function play(load: Load) {
  const { tasks, everyMs = 0, clients = 1, gapMs = 5000, isResumed = false, othersPerSecond = 0 } = load;
  const { durationMs = (chance: number) => 30_000 + 150_000 * chance, model = () => "provider_a" } = load;
  const [shortest, longest] = load.latencyMs ?? [30, 120];
  const time = createVirtualTime();
  const service = createService(load);
  const [durations, latencies] = [seededRandom(load.seed ?? 1), seededRandom(2)];
  const pacers = Array.from({ length: clients }, () => new MemoryPacer(time));
  const latencyMs = () => shortest + latencies() * (longest - shortest);
  const begunAt = time.now();
  const [delays, gaps, createWaits]: [number[], number[], number[]] = [[], [], []];
  let polls = 0;

  /** Returns when the service counted the request. */
  async function send(pacer: Pacer, request: PacedRequest): Promise<number> {
    for (;;) {
      await pacer.admit(request);
      const sentAt = time.now();
      await time.sleep(latencyMs());
      const arrivedAt = time.now();
      const stated = service.count(arrivedAt);
      await time.sleep(latencyMs());
      pacer.report({ taskId: request.taskId, sentAt, ...stated });
      if (stated.heldForMs === null) return arrivedAt;
    }
  }

  async function run(index: number): Promise<void> {
    const pacer = pacers[index % clients] as Pacer;
    const [taskId, lastsMs] = [String(index), durationMs(durations())];
    await time.sleep(index * everyMs);
    const wishedAt = time.now();
    const submittedAt = isResumed ? begunAt : await send(pacer, { kind: "create" });
    createWaits.push(submittedAt - wishedAt);
    const task: WaitingTask = { model: model(index), type: "music", submittedAt, unfinishedAt: submittedAt };
    let known = isResumed ? undefined : task;
    for (let lastAt = Number.NEGATIVE_INFINITY; ; ) {
      const notBefore = known === undefined ? time.now() : Math.max(time.now(), known.unfinishedAt + gapMs);
      const dueBy = notBefore + gapMs;
      const at = await send(pacer, { kind: "poll", taskId, notBefore, dueBy, task: known });
      polls++;
      if (lastAt > 0) gaps.push(at - lastAt);
      lastAt = at;
      const isFinished = at >= submittedAt + lastsMs;
      pacer.learn(known ?? { ...task, resumedAt: begunAt }, isFinished);
      if (isFinished) return void delays.push(at - submittedAt - lastsMs);
      known = { ...task, unfinishedAt: time.now() };
    }
  }

  async function spendAside(): Promise<void> {
    while (delays.length < tasks) {
      await time.sleep(1000 / othersPerSecond);
      const { heldForMs } = service.count(time.now());
      if (heldForMs !== null) await time.sleep(heldForMs);
    }
  }

  const work = Array.from({ length: tasks }, (_, index) => run(index));
  if (othersPerSecond > 0) work.push(spendAside());
  await time.during(Promise.all(work));
  const mean = (all: number[]) => all.reduce((sum, each) => sum + each, 0) / all.length;
  return {
    refused: service.refused,
    polls,
    meanDelayMs: Math.round(mean(delays)),
    longestDelayMs: Math.round(Math.max(...delays)),
    longestCreateWaitMs: Math.round(Math.max(...createWaits)),
    shortestGapMs: Math.min(...gaps),
    lastsMs: time.now() - begunAt,
  };
}
