import { AsyncMusic } from "../../src/index.js";
import type { Durations } from "./durations.js";
import { seededRandom } from "./random.js";
import { Service, type ServiceTask, USUAL_LIMIT } from "./service.js";
import { createVirtualTime } from "./virtual-time.js";

/** How often the bounds of `client.tasks.estimate` held. */
export interface Coverage {
  /** Tasks for which there was an estimate. */
  tasks: number;
  /** The share of tasks that ended within the median, and within the bound of 90 %. */
  median: number;
  p90: number;
}

export interface Measurement {
  /** There is one estimate for each task: right after its submission, or while it waits. */
  atSubmission: Coverage;
  whileWaiting: Coverage;
  all: Coverage;
}

interface Load {
  durations: Durations;
  tasks: number;
  perSecond: number;
  seed: number;
}

/** The mean age of a waiting task at its estimate, in milliseconds. It does not depend on how long the task takes. */
const MEAN_AGE_MS = 60_000;

/** Lets one client submit tasks at random times and wait for them, in virtual time, and compares its estimates with the ends. */
export async function measureEstimates({ durations, tasks, perSecond, seed }: Load): Promise<Measurement> {
  const time = createVirtualTime();
  const randomOf = (source: number) => seededRandom(seed * 7919 + source * 104729);
  const [arrivals, draws, latencies, jitter, ages] = [1, 2, 3, 4, 5].map(randomOf) as [
    () => number,
    ...(() => number)[],
  ];
  const begun = new Map<number, ServiceTask>();
  const service: Service = new Service(
    time,
    USUAL_LIMIT,
    () => 30 + 90 * (latencies?.() ?? 0),
    (ticket) => {
      const task = service.begin(ticket, durations.draw(draws?.() ?? 0));
      begun.set(ticket, task);
      return task;
    },
  );
  const client = new AsyncMusic({
    apiKey: "key_for_estimates",
    baseUrl: "https://service.test",
    fetch: service.fetch,
    clock: time,
    random: jitter,
  });
  const outcomes = { atSubmission: [] as Ended[], whileWaiting: [] as Ended[] };

  const run = async (ticket: number) => {
    const submission = await client.tasks.create({
      model: "provider_a",
      task_type: "music",
      input: { gpt_description_prompt: String(ticket) },
    });
    const compare = (ended: Ended[]) => {
      const estimate = client.tasks.estimate(submission);
      if (estimate === null) return;
      const leftSeconds = ((begun.get(ticket)?.endsAt ?? 0) - time.now()) / 1000;
      ended.push({
        withinMedian: leftSeconds <= estimate.medianSeconds,
        withinP90: leftSeconds <= estimate.p90Seconds,
      });
    };
    const ageMs = ticket % 2 === 0 ? 0 : -Math.log(1 - (ages?.() ?? 0)) * MEAN_AGE_MS;
    if (ageMs === 0) compare(outcomes.atSubmission);
    let isOver = false;
    const waiting = client.tasks.wait(submission).finally(() => {
      isOver = true;
    });
    if (ageMs > 0) {
      await time.sleep(ageMs);
      if (!isOver) compare(outcomes.whileWaiting);
    }
    await waiting;
  };

  const work = async () => {
    const runs: Promise<void>[] = [];
    for (let ticket = 0; ticket < tasks; ticket++) {
      await time.sleep((-Math.log(1 - arrivals()) / perSecond) * 1000);
      runs.push(run(ticket));
    }
    await Promise.all(runs);
  };
  await time.during(work());
  return {
    atSubmission: coverageOf(outcomes.atSubmission),
    whileWaiting: coverageOf(outcomes.whileWaiting),
    all: coverageOf([...outcomes.atSubmission, ...outcomes.whileWaiting]),
  };
}

interface Ended {
  withinMedian: boolean;
  withinP90: boolean;
}

function coverageOf(ended: readonly Ended[]): Coverage {
  const share = (isMet: (each: Ended) => boolean) => ended.filter(isMet).length / ended.length;
  return {
    tasks: ended.length,
    median: share(({ withinMedian }) => withinMedian),
    p90: share(({ withinP90 }) => withinP90),
  };
}
