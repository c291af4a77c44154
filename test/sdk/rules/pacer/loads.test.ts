import { expect, test } from "vitest";
import { type Load, play } from "./play.js";

// Whole loads against a simple service in virtual time. `npm run pacing` compares more of them with what is possible.

const eitherOf = (one: number, other: number) => (chance: number) => (chance < 0.5 ? one : other);

/** The name of a load, the load, and its 429s, its polls, the mean and longest delay, and the longest wait of a create. */
const RECORDED: [name: string, load: Load, figures: number[]][] = [
  ["one task in 3.3 s", { tasks: 120, everyMs: 3333 }, [0, 919, 6508, 21302, 652]],
  ["two tasks in 3 s", { tasks: 160, everyMs: 1500 }, [0, 594, 14308, 54506, 222]],
  ["100 tasks at once", { tasks: 100 }, [0, 266, 19690, 54286, 253]],
  [
    "160 tasks at once that take 42 s each",
    { tasks: 160, durationMs: () => 42_000 },
    [0, 161, 39576, 78283, 60374],
  ],
  ["100 tasks of which only the ids are known", { tasks: 100, isResumed: true }, [0, 367, 11063, 32251, 0]],
  ["a sliding window", { tasks: 120, everyMs: 2500, isSliding: true }, [0, 709, 9854, 34135, 1429]],
  [
    "a sliding window and 100 tasks at once",
    { tasks: 100, isSliding: true, isResumed: true },
    [0, 291, 22155, 61327, 0],
  ],
  ["two clients", { tasks: 100, clients: 2, isResumed: true }, [1, 363, 13787, 46268, 0]],
  [
    "a program that spends half",
    { tasks: 60, everyMs: 5000, othersPerSecond: 1 },
    [2, 372, 8624, 30745, 1175],
  ],
  ["120 requests in 120 s", { tasks: 60, everyMs: 3000, windowMs: 120_000 }, [5, 296, 17258, 55855, 57557]],
  [
    "30 requests in 30 s",
    { tasks: 60, everyMs: 3000, windowMs: 30_000, requests: 30 },
    [0, 230, 13349, 45549, 119],
  ],
  [
    "tasks that take 5 s or 120 s",
    { tasks: 120, everyMs: 1500, durationMs: eitherOf(5000, 120_000) },
    [0, 458, 2254, 15926, 222],
  ],
  [
    "a quick and a slow model",
    {
      tasks: 150,
      everyMs: 1500,
      durationMs: eitherOf(20_000, 150_000),
      model: (task) => `model ${task % 2}`,
    },
    [0, 567, 5061, 15599, 338],
  ],
  [
    "tasks that take 90 s each",
    { tasks: 150, everyMs: 2000, durationMs: () => 90_000 },
    [0, 609, 624, 5685, 338],
  ],
  [
    "tasks of which some take 58 min",
    { tasks: 60, everyMs: 2000, durationMs: (chance) => (chance < 0.1 ? 3_480_000 : 60_000) },
    [0, 2896, 2114, 8046, 120],
  ],
  [
    "20 models",
    { tasks: 60, everyMs: 500, model: (task) => `model ${task % 20}` },
    [0, 355, 7726, 34686, 32765],
  ],
  ["polls a second apart", { tasks: 10, everyMs: 2000, gapMs: 1000 }, [0, 346, 1838, 4710, 111]],
  ["slow connections", { tasks: 100, everyMs: 2000, latencyMs: [200, 1500] }, [0, 508, 10848, 31623, 1468]],
];

// The policy's constants were chosen by such figures. Who changes the policy compares all of `npm run pacing`, then records them anew.
test.each(RECORDED)("the recorded figures hold: %s", async (_, load, figures) => {
  const { refused, polls, meanDelayMs, longestDelayMs, longestCreateWaitMs } = await play(load);
  expect([refused, polls, meanDelayMs, longestDelayMs, longestCreateWaitMs]).toEqual(figures);
});
