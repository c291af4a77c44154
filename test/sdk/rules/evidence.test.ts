import { expect, test } from "vitest";
import { randomStream } from "../../../emulator/time/random.js";
import { evidenceOf, foreignSample, type UsageSample } from "../../../src/journal/evidence.js";

const count = (accepted: number, open = 0, unknown = 0) => ({ accepted, open, unknown });
const sample = (tasksCreated: number, before = count(0)): UsageSample => ({
  tasksCreated,
  before,
  after: before,
});

/** The sample after a POST of this client with an unknown outcome. */
const after = (tasksCreated: number, accepted = 0, open = 0, others = 0) =>
  sample(tasksCreated, count(accepted, open, 1 + others));

test.each([
  ["no new task", sample(7), after(7), "not_created"],
  ["one new task", sample(7), after(8), "created"],
  ["two new tasks", sample(7), after(9), "unclear"],
  ["fewer tasks", sample(7), after(6), "unclear"],
  ["one new task, one accepted create of this client", sample(7), after(8, 1), "not_created"],
  ["two new tasks, one accepted create of this client", sample(7), after(9, 1), "created"],
  ["one new task, another unknown outcome", sample(7), after(8, 0, 0, 1), "unclear"],
  ["two new tasks, another unknown outcome", sample(7), after(9, 0, 0, 1), "created"],
  ["no new task, another unknown outcome", sample(7), after(7, 0, 0, 1), "not_created"],
  ["one new task, another create in flight", sample(7), after(8, 0, 1), "unclear"],
  ["one new task, an earlier unknown outcome", sample(7, count(0, 0, 1)), after(8, 0, 0, 1), "created"],
] as const)("%s", (_, first, second, evidence) => {
  expect(evidenceOf(first, second, 1)).toBe(evidence);
});

test.each([
  [0, 0, "not_created"],
  [1, 0, "created"],
  [1, 1, "unclear"],
  [2, 1, "created"],
  [3, 1, "unclear"],
] as const)("an intent of another, with %i new tasks and %i own ones, is %s", (more, own, evidence) => {
  expect(evidenceOf(foreignSample(7), sample(7 + more, count(own)), 0)).toBe(evidence);
});

test("without other clients the evidence is never wrong, whatever the order of creates and usage samples", () => {
  const random = randomStream(1, "evidence");
  const time = () => random() * 10;
  const told = { created: 0, not_created: 0, unclear: 0 };
  for (let round = 0; round < 20_000; round++) {
    // The service executes each create at some time between its begin and its end, or never.
    const others = Array.from({ length: Math.floor(random() * 4) }, () => {
      const [begin = 0, at = 0, end = 0] = [time(), time(), time()].sort((a, b) => a - b);
      const fate = (["accepted", "refused", "unknown"] as const)[Math.floor(random() * 3)];
      return {
        begin,
        at,
        end,
        fate,
        isCreated: fate === "accepted" || (fate === "unknown" && random() < 0.5),
      };
    });
    const [t0 = 0, read1 = 0, t1 = 0, own = 0, t2 = 0, read2 = 0, t3 = 0] = Array.from(
      { length: 7 },
      time,
    ).sort((a, b) => a - b);
    const isCreated = random() < 0.5;
    const countAt = (moment: number, mine: 0 | 1) => ({
      accepted: others.filter(({ end, fate }) => end <= moment && fate === "accepted").length,
      open: others.filter(({ begin, end }) => begin <= moment && end > moment).length,
      unknown: mine + others.filter(({ end, fate }) => end <= moment && fate === "unknown").length,
    });
    const createdBy = (moment: number) =>
      others.filter(({ at, isCreated: is }) => is && at <= moment).length +
      (isCreated && own <= moment ? 1 : 0);

    const first = { tasksCreated: createdBy(read1), before: countAt(t0, 0), after: countAt(t1, 0) };
    const second = { tasksCreated: createdBy(read2), before: countAt(t2, 1), after: countAt(t3, 1) };
    const evidence = evidenceOf(first, second, 1);
    told[evidence]++;
    if (evidence !== "unclear") expect(evidence).toBe(isCreated ? "created" : "not_created");
  }
  expect(told.created).toBeGreaterThan(3000);
  expect(told.not_created).toBeGreaterThan(3000);
});
