import { Durations } from "../../../../src/rate-limit/durations.js";
import { seededRandom } from "../../../../tools/pacing/random.js";

export interface Ends {
  /** How long a task takes, by a number from 0 to 1. */
  durationMs: (share: number) => number;
  tasks: number;
  /** Between two polls of a task. The first is at half to one and a half of it. */
  gapMs?: number;
}

/** Polls tasks until each has ended. Their durations are spread evenly over the distribution, in a random order. */
export function learned({ durationMs, tasks, gapMs = 5000 }: Ends, durations = new Durations()): Durations {
  const random = seededRandom(7);
  const order = Array.from({ length: tasks }, (_, task) => ({ share: (task + 0.5) / tasks, at: random() }));
  for (const { share } of order.sort((one, other) => one.at - other.at)) {
    const endsAt = durationMs(share);
    let unfinishedMs = 0;
    for (let at = gapMs * (0.5 + random()); ; at += gapMs) {
      durations.learn(unfinishedMs, at, at >= endsAt);
      if (at >= endsAt) break;
      unfinishedMs = at;
    }
  }
  durations.refresh();
  return durations;
}
