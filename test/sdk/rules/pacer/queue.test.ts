import { getEventListeners } from "node:events";
import { describe, expect, onTestFinished, test } from "vitest";
import { createMemoryPacer } from "../../../../src/rate-limit/memory-pacer.js";
import type { PacedRequest, RateLimitReport } from "../../../../src/rate-limit/pacer.js";
import type { WindowChoice } from "../../../../src/rate-limit/window.js";
import { collectGarbage } from "../../../support/collect-garbage.js";
import { createTestClock, START, turns } from "../../../support/test-clock.js";

// Tests the queue alone, with a budget that the test sets.

/** A budget that admits everything by default and records its calls. */
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

const choiceOf = (budget: ReturnType<typeof createBudget>["budget"]) =>
  Object.assign(budget, { current: budget }) as unknown as WindowChoice;

function createQueue({ skips = true } = {}) {
  const clock = createTestClock({ skips });
  const { budget, asked } = createBudget();
  const pacer = createMemoryPacer(clock, choiceOf(budget));
  const left: [name: string, at: number][] = [];
  // Requests without a signal of their own may stay in the queue until the test has ended.
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const admit = async (request: PacedRequest, signal = leaving.signal) => {
    const admission = pacer.admit(request, signal);
    return admission.catch((reason: unknown) => {
      if (leaving.signal.aborted) return false;
      throw reason;
    });
  };
  const send = async (name: string, request: PacedRequest, signal?: AbortSignal) => {
    const admitted = await admit(request, signal);
    left.push([admitted ? name : `${name} is late`, clock.elapsed()]);
  };
  return { clock, budget, asked, pacer, left, send, admit };
}

const TASK = { model: "provider_a", type: "music", submittedAt: START, unfinishedAt: START };

describe("a request", () => {
  test("is sent at once if the budget allows, and is counted by its rank", async () => {
    const { send, asked } = createQueue();
    for (const kind of ["create", "account", "read", "poll"] as const) await send(kind, { kind });
    expect(asked.spent).toEqual([
      [0, 0],
      [0, 0],
      [0, 1],
      [0, 2],
    ]);
  });

  test("waits until the next change of the budget", async () => {
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

  test("is sent when a shared budget changes", async () => {
    const { budget, pacer, send, left } = createQueue({ skips: false });
    budget.free = 0;
    void send("a", { kind: "create" });
    await turns(2);
    budget.free = 1;
    pacer.advance();
    await turns(2);
    expect(left).toEqual([["a", 0]]);
  });

  test("is sent if it is due exactly at `notAfter`, and not if it is due later", async () => {
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

  test("is not sent after `notAfter`, and uses no budget", async () => {
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

  test("resolves at `notAfter`, however many other requests were sent meanwhile", async () => {
    const { send, left, clock } = createQueue({ skips: false });
    void send("waits", { kind: "read", taskId: "t", notBefore: START + 99_000, notAfter: START + 5000 });
    for (let sent = 0; sent < 300; sent++) await send("", { kind: "create", notAfter: START + 99_000 });
    await clock.advance(5000);
    expect(left).toHaveLength(301);
    expect(left.at(-1)).toEqual(["waits is late", 5000]);
  });

  test("leaves the queue on an abort, so that the next one is sent", async () => {
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

  test("removes its abort listener after it was sent or was late", async () => {
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
  ])("with `maxHoldMs: %i` stays queued during a hold of 7 s: %s", async (maxHoldMs, stays) => {
    const { budget, admit, clock } = createQueue({ skips: false });
    budget.heldUntil = START + 7000;
    budget.free = 0;
    const settled: boolean[] = [];
    void admit({ kind: "create", maxHoldMs }).then((admitted) => settled.push(admitted));
    await turns(2);
    expect(settled).toEqual(stays ? [] : [false]);
    await clock.advance(1);
  });

  test("with a shorter `maxHoldMs` leaves the queue when a 429 is reported", async () => {
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

test("aborted requests are garbage-collected while another one waits", async () => {
  const { budget, pacer, admit } = createQueue({ skips: false });
  budget.free = 0;
  void admit({ kind: "read", taskId: "first" });
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
  // Keeps the pacer referenced until here.
  expect(pacer.rateLimit().limit).toBe(9);
});

describe("priority", () => {
  test("polls go first once creates and reads have used their share", async () => {
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
    // One poll is still queued.
    expect(asked.left).toContainEqual([0, 1]);
    expect(asked.left).toContainEqual([1, 1]);
  });

  test("polls that were sent or were late get no reserve", async () => {
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
  test("also applies to reads that were queued together", async () => {
    const { budget, send, left, pacer, clock } = createQueue({ skips: false });
    budget.free = 0;
    const read = async (name: string) => {
      await send(name, { kind: "read", taskId: "t" });
      pacer.report({ taskId: "t", sentAt: clock.now(), remaining: null, heldForMs: null });
    };
    for (const name of ["a", "b", "c"]) void read(name);
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
  test("is shared, and is set again only for an earlier time", async () => {
    const { send, clock } = createQueue({ skips: false });
    for (const after of [5000, 9000, 7000, 3000, 4000]) {
      void send("", { kind: "read", taskId: String(after), notBefore: START + after });
    }
    await turns(2);
    expect(clock.sleeps.map(({ ms }) => ms)).toEqual([5000, 3000]);
    await clock.advance(3000);
    expect(clock.sleeps.at(-1)).toEqual({ at: START + 3000, ms: 1000 });
  });

  test("is set for `notAfter` and for the next price of polls", async () => {
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

  test("is canceled when the queue is empty", async () => {
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
  /** The times at which the price is computed while one poll waits. */
  async function pricedAt({ until = 60_000, open = true } = {}) {
    const { budget, asked, send, clock } = createQueue({ skips: false });
    Object.assign(budget, { until: START + until, open, polls: 0, free: 0 });
    void send("", { kind: "poll", taskId: "t", notBefore: START + 1000, task: TASK });
    await clock.advance(30_000);
    return [...new Set(asked.priced)];
  }

  test("is not set before the state of the window is known", async () => {
    expect(await pricedAt({ open: false })).toEqual([]);
  });

  test("is kept for a quarter of the window's remaining time, within 1 s and 10 s", async () => {
    expect((await pricedAt({ until: 8000 })).slice(0, 8)).toEqual([
      0, 2000, 3500, 4625, 5625, 6625, 7625, 8625,
    ]);
    expect((await pricedAt({ until: 600_000 })).slice(0, 3)).toEqual([0, 10_000, 20_000]);
  });

  test("is set again only when a new window opens or its time ends", async () => {
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

  test("is not computed while no poll waits", async () => {
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
  test("`rateLimit()` returns times of that clock", async () => {
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
    const set = createMemoryPacer({ now: () => wall.now, sleep: clock.sleep }, choiceOf(budget));
    wall.now = START - 5000;
    expect(set.rateLimit()).toMatchObject({ resetAt: START + 55_000, heldUntil: START + 2000 });
    budget.state = () => ({ limit: 9, remaining: 8, resetAt: null, heldUntil: null }) as never;
    expect(set.rateLimit()).toMatchObject({ resetAt: null, heldUntil: null });
  });

  test("the send time of a reported response is at most the current time", async () => {
    const wall = { now: START };
    const { budget, asked } = createBudget();
    const { sleep } = createTestClock();
    const pacer = createMemoryPacer({ now: () => wall.now, sleep }, choiceOf(budget));
    pacer.report({ sentAt: START - 300, remaining: 4, heldForMs: null });
    wall.now = START - 5000;
    pacer.report({ sentAt: START - 300, remaining: 3, heldForMs: null });
    pacer.report({ sentAt: START - 5100, remaining: 3, heldForMs: null });
    expect(asked.settled.map(({ sentAt }) => sentAt - START)).toEqual([-300, 0, -100]);
  });
});
