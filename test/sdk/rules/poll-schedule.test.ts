import { InvalidOptionError } from "async-music";
import { expect, test } from "vitest";
import { checkPollInterval, type PollInterval, pollGapMs } from "../../../src/tasks/poll-schedule.js";

const createPollSchedule = (interval: PollInterval | undefined, random: () => number) => {
  const gaps = checkPollInterval(interval);
  return (poll: number) => pollGapMs(gaps, poll, random);
};
const almostOne = 1 - Number.EPSILON;
const LAST_POLLS = [20, 100, 5000];

test("by default the first poll comes after 5 to 6 seconds, whatever the jitter", () => {
  expect(createPollSchedule(undefined, () => 0)(0)).toBeGreaterThanOrEqual(5000);
  expect(createPollSchedule(undefined, () => almostOne)(0)).toBeLessThanOrEqual(6000);
});

test("by default the gaps grow to 10 seconds, which the jitter moves by a fifth at most", () => {
  for (const chance of [0, 0.5, almostOne]) {
    const schedule = createPollSchedule(undefined, () => chance);
    for (const poll of LAST_POLLS) {
      expect(schedule(poll)).toBeGreaterThanOrEqual(8000);
      expect(schedule(poll)).toBeLessThanOrEqual(12_000);
    }
  }
});

test("the gaps never shrink from poll to poll", () => {
  const schedule = createPollSchedule([2000, 60_000], () => 0.5);
  for (let poll = 1; poll < 50; poll++) expect(schedule(poll)).toBeGreaterThanOrEqual(schedule(poll - 1));
});

test("one number is every gap, and it is never undercut", () => {
  for (const chance of [0, almostOne]) {
    const schedule = createPollSchedule(1000, () => chance);
    for (const poll of [0, 1, ...LAST_POLLS]) {
      expect(schedule(poll)).toBeGreaterThanOrEqual(1000);
      expect(schedule(poll)).toBeLessThanOrEqual(1200);
    }
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
