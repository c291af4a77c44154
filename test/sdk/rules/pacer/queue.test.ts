import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { createMemoryPacer } from "../../../../src/rate-limit/memory-pacer.js";
import type { PacedRequest, RateLimitReport } from "../../../../src/rate-limit/pacer.js";
import type { PacerWindow } from "../../../../src/rate-limit/window.js";
import { collectGarbage } from "../../../support/collect-garbage.js";
import { createTestClock, START, turns } from "../../../support/test-clock.js";

// The queue alone: on a budget that the test sets, in the place of what is learned of the service's.

/** A budget that lets everything leave until the test says otherwise, and keeps what it was asked. */
function createBudget() {
  const asked = {
    spent: [] as [now: number, claimant: number][],
    settled: [] as RateLimitReport[],
    left: [] as [claimant: number, leave: number][],
    priced: [] as number[],
  };
  const budget = {
    heldUntil: 0,
    openedAt: START,
    open: true,
    free: Number.POSITIVE_INFINITY,
    share: true,
    changesAt: Number.POSITIVE_INFINITY,
    until: START + 60_000,
    polls: 1e9,
    isOpen: () => budget.open,
    shareLeft: () => (budget.share ? 1 : 0),
    admits(_now: number, claimant: number, leave = 0) {
      asked.left.push([claimant, leave]);
      return budget.free > leave;
    },
    nextChange: () => budget.changesAt,
    budget(now: number) {
      asked.priced.push(now - START);
      return { polls: budget.polls, now, until: budget.until };
    },
    spend(now: number, claimant: number) {
      asked.spent.push([now - START, claimant]);
      budget.free--;
    },
    record: (_now: number, answer: RateLimitReport) => void asked.settled.push(answer),
    state: () => ({ limit: 9, remaining: 8, resetAt: START + 60_000, heldUntil: START + 7000 }),
  };
  return { budget, asked };
}

function createQueue({ skips = true } = {}) {
  const clock = createTestClock({ skips });
  const { budget, asked } = createBudget();
  const pacer = createMemoryPacer(clock, budget as unknown as PacerWindow);
  const left: [name: string, at: number][] = [];
  const send = async (name: string, request: PacedRequest, signal?: AbortSignal) => {
    const admitted = await pacer.admit(request, signal);
    left.push([admitted ? name : `${name} is late`, clock.elapsed()]);
  };
  return { clock, budget, asked, pacer, left, send };
}

const TASK = { model: "provider_a", type: "music", submittedAt: START, unfinishedAt: START };

describe("a request", () => {
  test("leaves at once where it may, in its kind's name", async () => {
    const { send, asked } = createQueue();
    for (const kind of ["create", "account", "read", "poll"] as const) await send(kind, { kind });
    expect(asked.spent).toEqual([
      [0, 0],
      [0, 0],
      [0, 1],
      [0, 2],
    ]);
  });

  test("waits for what the budget says is the next change", async () => {
    const { budget, send, left, clock } = createQueue({ skips: false });
    budget.free = 0;
    budget.changesAt = START + 3000;
    void send("a", { kind: "create" });
    await clock.advance(2999);
    budget.free = 1;
    expect(left).toEqual([]);
    await clock.advance(1);
    expect(left).toEqual([["a", 3000]]);
  });

  test("leaves when a budget that others share has changed by itself", async () => {
    const { budget, pacer, send, left } = createQueue({ skips: false });
    budget.free = 0;
    void send("a", { kind: "create" });
    await turns(2);
    budget.free = 1;
    pacer.advance();
    await turns(2);
    expect(left).toEqual([["a", 0]]);
  });

  test("that is due when it is given up still leaves, and one that is due later does not", async () => {
    const { send, left } = createQueue();
    await Promise.all([
      send("due", { kind: "read", taskId: "a", notBefore: START + 5000, notAfter: START + 5000 }),
      send("not due", { kind: "read", taskId: "b", notBefore: START + 5001, notAfter: START + 5000 }),
    ]);
    expect(left).toEqual([
      ["due", 5000],
      ["not due is late", 5000],
    ]);
  });

  test("that was given up does not leave later, and costs nothing", async () => {
    const { budget, clock, send, left, asked } = createQueue({ skips: false });
    budget.free = 0;
    budget.changesAt = START + 9000;
    void send("late", { kind: "read", taskId: "a", notAfter: START + 5000 });
    await clock.advance(5000);
    expect(left).toEqual([["late is late", 5000]]);
    budget.free = 9;
    await clock.advance(5000);
    expect(asked.spent).toEqual([]);
  });

  test("that waits is given up in time, however many came and went meanwhile", async () => {
    const { send, left, clock } = createQueue({ skips: false });
    void send("waits", { kind: "read", taskId: "t", notBefore: START + 99_000, notAfter: START + 5000 });
    for (let sent = 0; sent < 300; sent++) await send("", { kind: "create", notAfter: START + 99_000 });
    await clock.advance(5000);
    expect(left).toHaveLength(301);
    expect(left.at(-1)).toEqual(["waits is late", 5000]);
  });

  test("that its caller has left makes room for who is behind, and hears of nothing more", async () => {
    const { budget, pacer, send, left } = createQueue({ skips: false });
    budget.free = 0;
    const controller = new AbortController();
    const gone = pacer.admit({ kind: "create" }, controller.signal);
    void send("behind", { kind: "create" });
    await turns(2);
    budget.free = 1;
    controller.abort("enough");
    await expect(gone).rejects.toBe("enough");
    await turns(2);
    expect(left).toEqual([["behind", 0]]);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  });

  test("that has left listens to its caller no more", async () => {
    const { send, clock, left } = createQueue();
    const { signal } = new AbortController();
    await send("a", { kind: "create" }, signal);
    await send("b", { kind: "read", taskId: "t", notBefore: START + 9000, notAfter: START + 5000 }, signal);
    expect(left.map(([name]) => name)).toEqual(["a", "b is late"]);
    expect(clock.elapsed()).toBe(5000);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  test.each([
    [6999, false],
    [7000, true],
  ])("that stands a hold of %i ms stays while one of 7 s begins: %s", async (maxHoldMs, stays) => {
    const { budget, pacer, clock } = createQueue({ skips: false });
    budget.heldUntil = START + 7000;
    budget.free = 0;
    const settled: boolean[] = [];
    void pacer.admit({ kind: "create", maxHoldMs }).then((admitted) => settled.push(admitted));
    await turns(2);
    expect(settled).toEqual(stays ? [] : [false]);
    await clock.advance(1);
  });

  test("that does not stand a hold that begins is given up with the answer that tells of it, and by no other", async () => {
    const { budget, pacer, send, left } = createQueue({ skips: false });
    budget.free = 0;
    void send("short", { kind: "create", maxHoldMs: 1000 });
    void send("poll", { kind: "poll", taskId: "t", maxHoldMs: 1000 });
    void send("long", { kind: "create" });
    budget.heldUntil = START + 7000;
    pacer.report({ sentAt: START, remaining: 3, heldForMs: null });
    await turns(2);
    expect(left).toEqual([]);
    pacer.report({ sentAt: START, remaining: null, heldForMs: 7000 });
    await turns(2);
    expect(left.map(([name]) => name).sort()).toEqual(["poll is late", "short is late"]);
    budget.free = 9;
    pacer.advance();
    await turns(2);
    expect(left.map(([name]) => name)).toContain("long");
  });
});

test("aborted requests are released while another one still waits", async () => {
  const { budget, pacer } = createQueue({ skips: false });
  budget.free = 0;
  void pacer.admit({ kind: "read", taskId: "first" });
  const aborted: WeakRef<object>[] = [];
  for (let index = 0; index < 1000; index++) {
    const controller = new AbortController();
    const onDelayed = () => void index;
    aborted.push(new WeakRef(onDelayed));
    const admission = pacer.admit({ kind: "read", taskId: String(index), onDelayed }, controller.signal);
    controller.abort("enough");
    await expect(admission).rejects.toBe("enough");
  }
  await collectGarbage();
  expect(aborted.filter((request) => request.deref() !== undefined).length).toBeLessThan(200);
  // Until here the pacer itself is referenced.
  expect(pacer.rateLimit().limit).toBe(9);
});

describe("who goes ahead", () => {
  test("polls, where creates and reads have had their share; those leave room for all that wait", async () => {
    const { budget, send, left, asked, pacer } = createQueue({ skips: false });
    budget.free = 0;
    budget.share = false;
    const names = ["create", "read", "poll 1", "poll 2"];
    for (const name of names) void send(name, { kind: name.split(" ")[0] as "poll" });
    void send("later", { kind: "poll", taskId: "t", notBefore: START + 60_000 });
    await turns(2);
    asked.left.length = 0;
    budget.free = 4;
    pacer.advance();
    await turns(2);
    expect(left.map(([name]) => name)).toEqual(["poll 1", "poll 2", "create"]);
    // One poll is still to come.
    expect(asked.left).toContainEqual([0, 1]);
    expect(asked.left).toContainEqual([1, 1]);
  });

  test("nobody of polls that were given up or have left", async () => {
    const { budget, send, asked, pacer, clock } = createQueue({ skips: false });
    budget.share = false;
    void send("left", { kind: "poll" });
    void send("late", { kind: "poll", taskId: "t", notBefore: START + 9000, notAfter: START + 1000 });
    await clock.advance(1000);
    asked.left.length = 0;
    void send("create", { kind: "create" });
    await turns(2);
    expect(asked.left).toContainEqual([0, 0]);
    pacer.advance();
  });
});

describe("the second between two reads of a task", () => {
  test("counts for what waits for its turn together, too", async () => {
    const { budget, send, left, pacer, clock } = createQueue({ skips: false });
    budget.free = 0;
    for (const name of ["a", "b", "c"]) void send(name, { kind: "read", taskId: "t" });
    void send("other", { kind: "read", taskId: "u" });
    await turns(2);
    budget.free = 9;
    pacer.advance();
    await clock.advance(2000);
    expect(left).toEqual([
      ["a", 0],
      ["other", 0],
      ["b", 1000],
      ["c", 2000],
    ]);
  });
});

describe("the timer", () => {
  test("is one for all, and is set anew only where somebody's time comes sooner", async () => {
    const { send, clock } = createQueue({ skips: false });
    for (const after of [5000, 9000, 7000, 3000, 4000]) {
      void send("", { kind: "read", taskId: String(after), notBefore: START + after });
    }
    await turns(2);
    expect(clock.sleeps.map(({ ms }) => ms)).toEqual([5000, 3000]);
    await clock.advance(3000);
    expect(clock.sleeps.at(-1)).toEqual({ at: START + 3000, ms: 1000 });
  });

  test("is set for whoever is given up, and for the price of polls", async () => {
    const { send, clock, budget } = createQueue({ skips: false });
    budget.free = 0;
    void send("", { kind: "create", notAfter: START + 8000 });
    await turns(2);
    expect(clock.sleeps.map(({ ms }) => ms)).toEqual([8000]);
    budget.polls = 0;
    budget.until = START + 20_000;
    void send("", { kind: "poll", taskId: "t", notBefore: START + 90_000, task: TASK });
    await turns(2);
    expect(clock.sleeps.at(-1)?.ms).toBe(5000);
  });

  test("is taken back when nobody waits any more", async () => {
    const { pacer, clock } = createQueue({ skips: false });
    const controller = new AbortController();
    const gone = pacer.admit({ kind: "read", taskId: "t", notBefore: START + 5000 }, controller.signal);
    controller.abort("enough");
    await expect(gone).rejects.toBe("enough");
    await clock.advance(6000);
    expect(clock.sleeps).toHaveLength(1);
  });
});

describe("the price of reads", () => {
  /** When it is asked for what there is to spend, while one poll waits for so long. */
  async function pricedAt({ until = 60_000, open = true } = {}) {
    const { budget, asked, send, clock } = createQueue({ skips: false });
    Object.assign(budget, { until: START + until, open, polls: 0, free: 0 });
    void send("", { kind: "poll", taskId: "t", notBefore: START + 1000, task: TASK });
    await clock.advance(30_000);
    return [...new Set(asked.priced)];
  }

  test("is never set before it is known where the window stands", async () => {
    expect(await pricedAt({ open: false })).toEqual([]);
  });

  test("stands for a quarter of what is left of the window, but for 1 s at least and 10 s at most", async () => {
    expect((await pricedAt({ until: 8000 })).slice(0, 8)).toEqual([
      0, 2000, 3500, 4625, 5625, 6625, 7625, 8625,
    ]);
    expect((await pricedAt({ until: 600_000 })).slice(0, 3)).toEqual([0, 10_000, 20_000]);
  });

  test("is set anew when a new window opens, and not before it is over", async () => {
    const { budget, send, clock, pacer, left } = createQueue({ skips: false });
    Object.assign(budget, { polls: 0.5, until: START + 600_000 });
    for (let task = 0; task < 20; task++) {
      void send("", { kind: "poll", taskId: String(task), notBefore: START + 5000, task: TASK });
    }
    await clock.advance(6000);
    budget.polls = 1e9;
    pacer.advance();
    await turns(2);
    expect(left).toEqual([]);
    budget.openedAt = clock.now();
    pacer.advance();
    await turns(2);
    expect(left).toHaveLength(20);
  });

  test("is nobody's concern where no poll waits", async () => {
    const { send, asked, clock } = createQueue({ skips: false });
    void send("", { kind: "read", taskId: "t", notBefore: START + 30_000 });
    void send("", { kind: "poll", taskId: "u" });
    await clock.advance(1);
    asked.priced.length = 0;
    await clock.advance(30_000);
    expect(asked.priced).toEqual([]);
  });
});

describe("on a clock that is set back", () => {
  test("what is known of the limit is told in the clock's own time", async () => {
    const { pacer, clock } = createQueue();
    expect(pacer.rateLimit()).toEqual({
      limit: 9,
      remaining: 8,
      resetAt: START + 60_000,
      heldUntil: START + 7000,
    });
    expect(clock.elapsed()).toBe(0);
    const wall = { now: START };
    const { budget } = createBudget();
    const set = createMemoryPacer(
      { now: () => wall.now, sleep: clock.sleep },
      budget as unknown as PacerWindow,
    );
    wall.now = START - 5000;
    expect(set.rateLimit()).toMatchObject({ resetAt: START + 55_000, heldUntil: START + 2000 });
    budget.state = () => ({ limit: 9, remaining: 8, resetAt: null, heldUntil: null }) as never;
    expect(set.rateLimit()).toMatchObject({ resetAt: null, heldUntil: null });
  });

  test("an answer is to a request that left no later than now", async () => {
    const wall = { now: START };
    const { budget, asked } = createBudget();
    const { sleep } = createTestClock();
    const pacer = createMemoryPacer({ now: () => wall.now, sleep }, budget as unknown as PacerWindow);
    pacer.report({ sentAt: START - 300, remaining: 4, heldForMs: null });
    wall.now = START - 5000;
    pacer.report({ sentAt: START - 300, remaining: 3, heldForMs: null });
    pacer.report({ sentAt: START - 5100, remaining: 3, heldForMs: null });
    expect(asked.settled.map(({ sentAt }) => sentAt - START)).toEqual([-300, 0, -100]);
  });
});
