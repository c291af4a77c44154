import { describe, expect, test } from "vitest";
import { type Durations, interpolate } from "../../../../src/rate-limit/durations.js";
import { type PollPlan, planPolls } from "../../../../src/rate-limit/poll-plan.js";
import { choosePlan, needOf, nextPollAt, sampleOf } from "../../../../src/rate-limit/poll-price.js";
import { Tenant } from "../../../../src/rate-limit/tenants.js";
import { learned } from "./learned.js";

// The price of a poll is the one at which the cheapest plans of all tasks spend what is left of the window.

const NOW = 1_000_000;
const UNTIL = NOW + 60_000;

const song = () => learned({ tasks: 40, durationMs: (share) => 30_000 + 150_000 * share });

interface Task {
  kind: Durations;
  tenant?: Tenant;
  /** Before now. */
  ageMs: number;
  unfinishedMs?: number;
  gapMs?: number;
  longestGapMs?: number;
}

function pollOf({
  kind,
  tenant = new Tenant(),
  ageMs,
  unfinishedMs = 0,
  gapMs = 5000,
  longestGapMs = 10_000,
}: Task) {
  const submittedAt = NOW - ageMs;
  const unfinishedAt = submittedAt + unfinishedMs;
  const task = { kind, tenant, submittedAt, unfinishedAt, gapMs, longestGapMs };
  const [notBefore, dueBy] = [unfinishedAt + gapMs, unfinishedAt + longestGapMs];
  return { task, poll: { tenant, taskId: undefined, task, notBefore, dueBy, dueAt: notBefore } };
}

const budgetOf = (polls: number) => ({ now: NOW, until: UNTIL, from: NOW, limit: 120, polls });

describe("how many polls are due", () => {
  const kind = song();
  const needOfTask = (task: Task, weight = 1) => {
    const { poll } = pollOf(task);
    return needOf([{ task: poll.task, notBefore: poll.notBefore, dueBy: poll.dueBy, weight }], budgetOf(0));
  };

  test.each<[string, Task, shortest: number, longest: number]>([
    ["a task that may be polled now", { kind, ageMs: 30_000 }, 12, 6],
    ["a task that may be polled in 30 s", { kind, ageMs: 0, gapMs: 30_000, longestGapMs: 45_000 }, 1, 1],
    [
      "a task that may be polled in 25 s, every 10 to 20 s",
      { kind, ageMs: -15_000, gapMs: 10_000, longestGapMs: 20_000 },
      4,
      0,
    ],
    [
      "a task that may be polled after the window",
      { kind, ageMs: 0, gapMs: 70_000, longestGapMs: 80_000 },
      0,
      0,
    ],
    ["a task that begins now", { kind, ageMs: 0 }, 11, 6],
    ["a task that is expected", { kind, ageMs: -1 }, 11, 0],
  ])("of %s", (_, task, atShortestGaps, atLongestGaps) => {
    expect(needOfTask(task)).toEqual({ atShortestGaps, atLongestGaps });
    const three = { atShortestGaps: 3 * atShortestGaps, atLongestGaps: 3 * atLongestGaps };
    expect(needOfTask(task, 3)).toEqual(three);
  });
});

describe("a sample", () => {
  test.each([
    [1, 1],
    [50, 50],
    [51, 26],
    [120, 40],
    [1000, 50],
  ])("of %d tasks has %d, which stand for all of them", (tasks, most) => {
    const [kind, tenant] = [song(), new Tenant()];
    const polls = Array.from({ length: tasks }, (_, age) => pollOf({ kind, tenant, ageMs: 1000 * age }));
    const sample = sampleOf(polls, [tenant], budgetOf(0));
    const expected = sample.pop();
    expect(sample).toHaveLength(most);
    expect(sample.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(tasks, 6);
    expect(sample.at(-1)?.task.submittedAt).toBeLessThanOrEqual(NOW - 1000 * (tasks - tasks / most) + 1000);
    // No task has begun: none is expected.
    expect(expected?.weight).toBe(0);
  });

  test("has the expected tasks of each kind, from all tenants, in the middle of what is left of the window", () => {
    const [music, lyrics] = [song(), song()];
    const [one, other] = [new Tenant(), new Tenant()];
    const polls = [
      pollOf({ kind: music, tenant: one, ageMs: 0 }),
      pollOf({ kind: lyrics, tenant: other, ageMs: 0 }),
    ];
    for (let each = 0; each < 3; each++) one.noteArrival(music, NOW);
    other.noteArrival(music, NOW);
    other.noteArrival(lyrics, NOW);
    const [, , ofMusic, ofLyrics] = sampleOf(polls, [one, other], budgetOf(0));
    const perTask = one.arrivalsWithin(music, NOW, 60_000) / 3;
    expect(ofMusic?.weight).toBeCloseTo(4 * perTask, 9);
    expect(ofLyrics?.weight).toBeCloseTo(perTask, 9);
    const middle = NOW + 30_000;
    expect(ofMusic).toMatchObject({ notBefore: middle + 5000, dueBy: middle + 10_000 });
    const task = { kind: music, tenant: one, submittedAt: middle, unfinishedAt: middle };
    expect(ofMusic?.task).toEqual({ ...task, gapMs: 5000, longestGapMs: 10_000 });
  });
});

describe("when a task is due", () => {
  const kind = song();
  const flat = (tenant: Tenant, atMs: number) =>
    tenant.plan.cheapest.set(kind, new Float64Array(kind.survival.length).fill(atMs));
  const scarce = (change: Partial<Pick<PollPlan, "keepsLongestGap">> = {}) => {
    const tenant = new Tenant();
    Object.assign(tenant.plan, { isFree: false, keepsLongestGap: false, ...change });
    return tenant;
  };

  test("while the requests suffice, at once", () => {
    const { task, poll } = pollOf({ kind, ageMs: 20_000 });
    flat(task.tenant, 40_000);
    expect(nextPollAt(task.tenant.plan, task, poll.notBefore, poll.dueBy)).toBe(poll.notBefore);
  });

  test("before its kind has a plan, at once", () => {
    const { task } = pollOf({ kind, ageMs: 20_000, tenant: scarce() });
    expect(nextPollAt(task.tenant.plan, task, NOW + 7, NOW + 70)).toBe(NOW + 7);
  });

  test("else at its planned age, but not before its caller allows", () => {
    const tenant = scarce();
    flat(tenant, 40_000);
    const { task } = pollOf({ kind, ageMs: 20_000, tenant });
    expect(nextPollAt(task.tenant.plan, task, NOW, NOW + 10)).toBe(NOW + 20_000);
    expect(nextPollAt(task.tenant.plan, task, NOW + 30_000, NOW + 35_000)).toBe(NOW + 30_000);
  });

  test("by the caller's longest gap, where that is kept", () => {
    const tenant = scarce({ keepsLongestGap: true });
    flat(tenant, 40_000);
    const { task } = pollOf({ kind, ageMs: 20_000, tenant });
    expect(nextPollAt(task.tenant.plan, task, NOW, NOW + 10)).toBe(NOW + 10);
    expect(nextPollAt(task.tenant.plan, task, NOW, NOW + 30_000)).toBe(NOW + 20_000);
    expect(nextPollAt(task.tenant.plan, task, NOW + 10, NOW)).toBe(NOW + 10);
  });

  test.each([true, false])("after the task timeout, if it was unfinished 10 s before it", (isFree) => {
    const tenant = scarce();
    tenant.plan.isFree = isFree;
    flat(tenant, 3_590_000);
    const lasts = (unfinishedMs: number) => {
      const { task } = pollOf({ kind, ageMs: 3_595_000, unfinishedMs, tenant });
      return (
        nextPollAt(task.tenant.plan, task, task.submittedAt, Number.POSITIVE_INFINITY) - task.submittedAt
      );
    };
    expect(lasts(3_590_000)).toBe(3_601_000);
    expect(lasts(3_589_999)).toBe(isFree ? 0 : 3_590_000);
  });

  test.each([
    ["ends 10 s before its task timeout, before all younger ones", 3_540_000, 3_530_000, -3_540_000],
    ["ends later, at its planned age", 3_520_000, 3_510_000, 70_000],
    ["ends then, but has it behind it, at its planned age", 3_540_000, 3_540_000, 50_000],
  ])("where the window %s", (_, ageMs, unfinishedMs, dueInMs) => {
    const tenant = scarce();
    tenant.plan.window = budgetOf(0);
    flat(tenant, 3_590_000);
    const { task, poll } = pollOf({ kind, ageMs, unfinishedMs, tenant });
    expect(nextPollAt(tenant.plan, task, poll.notBefore, poll.dueBy)).toBe(NOW + dueInMs);
  });
});

describe("the price", () => {
  /** How many polls the plans of tasks take until the end of the window, on average. */
  function pollsOf(tasks: readonly ReturnType<typeof pollOf>[]): number {
    let polls = 0;
    for (const { task, poll } of tasks) {
      const left = (time: number) => interpolate(task.kind.survival, time - task.submittedAt);
      const unfinished = left(task.unfinishedAt);
      let at = Math.max(NOW, nextPollAt(task.tenant.plan, task, poll.notBefore, poll.dueBy));
      for (let unfinishedAt = task.unfinishedAt; at < UNTIL; ) {
        polls += left(unfinishedAt) / unfinished;
        unfinishedAt = at;
        at = nextPollAt(task.tenant.plan, { ...task, unfinishedAt }, at + task.gapMs, at + task.longestGapMs);
      }
    }
    return polls;
  }

  function price(polls: number, tasks: Omit<Task, "tenant">[], keepsLongestGap = false) {
    const tenant = new Tenant();
    Object.assign(tenant.plan, { isFree: false, keepsLongestGap });
    const all = tasks.map((task) => pollOf({ ...task, tenant }));
    const demand = all.map(({ task, poll: { notBefore, dueBy } }) => ({ task, notBefore, dueBy, weight: 1 }));
    choosePlan(tenant.plan, demand, tasks.length, budgetOf(polls));
    return { polls: pollsOf(all), plan: tenant.plan.cheapest.get(tasks[0]?.kind as Durations) };
  }

  const many = (kind: Durations, count: number) =>
    Array.from({ length: count }, (_, index) => ({ kind, ageMs: index * 1500 }));
  const quick = () => learned({ tasks: 40, durationMs: () => 40_000 });

  test.each<[string, Omit<Task, "tenant">[]]>([
    ["100 tasks", many(song(), 100)],
    ["two kinds of tasks", [...many(song(), 50), ...many(quick(), 50)]],
    [
      "tasks that were polled lately",
      many(song(), 60).map(({ kind, ageMs }) => ({
        kind,
        ageMs: 20_000 + ageMs,
        unfinishedMs: 18_000 + ageMs,
      })),
    ],
    [
      "tasks with longer gaps",
      many(song(), 60).map((task) => ({ ...task, gapMs: 15_000, longestGapMs: 20_000 })),
    ],
  ])("is the highest one that spends all polls: %s", (_, tasks) => {
    for (const polls of [60, 80, 100]) {
      const spent = price(polls, tasks).polls;
      expect(spent).toBeGreaterThan(polls);
      expect(spent).toBeLessThan(1.2 * polls);
    }
  });

  test("is the highest one that spends all polls where the longest gaps are kept", () => {
    const tasks = many(song(), 30).map((task) => ({ ...task, longestGapMs: 40_000 }));
    const spent = price(60, tasks, true).polls;
    expect(spent).toBeGreaterThan(60);
    expect(spent).toBeLessThan(72);
  });

  test("is found by what was learned up to now", () => {
    const [stale, fresh] = [song(), song()];
    for (const kind of [stale, fresh]) for (let each = 0; each < 60; each++) kind.learn(60_000, 61_000, true);
    fresh.refresh();
    expect(price(60, many(stale, 100)).plan).toEqual(price(60, many(fresh, 100)).plan);
  });

  test.each([
    ["10 ms", "least", 10, 10_000, 10],
    ["twice the time in which each task is polled once", "most", 10, 4, 2 * 10 * 15_000],
    ["the task timeout", "most", 100, 0, 3_600_000],
  ])("is %s at %s", (_, _limit, tasks, polls, limitMs) => {
    const kind = quick();
    // The oldest have their last poll in this window at any price.
    const ageMs = polls === 0 ? 3_560_000 : 0;
    const { plan } = price(
      polls,
      Array(tasks).fill({ kind, ageMs, unfinishedMs: Math.max(0, ageMs - 10_000) }),
    );
    expect(plan).toBeDefined();
    const [low, high] = polls > 10 ? [limitMs, 1.1 * limitMs] : [limitMs / 1.1, limitMs];
    const [earliest, latest] = [planPolls(kind, low), planPolls(kind, high)];
    for (const [step, next] of plan?.entries() ?? []) {
      expect(next).toBeGreaterThanOrEqual(earliest[step] as number);
      expect(next).toBeLessThanOrEqual(latest[step] as number);
    }
  });
});
