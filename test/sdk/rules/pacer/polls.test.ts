import { describe, expect, test } from "vitest";
import type { WaitingTask } from "../../../../src/rate-limit/pacer.js";
import { START, turns } from "../../../support/test-clock.js";
import { createKey, MINUTE } from "./key.js";

// Limits: poll every 5 to 10 seconds. Tasks typically take 30 seconds to 5 minutes, and time out after an hour.

const TASK = { model: "provider_a", type: "music", submittedAt: START, unfinishedAt: START };
/** A task that was polled before: no other such task is expected to begin. */
const POLLED = { ...TASK, submittedAt: START - 1 };

interface Waiting {
  count: number;
  task?: WaitingTask;
  taskId?: string;
  gapMs?: number;
  longestGapMs?: number;
}

/** When waiting polls are sent, in a window in which this many requests are left at its start. */
async function pollsWith(
  left: number,
  groups: Waiting[],
  learned: [task: WaitingTask, seconds: number, count: number][] = [],
) {
  const { pacer, clock, request } = createKey();
  for (const [task, seconds, count] of learned) {
    const submittedAt = START - 1000 * seconds;
    for (let end = 0; end < count; end++) {
      pacer.learn({ ...task, submittedAt, unfinishedAt: submittedAt }, false);
      pacer.learn({ ...task, submittedAt, unfinishedAt: START - 500 }, true);
    }
  }
  const leaving = new AbortController();
  const sent = groups.map(({ count, task, taskId, gapMs = 5000, longestGapMs = 600_000 }) => {
    const from = task?.unfinishedAt ?? START;
    const times: number[] = [];
    for (let each = 0; each < count; each++) {
      const poll = {
        kind: "poll",
        task,
        taskId,
        notBefore: from + gapMs,
        dueBy: from + longestGapMs,
      } as const;
      const note = () => {
        times.push(clock.elapsed());
        pacer.report({ taskId, sentAt: clock.now(), remaining: null, heldForMs: null });
      };
      pacer.admit(poll, leaving.signal).then(note, () => {});
    }
    return times;
  });
  // The first response shows the window, in which all of them are planned.
  await request("read", left);
  await clock.advance(MINUTE - 1);
  leaving.abort();
  await turns(1);
  return sent;
}

const all = (count: number, ms: number) => Array(count).fill(ms);

describe("while the requests suffice", () => {
  test.each([
    ["tasks that were polled before", POLLED, 5000, 11],
    ["tasks with an interval of 20 s", POLLED, 20_000, 2],
    ["tasks with an interval of 40 s", POLLED, 40_000, 1],
    ["tasks with an interval below 1 s", POLLED, 400, 60],
  ])("%s are polled at the shortest interval, until one request is missing", async (_, task, gapMs, each) => {
    const waiting = { count: 2, task, gapMs };
    expect(await pollsWith(2 * each, [waiting])).toEqual([all(2, gapMs)]);
    expect(await pollsWith(2 * each - 1, [waiting])).not.toEqual([all(2, gapMs)]);
  });

  test("waits on one task count once", async () => {
    const [polls = []] = await pollsWith(12, [{ count: 3, task: POLLED, taskId: "t" }]);
    expect(polls).toEqual([5000, 6000, 7000]);
  });
});

describe("while requests are scarce", () => {
  test("the longest interval is kept while that takes at most 80 % of them", async () => {
    const waiting = { count: 10, task: POLLED, gapMs: 1000, longestGapMs: 3000 };
    const learned: Parameters<typeof pollsWith>[2] = [[TASK, 100, 20]];
    expect(await pollsWith(250, [waiting], learned)).toEqual([all(10, 3000)]);
    const [polls = []] = await pollsWith(249, [waiting], learned);
    expect(Math.min(...polls)).toBeGreaterThan(3000);
  });

  test("expected tasks lengthen no interval", async () => {
    const waiting = { count: 10, task: TASK, longestGapMs: 10_000 };
    expect(await pollsWith(75, [waiting])).toEqual([all(10, 10_000)]);
  });

  test("each kind of task is polled when its tasks have likely ended", async () => {
    const lyrics = { ...POLLED, type: "lyrics" };
    const [quick = [], slow = []] = await pollsWith(
      40,
      [
        { count: 20, task: lyrics },
        { count: 20, task: POLLED },
      ],
      [
        [lyrics, 20, 30],
        [POLLED, 200, 30],
      ],
    );
    expect(quick).toHaveLength(20);
    for (const at of quick) expect(at).toBeGreaterThan(18_000);
    for (const at of quick) expect(at).toBeLessThan(30_000);
    for (const at of slow) expect(at).toBeGreaterThan(40_000);
  });

  test("of a kind with fewer than 20 known ends, the three oldest tasks are polled at ages that grow by half", async () => {
    const old = (ageMs: number, unfinishedMs: number) => ({
      ...TASK,
      submittedAt: START - ageMs,
      unfinishedAt: START - ageMs + unfinishedMs,
    });
    const groups = (extra: number): Waiting[] => [
      { count: 1, task: old(2000, 0), gapMs: 3000 },
      { count: 1, task: old(30_000, 24_000), gapMs: 6500 },
      { count: 1, task: old(40_000, 30_000), gapMs: 40_000 },
      { count: 27 + extra, task: POLLED },
    ];
    const [young, polled, oldest, others = []] = await pollsWith(15, groups(0));
    expect([young, polled, oldest]).toEqual([[8000], [6000], [30_000]]);
    expect(Math.min(...others)).toBeGreaterThanOrEqual(10_000);
    const [unexplored] = await pollsWith(15, groups(-1));
    expect(unexplored).not.toEqual([8000]);
  });

  test.each([
    [3_590_000, [6000]],
    [3_589_999, [5000]],
  ])("a task that was unfinished after %i ms is polled at %j", async (unfinishedMs, expected) => {
    const submittedAt = START - 3_595_000;
    const task = { ...TASK, submittedAt, unfinishedAt: submittedAt + unfinishedMs };
    const gapMs = START + 5000 - task.unfinishedAt;
    const [polls] = await pollsWith(20, [
      { count: 1, task, gapMs },
      { count: 50, task: POLLED, gapMs: 50_000 },
    ]);
    expect(polls).toEqual(expected);
  });
});

describe("tasks of which only the ids are known", () => {
  test("are all polled at once if that takes at most a quarter of the requests", async () => {
    const [polls] = await pollsWith(100, [{ count: 25, gapMs: 1000 }]);
    expect(polls).toEqual(all(25, 1000));
  });
});
