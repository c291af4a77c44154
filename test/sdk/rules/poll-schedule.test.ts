import { InvalidOptionError } from "async-music";
import { expect, test } from "vitest";
import { checkPollInterval, type PollInterval } from "../../../src/tasks/options.js";
import { pollGapMs } from "../../../src/tasks/poll.js";

/** The gap before the next poll, by how many polls in a row have failed. */
const createPollSchedule = (interval: PollInterval | undefined, random: () => number) => {
  const gaps = checkPollInterval(interval);
  return (failures: number) => pollGapMs(gaps, failures, random);
};
const almostOne = 1 - Number.EPSILON;

test.each([0, 0.5, almostOne])(
  "every default gap lies within 5 and 10 s, and is the short one (random %d)",
  (random) => {
    const schedule = createPollSchedule(undefined, () => random);
    expect(schedule(0)).toBeGreaterThanOrEqual(5000);
    expect(schedule(0)).toBeLessThanOrEqual(5100);
    for (const failures of [1, 2, 5, 5000]) {
      expect(schedule(failures)).toBeGreaterThan(schedule(failures - 1) * 0.999);
      expect(schedule(failures)).toBeLessThanOrEqual(10_000);
    }
  },
);

test("one number is every gap exactly, also after failures", () => {
  for (const random of [0, almostOne]) {
    const schedule = createPollSchedule(1000, () => random);
    for (const failures of [0, 1, 20]) expect(schedule(failures)).toBe(1000);
  }
});

test("two clients with different luck don't poll in step", () => {
  const [early, late] = [createPollSchedule(undefined, () => 0), createPollSchedule(undefined, () => 0.9)];
  expect(early(0)).not.toBe(late(0));
});

const REFUSED: [interval: unknown, rule: string][] = [
  [999, "at least 1000"],
  [0, "at least 1000"],
  [-5000, "at least 1000"],
  [[999, 5000], "at least 1000"],
  [[5000, 4000], "longest"],
  [[], "number"],
  [[5000], "number"],
  [[5000, 6000, 7000], "number"],
  [Number.NaN, "number"],
  [Number.POSITIVE_INFINITY, "number"],
  [[1000, Number.NaN], "number"],
  ["5000", "number"],
  [["5000", "6000"], "number"],
  [null, "number"],
  [{}, "number"],
];

test.each(REFUSED)("an interval of %j is refused with its name and its rule", (interval, rule) => {
  const create = () => createPollSchedule(interval as PollInterval, () => 0);
  expect(create).toThrow(InvalidOptionError);
  expect(create).toThrow("pollIntervalMs");
  expect(create).toThrow(rule);
});
