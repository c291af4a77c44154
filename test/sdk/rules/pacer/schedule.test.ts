import { describe, expect, test } from "vitest";
import { AGES, Durations, LAST_POLL_MS, STEPS, stepOf } from "../../../../src/rate-limit/durations.js";
import { PollSchedule, planPolls, type ScheduledPoll } from "../../../../src/rate-limit/schedule.js";

// Limits: poll every 5 to 10 seconds. Tasks typically take 30 seconds to 5 minutes, and time out after an hour.

const MINUTE = 60_000;
const NOW = 1000 * MINUTE;
const TASK = { model: "provider_a", type: "music", submittedAt: NOW, unfinishedAt: NOW };
/** A task that was polled before, so it adds no expected new task. */
const POLLED = { ...TASK, submittedAt: NOW - 1 };

function createSchedule() {
  const schedule = new PollSchedule();
  const enter = (task: typeof TASK | undefined = POLLED, gapMs = 5000, longestGapMs = 2 * gapMs) => {
    const from = task?.unfinishedAt ?? NOW;
    const poll: ScheduledPoll = {
      taskId: undefined,
      task: null,
      notBefore: from + gapMs,
      dueBy: from + longestGapMs,
      dueAt: 0,
    };
    schedule.enter(poll, task, NOW);
    return poll;
  };
  const enterMany = (count: number, ...rest: Parameters<typeof enter>) =>
    Array.from({ length: count }, () => enter(...rest));
  const plan = (waiting: ScheduledPoll[], polls: number, ms = MINUTE) =>
    schedule.plan(waiting, { polls, now: NOW, until: NOW + ms });
  /** Records `count` tasks of this kind with this duration. */
  const learnEnds = (count: number, seconds: number, task = TASK) => {
    const submittedAt = NOW - seconds * 1000;
    for (let end = 0; end < count; end++) {
      schedule.learn({ ...task, submittedAt, unfinishedAt: submittedAt }, NOW - 1000, false);
      schedule.learn({ ...task, submittedAt, unfinishedAt: NOW - 1000 }, NOW, true);
    }
  };
  return { schedule, enter, enterMany, plan, learnEnds };
}

/** When polls are due, in milliseconds from now. */
const duesOf = (polls: readonly ScheduledPoll[]) => polls.map(({ dueAt }) => dueAt - NOW);

describe("while the budget suffices", () => {
  test.each([
    ["tasks that were polled before", POLLED, 5000, 7 * 11],
    ["new tasks, with as many expected to follow", TASK, 5000, 7 * 11 + 7 * 5],
    ["tasks with an interval of 1 s", POLLED, 1000, 7 * 59],
    ["tasks with an interval of 40 s", POLLED, 40_000, 7],
    ["tasks with an interval below 1 s", POLLED, 400, 7 * 60],
  ])("%s are polled at the shortest interval, until the budget lacks one read", (_, task, gapMs, reads) => {
    const { schedule, enterMany, plan } = createSchedule();
    const polls = enterMany(7, task, gapMs, 600_000);
    expect(duesOf(polls)).toEqual(Array(7).fill(gapMs));
    plan(polls, reads);
    expect(schedule.isFree).toBe(true);
    expect(duesOf(polls)).toEqual(Array(7).fill(gapMs));
    plan(polls, reads - 1);
    expect(schedule.isFree).toBe(false);
  });

  test("polls that are due after this window do not use its budget", () => {
    const { schedule, enterMany, plan } = createSchedule();
    const polls = enterMany(30, POLLED, MINUTE);
    plan(polls, 0);
    expect(schedule.isFree).toBe(true);
    plan(polls, 29, MINUTE + 1);
    expect(schedule.isFree).toBe(false);
  });

  test("the only waiting task is polled at the shortest interval", () => {
    const { enterMany, enter, plan } = createSchedule();
    plan(enterMany(50), 1);
    expect(duesOf([enter()])).not.toEqual([5000]);
    plan([], 1);
    expect(duesOf([enter()])).toEqual([5000]);
  });
});

describe("while the budget is scarce", () => {
  test.each([
    [10_000, 75],
    [3000, 250],
  ])(
    "the longest interval of %i ms is kept while it needs at most 80 %% of %i reads",
    (longestGapMs, reads) => {
      const { enterMany, plan, learnEnds } = createSchedule();
      learnEnds(20, 100);
      const waiting = enterMany(10, POLLED, longestGapMs / 10, longestGapMs);
      plan(waiting, reads);
      expect(duesOf(waiting)).toEqual(Array(10).fill(longestGapMs));
      plan(waiting, reads - 1);
      for (const due of duesOf(waiting)) expect(due).toBeGreaterThan(longestGapMs);
    },
  );

  test("expected tasks do not lengthen the intervals of waiting ones", () => {
    const { enterMany, plan } = createSchedule();
    const waiting = enterMany(10, TASK);
    plan(waiting, 75);
    expect(duesOf(waiting)).toEqual(Array(10).fill(10_000));
  });

  test("a longest interval below the shortest one is raised to it", () => {
    const { enterMany, plan } = createSchedule();
    const waiting = enterMany(10, POLLED, 5000, 0);
    plan(waiting, 10 * 11);
    expect(duesOf(waiting)).toEqual(Array(10).fill(5000));
  });

  test("a task is polled when it has likely ended, but never before its interval ends", () => {
    const { enter, enterMany, plan, learnEnds } = createSchedule();
    learnEnds(30, 100);
    const older = enter({ ...TASK, submittedAt: NOW - MINUTE });
    const late = enter(POLLED, 30 * MINUTE);
    const waiting = enterMany(50);
    plan([older, late, ...waiting], 60, 5 * MINUTE);
    for (const due of duesOf(waiting)) {
      expect(due).toBeGreaterThan(90_000);
      expect(due).toBeLessThan(120_000);
    }
    expect(older.dueAt - NOW).toBeGreaterThan(30_000);
    expect(older.dueAt - NOW).toBeLessThan(60_000);
    expect(late.dueAt).toBe(NOW + 30 * MINUTE);
    // A task that is added later gets the same plan.
    expect(enter().dueAt).toBe(waiting[0]?.dueAt);
  });

  test("each kind of task is polled by its own duration distribution", () => {
    const { enterMany, plan, learnEnds } = createSchedule();
    const lyrics = { ...POLLED, type: "lyrics" };
    learnEnds(30, 20, lyrics);
    learnEnds(30, 200);
    const [quick, slow] = [enterMany(40, lyrics), enterMany(40)];
    plan([...quick, ...slow], 30);
    for (const due of duesOf(quick)) expect(due).toBeLessThan(30_000);
    for (const due of duesOf(slow)) expect(due).toBeGreaterThan(150_000);
  });

  test.each([
    [20, 30],
    [50, 40],
  ])("of %i tasks of all ages, about as many are polled as the budget of %i allows", (tasks, reads) => {
    const { enter, plan, learnEnds } = createSchedule();
    learnEnds(150, 60);
    learnEnds(150, 120);
    const waiting = Array.from({ length: tasks }, (_, index) => {
      const ageMs = (index * 110_000) / tasks;
      return enter({ ...TASK, submittedAt: NOW - ageMs, unfinishedAt: NOW - Math.min(ageMs / 3, 3000) });
    });
    plan(waiting, reads);
    const due = duesOf(waiting).filter((ms) => ms < MINUTE).length;
    expect(due).toBeGreaterThan(0.5 * Math.min(tasks, reads));
    expect(due).toBeLessThanOrEqual(1.3 * reads);
    const dues = duesOf(waiting);
    plan(waiting, reads / 3);
    for (const [index, later] of duesOf(waiting).entries())
      expect(later).toBeGreaterThanOrEqual(dues[index] ?? 0);
  });

  test("20 times as many tasks with 20 times the budget get the same plan", () => {
    const { enter, plan, learnEnds } = createSchedule();
    for (const seconds of [30, 50, 70, 90, 110]) learnEnds(30, seconds);
    const some = Array.from({ length: 50 }, (_, age) => enter({ ...TASK, submittedAt: NOW - 1000 * age }));
    const many = some.flatMap((poll) => Array.from({ length: 20 }, () => ({ ...poll })));
    plan(some, 40);
    plan(many, 20 * 40);
    expect(duesOf(many.filter((_, index) => index % 20 === 0))).toEqual(duesOf(some));
  });

  test.each([
    [1, MINUTE, 2 * MINUTE],
    [2, 10 * MINUTE, 40 * MINUTE],
    [1, 59 * MINUTE, 60 * MINUTE],
  ])("%i tasks without a budget for %i ms are polled as at a price of %i ms", (tasks, ms, priceMs) => {
    const { enterMany, plan, learnEnds } = createSchedule();
    learnEnds(20, 40);
    const durations = new Durations();
    for (let end = 0; end < 20; end++) {
      durations.learn(0, 39_000, false);
      durations.learn(39_000, 40_000, true);
    }
    durations.refresh();
    const waiting = enterMany(tasks, TASK, 1000, 600_000);
    plan(waiting, 0, ms);
    const [due = 0] = duesOf(waiting);
    expect(due).toBeGreaterThanOrEqual((planPolls(durations, priceMs / 1.11)[0] ?? 0) - 1);
    expect(due).toBeLessThanOrEqual((planPolls(durations, priceMs)[0] ?? 0) + 1);
  });

  test("more expected tasks delay the polls of waiting ones", () => {
    const due = (newcomers: number) => {
      const { enter, enterMany, plan, learnEnds } = createSchedule();
      for (const seconds of [30, 50, 70, 90, 110]) learnEnds(30, seconds);
      enterMany(newcomers, TASK);
      const waiting = Array.from({ length: 10 }, () => enter());
      plan(waiting, 30, 2 * MINUTE);
      return waiting[0]?.dueAt ?? 0;
    };
    expect(due(40)).toBeGreaterThan(due(0));
  });

  test.each([LAST_POLL_MS, LAST_POLL_MS + MINUTE])(
    "a task that is unfinished after %i ms is polled at the task timeout",
    (ageMs) => {
      const { enterMany, plan } = createSchedule();
      const submittedAt = NOW - ageMs;
      const waiting = enterMany(50, { ...TASK, submittedAt });
      plan(waiting, 1);
      expect(new Set(waiting.slice(3).map(({ dueAt }) => dueAt))).toEqual(new Set([submittedAt + 3_601_000]));
      const [justBefore] = enterMany(1, { ...TASK, submittedAt: submittedAt + (ageMs - LAST_POLL_MS) + 0.5 });
      expect((justBefore?.dueAt ?? 0) - NOW).toBe(5000);
    },
  );
});

describe("a kind of task with fewer than 20 known ends", () => {
  test("has its three oldest tasks polled at 10 s, then at ages that grow by half", () => {
    const { enter, enterMany, plan } = createSchedule();
    const others = enterMany(50);
    const young = enter({ ...TASK, submittedAt: NOW - 2000, unfinishedAt: NOW - 2000 }, 3000);
    const polled = enter({ ...TASK, submittedAt: NOW - 30_000, unfinishedAt: NOW - 6000 });
    const oldest = enter({ ...TASK, submittedAt: NOW - 40_000, unfinishedAt: NOW - 10_000 }, 40_000);
    plan([...others, young, polled, oldest], 2);
    expect(duesOf([young, polled, oldest])).toEqual([8000, 6000, 30_000]);
    for (const due of duesOf(others)) expect(due).toBeGreaterThan(20_000);
  });

  test.each([
    [19, 3],
    [20, 0],
  ])("has its own early polls: with %i known ends, %i tasks are polled early", (ends, explorers) => {
    const { schedule, enterMany, plan, learnEnds } = createSchedule();
    learnEnds(ends, 100);
    const waiting = enterMany(50);
    plan([...enterMany(50, { ...POLLED, type: "lyrics" }), ...waiting], 2);
    expect(duesOf(waiting).filter((due) => due < 20_000)).toHaveLength(explorers);
    expect(schedule.learn(TASK, NOW + 1000, true)).toBe(explorers > 0);
    expect(schedule.learn({ ...TASK, unfinishedAt: NOW + 1000 }, NOW + 2000, false)).toBe(false);
  });
});

describe("tasks with only a known id", () => {
  const RESUMED = { ...TASK, submittedAt: NOW - MINUTE, unfinishedAt: NOW - MINUTE, resumedAt: NOW };

  test("are polled half a second apart after the first three", () => {
    const { schedule } = createSchedule();
    const polls = Array.from(
      { length: 6 },
      (): ScheduledPoll => ({ taskId: undefined, task: null, notBefore: NOW, dueBy: NOW, dueAt: 0 }),
    );
    for (const poll of polls.slice(0, 5)) schedule.enter(poll, undefined, NOW);
    for (const poll of polls.slice(5)) schedule.enter(poll, undefined, NOW + 5000);
    expect(duesOf(polls)).toEqual([0, 0, 0, 500, 1000, 0]);
  });

  test("are planned by the age of the latest such task with a response", () => {
    const { schedule, plan, learnEnds } = createSchedule();
    learnEnds(30, 100);
    const polls = Array.from({ length: 50 }, (): ScheduledPoll => {
      const poll = { taskId: undefined, task: null, notBefore: NOW, dueBy: NOW + 5000, dueAt: 0 };
      schedule.enter(poll, undefined, NOW);
      return poll;
    });
    const before = duesOf(polls);
    plan(polls, 5);
    expect(duesOf(polls)).toEqual(before);
    expect(schedule.learn(RESUMED, NOW, false)).toBe(true);
    expect(schedule.learn(RESUMED, NOW, false)).toBe(false);
    plan(polls, 5);
    for (const due of duesOf(polls)) {
      expect(due).toBeGreaterThan(30_000);
      expect(due).toBeLessThan(60_000);
    }
    const poll: ScheduledPoll = { taskId: undefined, task: null, notBefore: NOW, dueBy: NOW, dueAt: 0 };
    schedule.enter(poll, undefined, NOW);
    expect(poll.dueAt).toBe(polls[0]?.dueAt);
    // A service clock that runs ahead gives no negative age.
    schedule.learn({ ...RESUMED, submittedAt: NOW + MINUTE, unfinishedAt: NOW + MINUTE }, NOW, false);
    plan(polls, 5);
    for (const due of duesOf(polls)) expect(due).toBeGreaterThan(55_000);
  });
});

test("ten thousand model names from a hostile service share 17 distributions", () => {
  const { schedule, enter } = createSchedule();
  const own = enter().task?.kind;
  const kinds = new Set<unknown>();
  for (let index = 0; index < 10_000; index++) {
    const kind = enter({ ...TASK, model: `model ${index}` }).task?.kind;
    kinds.add(kind);
  }
  expect(kinds.size).toBe(15 + 1);
  expect(enter().task?.kind).toBe(own);
  expect(enter({ ...TASK, model: "provider_amusic", type: "" }).task?.kind).not.toBe(own);
  expect(schedule.isFree).toBe(true);
  const long = "x".repeat(100);
  const other = createSchedule();
  const first = other.enter({ ...TASK, type: `${long}1` }).task?.kind;
  expect(other.enter({ ...TASK, type: `${long}2` }).task?.kind).toBe(first);
  expect(other.enter({ ...TASK, model: `${long}1` }).task?.kind).not.toBe(first);
});

describe("a plan of polls", () => {
  const twoHumps = new Durations();
  for (let end = 0; end < 60; end++)
    for (const seconds of [20, 120]) {
      twoHumps.learn(0, seconds * 1000, false);
      twoHumps.learn(seconds * 1000, seconds * 1000 + 2000, true);
    }
  const priors = new Durations();
  for (const durations of [twoHumps, priors]) durations.refresh();

  /** The cost between two ages: mean delay from a task's end to its poll, plus the price of that poll. */
  const costOf = ({ survival, overdue }: Durations, from: number, to: number, priceMs: number) => {
    const [unfinished = 1, ms] = [survival[from], (AGES[to] ?? 0) - (AGES[from] ?? 0)];
    return (overdue[to] ?? 0) - (overdue[from] ?? 0) - (1 - unfinished) * ms + priceMs * unfinished;
  };

  test.each([
    ["the initial distribution", priors, 50],
    ["the initial distribution", priors, 5000],
    ["two common durations", twoHumps, 300],
    ["two common durations", twoHumps, 20_000],
  ])("has the lowest cost of all plans for %s", (_, durations, priceMs) => {
    const plan = planPolls(durations, priceMs);
    const [least, planned] = [new Float64Array(STEPS + 1), new Float64Array(STEPS + 1)];
    for (let from = STEPS - 1; from >= 0; from--) {
      const earliest = Math.min(STEPS, stepOf((AGES[from] ?? 0) + 5000) + 1);
      least[from] = Number.POSITIVE_INFINITY;
      for (let to = earliest; to <= STEPS; to++)
        least[from] = Math.min(least[from] ?? 0, costOf(durations, from, to, priceMs) + (least[to] ?? 0));
      const next = Math.max(
        earliest,
        AGES.findIndex((age) => age >= (plan[from] ?? 0)),
      );
      planned[from] = costOf(durations, from, next, priceMs) + (planned[next] ?? 0);
      expect(planned[from]).toBeCloseTo(least[from] ?? 0, 3);
    }
    expect(plan[STEPS]).toBe(LAST_POLL_MS);
  });

  test("has gaps of at least 5 s, and close to 5 s if polls cost nothing", () => {
    const plan = planPolls(priors, 0);
    for (const [step, age] of AGES.entries()) {
      if (age + 5000 < LAST_POLL_MS) expect(plan[step]).toBeGreaterThanOrEqual(age + 5000);
      if (age > 30_000 && age < 300_000) expect(plan[step]).toBeLessThan(age + 7000);
    }
  });
});
