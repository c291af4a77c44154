import { expect, test } from "vitest";
import { MemoryPacer } from "../../../src/rate-limit/memory-pacer.js";
import type { PacedRequest, Pacer, RateLimitReport } from "../../../src/rate-limit/pacer.js";
import { createTestClock, START, turns } from "../../support/test-clock.js";
import { watchUnhandledRejections } from "../../support/unhandled.js";

// Limits: 120 requests per 60 seconds per API key, and at most one poll per second for one task.

const HOUR = 3_600_000;

function createPaced() {
  const clock = createTestClock();
  const pacer = new MemoryPacer(clock);
  const left: [name: string, at: number][] = [];

  const report = (answer: Partial<RateLimitReport>) =>
    pacer.report({ sentAt: clock.now(), remaining: null, heldForMs: null, ...answer });

  /** Sends a request once it is admitted, and reports its response at once. */
  const send = async (name: string, request: PacedRequest, answer: Partial<RateLimitReport> = {}) => {
    const admitted = await pacer.admit(request);
    left.push([admitted ? name : `${name} is late`, clock.elapsed()]);
    if (admitted) report({ taskId: request.taskId, ...answer });
  };
  return { clock, pacer, left, report, send };
}

const repeat = (count: number, name: string, send: (name: string) => Promise<void>) =>
  Array.from({ length: count }, (_, index) => send(`${name}${index}`));

test("the first 120 requests are sent at once, and the others in order in the next windows", async () => {
  const { send, left } = createPaced();
  await Promise.all(repeat(250, "", (name) => send(name, { kind: "account" })));
  expect(left.map(([name]) => Number(name))).toEqual(Array.from({ length: 250 }, (_, index) => index));
  expect(left.map(([, at]) => at)).toEqual([
    ...Array(120).fill(0),
    ...Array(120).fill(60_000),
    ...Array(10).fill(120_000),
  ]);
});

test("a new window admits creates and account reads first, then reads, then polls", async () => {
  const { pacer, report, send, left } = createPaced();
  await pacer.admit({ kind: "account" });
  report({ remaining: 0, heldForMs: null });
  await Promise.all([
    send("poll", { kind: "poll", taskId: "t" }),
    send("read", { kind: "read", taskId: "u" }),
    send("create", { kind: "create" }),
    send("account", { kind: "account" }),
  ]);
  expect(left.map(([name]) => name)).toEqual(["create", "account", "read", "poll"]);
});

test("neither a shorter 429 nor a late response with remaining requests ends a longer hold", async () => {
  const { pacer, report, send, left } = createPaced();
  for (let sent = 0; sent < 3; sent++) await pacer.admit({ kind: "account" });
  report({ remaining: null, heldForMs: 30_000 });
  report({ remaining: null, heldForMs: 2000 });
  report({ remaining: 50, heldForMs: null });
  await send("create", { kind: "create" });
  expect(left).toEqual([["create", 30_000]]);
});

test("the second between two reads of a task starts at the first one's response", async () => {
  const { clock, pacer, report, send, left } = createPaced();
  await pacer.admit({ kind: "read", taskId: "a" });
  const next = send("next", { kind: "read", taskId: "a" });
  await clock.sleep(400);
  report({ taskId: "a", remaining: null, heldForMs: null });
  await next;
  expect(left).toEqual([["next", 1400]]);
});

test.each([
  [1001, 2001],
  [1999, 2999],
  [2001, 2000],
])(
  "if the response to a read comes after %i ms, the next read of the task is sent after %i ms",
  async (responseAt, nextAt) => {
    const { clock, pacer, report, send, left } = createPaced();
    await pacer.admit({ kind: "read", taskId: "a" });
    void send("other", { kind: "read", taskId: "b" });
    const next = send("next", { kind: "poll", taskId: "a" });
    await clock.sleep(responseAt);
    report({ taskId: "a", remaining: null, heldForMs: null });
    await next;
    expect(left).toEqual([
      ["other", 0],
      ["next", nextAt],
    ]);
  },
);

test("an abort removes its request from the queue and leaves the others there", async () => {
  const { pacer, report, send, left } = createPaced();
  await pacer.admit({ kind: "account" });
  report({ remaining: null, heldForMs: 1000 });
  const controller = new AbortController();
  const aborted = pacer.admit({ kind: "create" }, controller.signal);
  const behind = send("behind", { kind: "create" });
  controller.abort("enough");
  await expect(aborted).rejects.toBe("enough");
  await behind;
  expect(left).toEqual([["behind", 1000]]);
  await expect(pacer.admit({ kind: "create" }, AbortSignal.abort("before"))).rejects.toBe("before");
});

test("a pacer with an empty queue sets no timer", async () => {
  const { clock, send } = createPaced();
  await send("a", { kind: "account" });
  await turns(3);
  expect(clock.sleeps).toEqual([]);
});

test("while the budget suffices, the only timer is for the next poll", async () => {
  const { clock, pacer, report } = createPaced();
  await pacer.admit({ kind: "create" });
  report({ remaining: 119 });
  const task = { model: "provider_a", type: "music", submittedAt: START, unfinishedAt: START };
  await pacer.admit({ kind: "poll", taskId: "t", notBefore: START + 50_000, notAfter: START + HOUR, task });
  expect(clock.sleeps).toEqual([{ at: START, ms: 50_000 }]);
});

test("a clock whose `sleep` returns without advancing its time does not hang the pacer", async () => {
  const sleeps: number[] = [];
  const pacer = new MemoryPacer({ now: () => START, sleep: async (ms) => void sleeps.push(ms) });
  await pacer.admit({ kind: "poll", taskId: "t", notBefore: START + 5000 });
  expect(sleeps).toEqual([5000]);
  pacer.report({ sentAt: START, remaining: null, heldForMs: 9000 });
  await pacer.admit({ kind: "create" });
  expect(sleeps.length).toBeLessThan(5);
});

test.each([
  ["back", -3 * HOUR],
  ["forward", 3 * HOUR],
])("a clock that is set %s by hours stalls no hold, window, read or poll", async (_, jumpMs) => {
  const cases: ((pacer: Pacer) => Promise<PacedRequest>)[] = [
    async (pacer) => {
      await pacer.admit({ kind: "account" });
      pacer.report({ sentAt: START, remaining: null, heldForMs: 30_000 });
      return { kind: "create" };
    },
    async (pacer) => {
      await pacer.admit({ kind: "account" });
      pacer.report({ sentAt: START, remaining: 0, heldForMs: null });
      return { kind: "create" };
    },
    async (pacer) => {
      await pacer.admit({ kind: "read", taskId: "t" });
      pacer.report({ sentAt: START, taskId: "t", remaining: null, heldForMs: null });
      return { kind: "read", taskId: "t" };
    },
    async () => {
      const task = { model: "provider_a", type: "music", submittedAt: START, unfinishedAt: START };
      return { kind: "poll", taskId: "t", notBefore: START + 5000, task };
    },
  ];
  for (const begin of cases) {
    // Sleeping advances this clock; `setBy` simulates a change of the system time.
    const clock = { slept: 0, setBy: 0 };
    const pacer = new MemoryPacer({
      now: () => START + clock.slept + clock.setBy,
      sleep: async (ms) => {
        clock.slept += ms;
      },
    });
    const request = await begin(pacer);
    const before = request.kind === "poll" ? pacer.admit(request) : undefined;
    clock.setBy = jumpMs;
    await (before ?? pacer.admit(request));
    expect(clock.slept).toBeLessThanOrEqual(61_000);
  }
});

test("a poll that is queued after the clock is set back waits at most one window", async () => {
  const clock = { slept: 0, setBy: 0 };
  const now = () => START + clock.slept + clock.setBy;
  const sleep = async (ms: number) => {
    clock.slept += ms;
  };
  const pacer = new MemoryPacer({ now, sleep });
  await pacer.admit({ kind: "account" });
  pacer.report({ sentAt: now(), remaining: 119, heldForMs: null });
  clock.setBy = -3 * HOUR;
  // The task still has times from before the change.
  const task = { model: "provider_a", type: "music", submittedAt: START, unfinishedAt: START };
  await pacer.admit({ kind: "poll", taskId: "t", notBefore: now() + 5000, task });
  expect(clock.slept).toBeLessThanOrEqual(60_000);
});

test("a `sleep` that throws synchronously rejects the requests that are already queued", async () => {
  const end = new Error("time is over");
  let sleeps = 0;
  const sleep = () => {
    if (++sleeps > 1) throw end;
    return Promise.resolve();
  };
  const pacer = new MemoryPacer({ now: () => START, sleep });
  const first = pacer.admit({ kind: "poll", notBefore: START + 5000 });
  const second = pacer.admit({ kind: "poll", notBefore: START + 9000 });
  await expect(first).resolves.toBe(true);
  await expect(second).rejects.toBe(end);
});

test("a `sleep` that rejects fails all queued and later requests with its error", async () => {
  const end = new Error("the emulator is disposed");
  const pacer = new MemoryPacer({ now: () => START, sleep: () => Promise.reject(end) });
  await pacer.admit({ kind: "account" });
  pacer.report({ sentAt: START, remaining: 0, heldForMs: null });
  const kinds = ["create", "account", "read", "poll"] as const;
  const waiting = kinds.map((kind) => pacer.admit({ kind, notAfter: START + HOUR }));
  for (const each of waiting) await expect(each).rejects.toBe(end);
  await expect(pacer.admit({ kind: "poll", notBefore: START + 5000 })).rejects.toBe(end);
});

test("a `now` that throws when a sleep ends fails all queued requests with its error", async () => {
  const unhandled = watchUnhandledRejections();
  const end = new Error("the clock is gone");
  let isGone = false;
  const now = () => {
    if (isGone) throw end;
    return START;
  };
  const sleep = async () => {
    isGone = true;
  };
  const pacer = new MemoryPacer({ now, sleep });
  const polls = [5000, 9000].map((ms) => pacer.admit({ kind: "poll", notBefore: START + ms }));
  for (const each of polls) await expect(each).rejects.toBe(end);
  await turns(3);
  expect(unhandled).not.toHaveBeenCalled();
});

test("of all requests, a poll with a task is in flight for its tenant", async () => {
  const { clock, pacer } = createPaced();
  const inFlight = () => pacer.tenants.get("acme", clock.now()).pollsInFlight(clock.now());
  await pacer.admit({ kind: "create", tenant: "acme" });
  await pacer.admit({ kind: "read", tenant: "acme", taskId: "a" });
  await pacer.admit({ kind: "poll", tenant: "acme" });
  expect(inFlight()).toBe(0);
  await pacer.admit({ kind: "poll", tenant: "acme", taskId: "b" });
  expect(inFlight()).toBe(1);
});

test("a request waits for a hold that is as long as its `maxHoldMs`, also one that was queued before", async () => {
  const { pacer, report, send, left } = createPaced();
  await pacer.admit({ kind: "account" });
  report({ remaining: 0 });
  const queued = send("queued", { kind: "account", maxHoldMs: 90_000 });
  report({ heldForMs: 90_000 });
  await queued;
  expect(left).toEqual([["queued", 90_000]]);
});

test("`onDelayed` is not called for a request that is admitted at once, that is not yet due, or that waits for less than a second", async () => {
  const { pacer, report } = createPaced();
  await pacer.admit({ kind: "account" });
  report({ remaining: 100 });
  let delays = 0;
  const onDelayed = () => void delays++;
  await pacer.admit({ kind: "create", onDelayed });
  await pacer.admit({ kind: "create", onDelayed, notBefore: START + 5000 });
  await pacer.admit({ kind: "poll", taskId: "t", onDelayed, notBefore: START + 9000 });
  for (const heldForMs of [999, 1000]) {
    report({ heldForMs });
    await pacer.admit({ kind: "create", onDelayed });
    expect(delays).toBe(heldForMs === 999 ? 0 : 1);
  }
});

test("an abort while `now` throws rejects all queued requests, and throws nothing", async () => {
  const end = new Error("the clock is gone");
  let isGone = false;
  const now = () => {
    if (isGone) throw end;
    return START;
  };
  const pacer = new MemoryPacer({ now, sleep: () => new Promise(() => {}) });
  const leaving = new AbortController();
  const left = pacer.admit({ kind: "poll", notBefore: START + 5000 }, leaving.signal);
  const other = pacer.admit({ kind: "poll", notBefore: START + 5000 });
  isGone = true;
  leaving.abort("left");
  await expect(left).rejects.toBe("left");
  await expect(other).rejects.toBe(end);
});

test.each(["create", "read", "poll"] as const)(
  "a %s that was not sent leaves the window as it was",
  async (kind) => {
    const { pacer, send, report, left } = createPaced();
    await send("first", { kind: "account" }, { remaining: 119 });
    for (let each = 0; each < 500; each++) {
      await pacer.admit({ kind });
      report({ unsent: kind });
    }
    expect(pacer.rateLimit().remaining).toBe(119);
    left.length = 0;
    await Promise.all(repeat(119, "", (name) => send(name, { kind: "create" })));
    expect(left.every(([, at]) => at === 0)).toBe(true);
  },
);

test("requests that were not sent are given back to the share of their kind", async () => {
  const { pacer, report, send, left } = createPaced();
  await send("first", { kind: "account" }, { remaining: 119 });
  // A quarter of the window, up to which reads come before polls.
  for (let each = 0; each < 30; each++) await pacer.admit({ kind: "read", taskId: `${each}` });
  for (let each = 0; each < 30; each++) report({ taskId: `${each}`, unsent: "read" });
  left.length = 0;
  const notBefore = START + 5000;
  await Promise.all([
    send("poll", { kind: "poll", taskId: "polled", notBefore, dueBy: notBefore }),
    send("read", { kind: "read", taskId: "read", notBefore }),
  ]);
  expect(left).toEqual([
    ["read", 5000],
    ["poll", 5000],
  ]);
});

test("a tenant whose requests were not sent still has its part of the window", async () => {
  const { pacer, report, send, left } = createPaced();
  await send("first", { kind: "account" }, { remaining: 119 });
  for (let each = 0; each < 100; each++) {
    await pacer.admit({ kind: "create", tenant: "one" });
    report({ unsent: "create", tenant: "one" });
  }
  left.length = 0;
  const crowd = repeat(150, "crowd", (name) => send(name, { kind: "create", tenant: "crowd" }));
  await send("one", { kind: "create", tenant: "one" });
  await Promise.all(crowd);
  expect(left.find(([name]) => name === "one")).toEqual(["one", 0]);
});

test("requests of an earlier window that were not sent let no more probes of a new one through", async () => {
  const clock = createTestClock({ skips: false });
  const pacer = new MemoryPacer(clock);
  const report = (stated: Partial<RateLimitReport>) =>
    pacer.report({ sentAt: clock.now(), remaining: null, heldForMs: null, ...stated });
  await pacer.admit({ kind: "account" });
  report({ remaining: 119 });
  const admittedAt = clock.now();
  for (let each = 0; each < 80; each++) await pacer.admit({ kind: "create" });
  await clock.advance(60_500);
  let sent = 0;
  const leaving = new AbortController();
  for (let each = 0; each < 200; each++)
    pacer.admit({ kind: "create" }, leaving.signal).then(
      () => void sent++,
      () => {},
    );
  await clock.advance(1);
  expect(sent).toBe(5);
  for (let each = 0; each < 80; each++) report({ unsent: "create", sentAt: admittedAt });
  await clock.advance(1);
  expect(sent).toBe(5);
  leaving.abort();
  await turns(1);
});

test("a request that was not sent begins no window", async () => {
  const { clock, pacer, send, report, left } = createPaced();
  for (let each = 0; each < 10; each++) {
    await pacer.admit({ kind: "create" });
    report({ unsent: "create" });
  }
  expect(pacer.rateLimit()).toMatchObject({ limit: null, remaining: null, resetAt: null });
  await clock.sleep(30_000);
  await Promise.all(repeat(121, "", (name) => send(name, { kind: "create" })));
  expect(left.filter(([, at]) => at === 30_000)).toHaveLength(120);
  expect(left.at(-1)?.[1]).toBe(90_000);
});

test("a hold rejects queued requests with a shorter `maxHoldMs` at once, and delays the others", async () => {
  const { pacer, report, send, left } = createPaced();
  await pacer.admit({ kind: "account" });
  report({ remaining: 1 });
  await pacer.admit({ kind: "account" });
  const all = Promise.all([
    send("short", { kind: "account", maxHoldMs: 20_000 }),
    send("long", { kind: "account", maxHoldMs: 120_000 }),
    send("poll", { kind: "poll", taskId: "t" }),
  ]);
  report({ heldForMs: 90_000 });
  await all;
  expect(left).toEqual([
    ["short is late", 0],
    ["long", 90_000],
    ["poll", 90_000],
  ]);
});

test.each([
  [29_999, "late is late", 0],
  [30_000, "late", 30_000],
])(
  "during a hold of 30 s, a request that waits for up to %i ms is decided at once",
  async (maxHoldMs, name, at) => {
    const { pacer, report, send, left } = createPaced();
    await pacer.admit({ kind: "account" });
    report({ heldForMs: 30_000 });
    await send("late", { kind: "account", maxHoldMs });
    expect(left).toEqual([[name, at]]);
  },
);

test("a late response from the last window does not shorten the new window", async () => {
  const { pacer, report, clock, send, left } = createPaced();
  for (let sent = 0; sent < 80; sent++) await send("", { kind: "account" }, { remaining: 119 - sent });
  await clock.sleep(59_900);
  const sentAt = clock.now();
  await pacer.admit({ kind: "account" });
  await pacer.admit({ kind: "account" });
  await clock.sleep(200);
  // The service's window ended between the two requests, and their responses arrived in reverse order.
  report({ sentAt, remaining: 119 });
  report({ sentAt, remaining: 39 });
  await clock.sleep(2000);
  left.length = 0;
  for (let sent = 0; sent < 119; sent++) await send("", { kind: "account" }, { remaining: 118 - sent });
  await send("next", { kind: "account" });
  expect(left.slice(0, 119).every(([, at]) => at === 62_100)).toBe(true);
  expect(left.at(-1)?.[1]).toBeGreaterThan(119_000);
});

test("own requests sent just before a window begins are not counted as other clients' requests", async () => {
  const { pacer, report, clock } = createPaced();
  await pacer.admit({ kind: "account" });
  report({ remaining: 119 });
  await clock.sleep(59_999);
  const sentAt = clock.now();
  for (let sent = 0; sent < 5; sent++) await pacer.admit({ kind: "account" });
  await clock.sleep(1);
  await pacer.admit({ kind: "account" });
  await clock.sleep(100);
  for (const remaining of [118, 117, 119, 114, 115]) report({ sentAt, remaining });
  report({ sentAt: sentAt + 1, remaining: 116 });
  expect(pacer.rateLimit().remaining).toBe(114);
});

test("a client that has received only 429s and lost responses continues after the hold", async () => {
  const { clock, pacer, report } = createPaced();
  for (let request = 0; request < 3; request++) await pacer.admit({ kind: "create" });
  report({ heldForMs: 59_000 });
  await clock.sleep(30_000);
  report({});
  report({});
  await pacer.admit({ kind: "create" });
  report({ heldForMs: 59_000 });
  await pacer.admit({ kind: "create" });
  expect(clock.elapsed()).toBe(118_000);
});

test("a copy with another `admit` works as the pacer does", async () => {
  const { pacer, clock } = createPaced();
  const copy: Pacer = { ...pacer, admit: async (request) => pacer.admit(request) };
  await copy.admit({ kind: "create" });
  copy.report({ sentAt: clock.now(), remaining: 7, heldForMs: null });
  copy.learn({ model: "m", type: "t", submittedAt: START, unfinishedAt: START }, true);
  expect(copy.rateLimit()).toMatchObject({ limit: 8, remaining: 7 });
});
