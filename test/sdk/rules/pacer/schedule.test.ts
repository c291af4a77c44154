import { beforeEach, describe, expect, test } from "vitest";
import { shareTenants } from "../../../../src/databases/redis/fleet-share.js";
import { interpolate } from "../../../../src/rate-limit/durations.js";
import type { WaitingTask } from "../../../../src/rate-limit/pacer.js";
import type { ScheduledPoll } from "../../../../src/rate-limit/poll-price.js";
import { PollSchedule } from "../../../../src/rate-limit/schedule.js";
import { type Tenant, Tenants } from "../../../../src/rate-limit/tenants.js";
import { MINUTE, UNREPORTED } from "./key.js";

// Limits: 120 requests in a window of a minute, and each task is polled at most every 5 s. Times are in milliseconds.

const SONG = { model: "provider_a", type: "music" };

let tenants: Tenants;
let schedule: PollSchedule;
beforeEach(() => {
  tenants = new Tenants();
  schedule = new PollSchedule(tenants);
});

interface Waits {
  tenant?: string;
  taskId?: string;
  /** When it began; `null` if only its ID is known. */
  since?: number | null;
  task?: Partial<WaitingTask>;
  now?: number;
}

/** A poll that waits for the next reading of a task. */
function wait({ tenant, taskId, since = -1, task, now = 0 }: Waits = {}): ScheduledPoll {
  const poll = {
    tenant: tenants.get(tenant, now),
    taskId,
    task: null,
    notBefore: now + 5000,
    dueBy: now + 10_000,
    dueAt: now,
  };
  const known = since === null ? undefined : { ...SONG, submittedAt: since, unfinishedAt: now, ...task };
  schedule.enter(poll, known, now);
  return poll;
}

const many = (count: number, waits: Waits = {}) => Array.from({ length: count }, () => wait(waits));
const budget = (polls: number, more: { now?: number; from?: number } = {}) => ({
  polls,
  now: 0,
  from: 0,
  until: MINUTE,
  limit: 120,
  ...more,
});

/** How many requests a tenant sends until it has had its part of the window. */
function partOf(tenant: Tenant, now = 0): number {
  let sent = 0;
  for (; !schedule.isExhausted(tenant, now) && sent < 500; sent++) tenant.spend(now);
  return sent;
}

/** Lets tasks end at an age, each after one poll that found it unfinished. */
function end(count: number, ageMs: number, kind = SONG) {
  for (let each = 0; each < count; each++) schedule.learnEnd({ ...kind, unfinishedMs: ageMs - 1000, ageMs });
}

const estimated = (kind = SONG) => schedule.estimate({ ...kind, submittedAt: 0, unfinishedAt: 0 }, 0);

describe("polls are divided among the tenants", () => {
  test("evenly, if each wants more than its part", () => {
    const polls = [...many(100, { tenant: "a" }), ...many(5, { tenant: "b" })];
    schedule.plan(polls, budget(60), null);
    expect([tenants.get("a", 0), tenants.get("b", 0)].map((each) => partOf(each))).toEqual([30, 30]);
  });

  test.each([
    ["with one task, a tenant wants to poll it in each 5 s, and one more", [wait1], 11 + 12],
    ["of a task that several waits share, once", [wait1, wait1], 11 + 12],
    ["of two tasks, each", [wait1, wait2], 2 * 11 + 12],
    ["of a task of which only the ID is known, once at first", [waitOfId], 1 + 12],
  ])("%s", (_, waits, part) => {
    const polls = [...many(100, { tenant: "a" }), ...waits.map((each) => each())];
    schedule.plan(polls, budget(100), null);
    expect(partOf(tenants.get("b", 0))).toBeGreaterThanOrEqual(part);
    expect(partOf(tenants.get("a", 0))).toBe(100 - part);
  });

  test("of a task of which only the ID is known, like another task, once such a task was read", () => {
    schedule.learn({ ...SONG, submittedAt: -40_000, unfinishedAt: 0, resumedAt: 0 }, 0, false);
    const polls = [...many(100, { tenant: "a" }), waitOfId()];
    schedule.plan(polls, budget(100), null);
    expect(partOf(tenants.get("a", 0))).toBe(100 - (11 + 12));
  });

  test("a poll in flight is likely followed by the next one", () => {
    const polls = many(100, { tenant: "a" });
    tenants.get("b", 0).notePoll("t", -500);
    schedule.plan(polls, budget(100), null);
    expect(partOf(tenants.get("a", 0))).toBe(100 - 24);
  });

  test("a wait for the next poll ends the one in flight", () => {
    tenants.get("b", 0).notePoll("t", -500);
    wait({ tenant: "b", taskId: "t" });
    expect(tenants.get("b", 0).pollsInFlight(0)).toBe(0);
  });

  test("by what a process has of them", () => {
    const polls = [...many(100, { tenant: "a" }), ...many(100, { tenant: "b" })];
    const weights = new Map([
      ["a", 0.5],
      ["b", 0.25],
    ]);
    shareTenants(tenants, { ...UNREPORTED, weights });
    schedule.plan(polls, budget(60), null);
    expect([tenants.get("a", 0), tenants.get("b", 0)].map((each) => partOf(each))).toEqual([40, 20]);
  });

  test.each([
    ["alone, a tenant may use them all", 0, 500],
    ["not if others wait in other processes", 1, 60],
  ])("%s", (_, elsewhere, part) => {
    const polls = many(100, { tenant: "a" });
    shareTenants(tenants, { ...UNREPORTED, elsewhere });
    schedule.plan(polls, budget(60), null);
    expect(partOf(tenants.get("a", 0))).toBe(part);
  });

  test("what a tenant has sent counts until the next window", () => {
    const polls = [...many(100, { tenant: "a" }), ...many(100, { tenant: "b" })];
    const a = tenants.get("a", 0);
    schedule.plan(polls, budget(60), null);
    expect(partOf(a)).toBe(30);
    schedule.plan(polls, budget(30, { now: 10_000 }), null);
    expect(partOf(a, 10_000)).toBe(0);
    schedule.plan(polls, { ...budget(60, { now: MINUTE, from: MINUTE }), until: 2 * MINUTE }, null);
    expect(partOf(a, MINUTE)).toBe(30);
  });

  test("in the last half second of a window, each may use what is left", () => {
    const polls = [...many(100, { tenant: "a" }), ...many(100, { tenant: "b" })];
    schedule.plan(polls, budget(60), null);
    const a = tenants.get("a", 0);
    partOf(a);
    expect([59_499, 59_500].map((now) => schedule.isExhausted(a, now))).toEqual([true, false]);
  });
});

function wait1() {
  return wait({ tenant: "b", taskId: "t" });
}
function wait2() {
  return wait({ tenant: "b", taskId: "u" });
}
function waitOfId() {
  return wait({ tenant: "b", taskId: "v", since: null });
}

describe("who is planned together", () => {
  const names = Array.from({ length: 11 }, (_, index) => `tenant ${index}`);
  const planOf = (name: string) => tenants.get(name, 0).plan;

  test("of many tenants with scarce polls, the eight with the most tasks have plans of their own", () => {
    const polls = names.flatMap((tenant, index) => many(20 + ((index * 7) % 11), { tenant }));
    schedule.plan(polls, budget(60), null);
    const [largest, others] = [
      names.filter((_, index) => (index * 7) % 11 > 2),
      names.filter((_, index) => (index * 7) % 11 <= 2),
    ];
    expect(new Set(largest.map(planOf)).size).toBe(8);
    expect(largest.map((name) => planOf(name).isCommon)).toEqual(Array(8).fill(false));
    expect(new Set(others.map(planOf)).size).toBe(1);
    expect(planOf(others[0] as string).isCommon).toBe(true);
    expect(schedule.isFree).toBe(false);

    // Later it waits alone.
    const alone = others[0] as string;
    schedule.plan(many(30, { tenant: alone }), budget(20), null);
    expect(planOf(alone).isCommon).toBe(false);
    const own = planOf(alone);
    schedule.plan(many(30, { tenant: alone }), budget(20), null);
    expect(planOf(alone)).toBe(own);
  });

  test("of eight tenants, each has its own", () => {
    const polls = names.slice(0, 8).flatMap((tenant) => many(20, { tenant }));
    schedule.plan(polls, budget(60), null);
    expect(new Set(names.slice(0, 8).map(planOf)).size).toBe(8);
    expect(names.slice(0, 8).some((name) => planOf(name).isCommon)).toBe(false);
  });

  test("a tenant that gets what it wants is polled at the shortest interval, while the others wait", () => {
    const [small, large] = [many(1, { tenant: "small" }), many(100, { tenant: "large" })];
    schedule.plan([...small, ...large], budget(60), null);
    expect([planOf("small").isFree, planOf("large").isFree, schedule.isFree]).toEqual([true, false, false]);
    expect(small[0]?.dueAt).toBe(5000);
    schedule.plan(small, budget(60), null);
    expect(schedule.isFree).toBe(true);
  });

  test("so is one that has not had its part of the window yet", () => {
    const polls = many(20, { tenant: "a" });
    const fairness = { reserve: 0, leftoversAt: 0, untilAhead: () => 1 };
    many(1, { tenant: "b" });
    schedule.plan([...polls, ...many(100, { tenant: "b" })], budget(60), fairness);
    expect(planOf("a").isFree).toBe(true);
    schedule.plan([...polls, ...many(100, { tenant: "b" })], budget(60), {
      ...fairness,
      untilAhead: () => 0,
    });
    expect(planOf("a").isFree).toBe(false);
  });
});

describe("what is learned of a kind of task", () => {
  test("there is an estimate from the 20th end on", () => {
    end(19, 90_000);
    expect(estimated()).toBeNull();
    end(1, 90_000);
    expect(estimated()?.medianSeconds).toBeGreaterThan(75);
    expect(estimated()?.medianSeconds).toBeLessThan(105);
    end(60, 90_000);
    // It is up to date.
    expect(estimated()?.p90Seconds).toBeLessThan(105);
  });

  test("an end that another process has found shows that the task was unfinished before", () => {
    end(100, 90_000);
    estimated();
    const kind = wait().task?.kind;
    expect(kind && interpolate(kind.survival, 70_000)).toBeGreaterThan(0.97);
  });

  test("polls are planned anew at once after the first 20 ends, and after the first task that was known by its ID", () => {
    const task = { ...SONG, submittedAt: 0, unfinishedAt: 0 };
    expect(schedule.learn(task, 5000, false)).toBe(false);
    for (let each = 0; each < 20; each++) expect(schedule.learn(task, 90_000, true)).toBe(true);
    expect(schedule.learn(task, 90_000, true)).toBe(false);
    const resumed = { ...task, resumedAt: 30_000 };
    expect([schedule.learn(resumed, 90_000, false), schedule.learn(resumed, 90_000, false)]).toEqual([
      true,
      false,
    ]);
  });

  test("beyond 16 kinds, all others share one", () => {
    const kinds = Array.from({ length: 20 }, (_, index) => ({ model: `model ${index}`, type: "music" }));
    for (const kind of kinds.slice(0, 16)) end(1, 30_000, kind);
    for (const kind of kinds.slice(16)) end(5, 30_000, kind);
    expect(kinds.map((kind) => estimated(kind) !== null)).toEqual([
      ...Array(16).fill(false),
      ...Array(4).fill(true),
    ]);
  });

  test.each(["model", "type"] as const)("of the name of a %s, 100 characters count", (part) => {
    const of = (letter: string, length: number) => ({ ...SONG, [part]: letter.repeat(length) });
    end(20, 30_000, of("x", 100));
    expect(estimated(of("x", 101))).not.toBeNull();
    expect(estimated(of("x", 99))).toBeNull();
  });

  test("a task that begins to wait lets others be expected", () => {
    const task = wait({ since: 0 }).task;
    if (task === null) throw new Error("The task is known.");
    expect(task.tenant.arrivalsWithin(task.kind, 0, MINUTE)).toBeGreaterThan(0.5);
    const once = task.tenant.arrivalsWithin(task.kind, 0, MINUTE);
    wait({ since: -10_000 });
    expect(task.tenant.arrivalsWithin(task.kind, 0, MINUTE)).toBe(once);
  });
});

describe("the gaps between polls", () => {
  test.each<[string, number, number, number, number]>([
    ["what its caller wants", 5000, 10_000, 5000, 10_000],
    ["not less than a second", 200, 400, 1000, 1000],
    ["the longest at least the shortest", 20_000, 10_000, 20_000, 20_000],
  ])("are %s", (_, notBefore, dueBy, gapMs, longestGapMs) => {
    const poll = {
      tenant: tenants.get(undefined, 0),
      taskId: "t",
      task: null,
      notBefore,
      dueBy,
      dueAt: 0,
    } as ScheduledPoll;
    schedule.enter(poll, { ...SONG, submittedAt: -1, unfinishedAt: 0 }, 0);
    expect(poll.task).toMatchObject({ gapMs, longestGapMs });
  });
});

describe("tasks of which only the ids are known", () => {
  const dueOf = (count: number, now = 0) => many(count, { since: null, now }).map(({ dueAt }) => dueAt - now);

  test("are read half a second apart after the first three", () => {
    expect(dueOf(6)).toEqual([5000, 5000, 5000, 5500, 6000, 6500]);
    expect(dueOf(2, 2000)).toEqual([5000, 5500]);
  });

  test("are read at once, as long as that takes a quarter of the requests", () => {
    const known = many(4, { since: null });
    schedule.plan(known, budget(40), null);
    expect(known.map(({ dueAt }) => dueAt)).toEqual(Array(4).fill(5000));
    // A task that is known takes none of these reads.
    wait();
    // 40 / 4 - 4 more. Then, the first four count among those that are read half a second apart.
    expect(dueOf(8)).toEqual([...Array(6).fill(5000), 6000, 6500]);
  });

  test("a quarter of the tenant's part, if the window is divided", () => {
    schedule.plan(
      [...many(4, { since: null, tenant: "a" }), ...many(100, { tenant: "b" })],
      budget(40),
      null,
    );
    const due = many(3, { since: null, tenant: "a" }).map(({ dueAt }) => dueAt);
    // Its part is 40 / 2, and what the other does not want of the rest.
    expect(due).toEqual([5000, 5000, 6000]);
  });

  test("are assumed to be like the latest one that was resumed", () => {
    end(60, 90_000);
    // It was 40 s old when it could first be polled.
    schedule.learn({ ...SONG, submittedAt: -40_000, unfinishedAt: 0, resumedAt: 0 }, 1000, false);
    schedule.plan(many(60), budget(15), null);
    const [, , , resumed] = many(4, { since: null });
    const known = wait({ since: -35_000, task: { unfinishedAt: -35_000 } });
    expect(resumed?.dueAt).toBeGreaterThan(15_000);
    expect(resumed?.dueAt).toBe(known.dueAt);
  });
});

describe("of a kind that is little known", () => {
  /** When the oldest task of some kinds is due, if 40 tasks wait for 10 requests. */
  function oldestDue(ends: number, others = 39) {
    end(ends, 200_000);
    const oldest = wait({ since: -1000, task: { unfinishedAt: -1000 } });
    const polls = [oldest, ...many(others, { task: { submittedAt: 0 } })];
    schedule.plan(polls, budget(10), null);
    return oldest.dueAt;
  }

  test.each([
    [0, true],
    [19, true],
    [20, false],
  ])("after %i ends, the oldest task is polled early: %s", (ends, isEarly) => {
    expect(oldestDue(ends) < 15_000).toBe(isEarly);
  });

  test("one in ten is", () => {
    expect(oldestDue(0, 8)).toBeGreaterThan(15_000);
  });

  test("each kind counts by itself", () => {
    end(60, 200_000);
    const known = many(30, { since: -2000, task: { unfinishedAt: -2000 } });
    const unknown = many(8, { since: -1000, task: { type: "lyrics", unfinishedAt: -1000 } });
    schedule.plan([...known, ...unknown], budget(10), null);
    expect(Math.min(...unknown.map(({ dueAt }) => dueAt))).toBeGreaterThan(15_000);
    const more = many(2, { since: -1000, task: { type: "lyrics", unfinishedAt: -1000 } });
    schedule.plan([...known, ...unknown, ...more], budget(10), null);
    expect([...unknown, ...more].filter(({ dueAt }) => dueAt < 15_000)).toHaveLength(1);
    expect(known.filter(({ dueAt }) => dueAt < 15_000)).toHaveLength(0);
  });
});
