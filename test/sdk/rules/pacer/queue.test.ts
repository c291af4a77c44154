import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { MemoryPacer } from "../../../../src/rate-limit/memory-pacer.js";
import type { PacedRequest } from "../../../../src/rate-limit/pacer.js";
import { collectGarbage } from "../../../support/collect-garbage.js";
import { createTestClock, START, turns } from "../../../support/test-clock.js";
import { createKey, MINUTE } from "./key.js";

/** A key of which nothing is left in this window, and a way to send requests by name. */
async function createUsedUp() {
  const key = createKey();
  for (const remaining of [119, 0]) await key.request("create", remaining);
  const left: [name: string, at: number][] = [];
  const send = async (name: string, request: PacedRequest, signal?: AbortSignal) => {
    const isAdmitted = await key.pacer.admit(request, signal);
    left.push([isAdmitted ? name : `${name} is late`, key.clock.elapsed()]);
  };
  return { ...key, left, send };
}

describe("a request", () => {
  test("is sent if it is due exactly at `notAfter`, and not if it is due later", async () => {
    const { send, left, clock, request } = await createUsedUp();
    clock.jump(MINUTE);
    await request("create", 119);
    const [notBefore, notAfter] = [clock.now() + 5000, clock.now() + 5000];
    void send("due", { kind: "read", taskId: "a", notBefore, notAfter });
    void send("not due", { kind: "read", taskId: "b", notBefore: notBefore + 1, notAfter });
    await clock.advance(5000);
    expect(left).toEqual([
      ["due", MINUTE + 5000],
      ["not due is late", MINUTE + 5000],
    ]);
  });

  test("resolves at its own `notAfter`, however many others leave before", async () => {
    const { send, left, clock } = await createUsedUp();
    for (const ms of [900, 300, 600]) void send(`${ms}`, { kind: "create", notAfter: START + ms });
    for (let each = 0; each < 300; each++) void send("", { kind: "poll", notAfter: START + 100 });
    await clock.advance(100);
    expect(left.splice(0)).toHaveLength(300);
    await clock.advance(MINUTE / 2);
    expect(left).toEqual([
      ["300 is late", 300],
      ["600 is late", 600],
      ["900 is late", 900],
    ]);
  });

  test("is not sent after the abort of a signal that it shares, and those after it still expire", async () => {
    const { pacer, request, respond, clock, hold } = createKey();
    await request("create", 119);
    // Beyond their share of the window, creates leave the rest of it to the polls, which are not due yet.
    const sent = Array.from({ length: 99 }, () => pacer.admit({ kind: "create" }));
    await Promise.all(sent);
    for (let remaining = 118; remaining >= 20; remaining--) respond(remaining);
    const shared = new AbortController();
    const polls = Array.from({ length: 40 }, (_, index) => {
      const poll: PacedRequest = { kind: "poll", taskId: `${index}`, notBefore: START + MINUTE / 2 };
      return pacer.admit(poll, shared.signal);
    });
    const creates = Array.from({ length: 30 }, () => pacer.admit({ kind: "create" }, shared.signal));
    const ended = Promise.allSettled([...polls, ...creates]);
    shared.abort("enough");
    const reasons = (await ended).map((each) => (each.status === "rejected" ? each.reason : each.value));
    expect(new Set(reasons)).toEqual(new Set(["enough"]));
    expect(pacer.rateLimit().remaining).toBe(20);

    await pacer.admit({ kind: "create" });
    hold(10 * MINUTE);
    let isAdmitted: boolean | null = null;
    void pacer.admit({ kind: "poll", taskId: "late", notAfter: START + 1000 }).then((value) => {
      isAdmitted = value;
    });
    await clock.advance(1000);
    expect(isAdmitted).toBe(false);
  });

  test("leaves the queue on an abort, so that the next one is sent, and removes its listener", async () => {
    const { send, left, clock, hold, pacer } = await createUsedUp();
    clock.jump(MINUTE);
    for (let probe = 0; probe < 4; probe++) void pacer.admit({ kind: "create" });
    const controller = new AbortController();
    const first = pacer.admit({ kind: "create" }, controller.signal);
    expect(await first).toBe(true);
    const gone = pacer.admit({ kind: "create", notBefore: clock.now() }, controller.signal);
    void send("behind", { kind: "create" });
    controller.abort("enough");
    await expect(gone).rejects.toBe("enough");
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
    hold(1000);
    await clock.advance(1000);
    expect(left).toEqual([["behind", MINUTE + 1000]]);
  });

  test("removes its abort listener after it was sent or was late", async () => {
    const { send, clock, left } = await createUsedUp();
    const { signal } = new AbortController();
    void send("late", { kind: "read", notAfter: START + 5000 }, signal);
    void send("sent", { kind: "create" }, signal);
    await clock.advance(MINUTE);
    expect(left.map(([name]) => name)).toEqual(["late is late", "sent"]);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  test("is garbage-collected after its abort, while others wait", async () => {
    const { pacer, clock } = await createUsedUp();
    void pacer.admit({ kind: "read", taskId: "first", notAfter: START + MINUTE });
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
    await clock.advance(2 * MINUTE);
  });
});

describe("the order", () => {
  test("of requests of one rank is that in which they are due, and then that in which they came", async () => {
    const { send, left, clock, respond } = await createUsedUp();
    const due = [3000, 1000, 2000, 1000, 3000, 0, 2000];
    for (const [index, ms] of due.entries()) void send(`${index}`, { kind: "read", notBefore: START + ms });
    await clock.advance(MINUTE);
    expect(left).toHaveLength(5);
    respond(115);
    await turns(1);
    expect(left.map(([name]) => Number(name))).toEqual([5, 1, 3, 2, 6, 0, 4]);
  });

  test("of reads of one task is kept when they are sent a second apart", async () => {
    const { pacer, clock, request } = createKey();
    await request("create", 119);
    const left: [name: string, at: number][] = [];
    for (const name of ["a", "b", "c"])
      void pacer.admit({ kind: "read", taskId: "t" }).then(() => {
        left.push([name, clock.elapsed()]);
        pacer.report({ taskId: "t", sentAt: clock.now(), remaining: null, heldForMs: null });
      });
    void pacer.admit({ kind: "read", taskId: "u" }).then(() => left.push(["other", clock.elapsed()]));
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
    const { pacer, clock, request } = createKey();
    await request("create", 119);
    for (const after of [5000, 9000, 7000, 3000, 4000])
      void pacer.admit({ kind: "read", taskId: String(after), notBefore: START + after });
    await turns(2);
    expect(clock.sleeps.map(({ ms }) => ms)).toEqual([5000, 3000]);
    await clock.advance(3000);
    expect(clock.sleeps.at(-1)).toEqual({ at: START + 3000, ms: 1000 });
    await clock.advance(6000);
  });

  test("is set for `notAfter`, and canceled when the queue is empty", async () => {
    const { pacer, clock } = await createUsedUp();
    const controller = new AbortController();
    const gone = pacer.admit({ kind: "create", notAfter: START + 8000 }, controller.signal);
    await turns(1);
    expect(clock.sleeps).toEqual([{ at: START, ms: 8000 }]);
    controller.abort("enough");
    await expect(gone).rejects.toBe("enough");
    await clock.advance(MINUTE);
    expect(clock.sleeps).toHaveLength(1);
  });

  test.each([
    [8000, [2000, 1500, 1125, 1000, 1000]],
    [MINUTE, [10_000, 10_000, 10_000, 7500, 5625]],
  ])(
    "is set for the next plan of polls: after a quarter of the %i ms that are left",
    async (leftMs, planned) => {
      const { pacer, clock, send, respond, endsAt } = createKey();
      await send("create", 1);
      respond(2);
      clock.jump((endsAt() ?? 0) - leftMs);
      const leaving = new AbortController();
      const now = clock.now();
      const task = { model: "m", type: "t", submittedAt: now, unfinishedAt: now };
      for (let each = 0; each < 5; each++)
        pacer.admit({ kind: "poll", notBefore: now, dueBy: now + 1, task }, leaving.signal).catch(() => {});
      await clock.advance(leftMs - 1000);
      leaving.abort();
      expect(clock.sleeps.map(({ ms }) => ms).slice(0, 5)).toEqual(planned);
    },
  );
});

describe("`onDelayed`", () => {
  const listen = () => {
    const reported: number[] = [];
    const onDelayed = (until: number) => void reported.push(until - START);
    return { reported, onDelayed };
  };

  test("is called at once with the end of the window, and again when that changes by a second or more", async () => {
    const { pacer, clock, hold, send, respond } = createKey();
    await send("create", 4);
    const [now, later] = [listen(), listen()];
    for (const remaining of [119, 0]) respond(remaining);
    void pacer.admit({ kind: "create", onDelayed: now.onDelayed });
    void pacer.admit({ kind: "create", onDelayed: later.onDelayed, notBefore: START + 1 });
    expect([now.reported, later.reported]).toEqual([[MINUTE], []]);
    clock.jump(10);
    hold(MINUTE + 989);
    expect([now.reported, later.reported]).toEqual([[MINUTE], []]);
    hold(MINUTE + 990);
    expect([now.reported, later.reported]).toEqual([[MINUTE, MINUTE + 1000], [MINUTE + 1000]]);
    await clock.advance(2 * MINUTE);
  });

  test.each([
    [MINUTE - 1000, [MINUTE]],
    [MINUTE - 999, []],
  ])("is called for a delay of a second or more: after %i ms of the window", async (passedMs, expected) => {
    const { pacer, clock } = await createUsedUp();
    clock.jump(passedMs);
    const { reported, onDelayed } = listen();
    void pacer.admit({ kind: "create", onDelayed });
    expect(reported).toEqual(expected);
    await clock.advance(MINUTE);
  });

  test("is called when the window shows the delay of requests that wait for a first response", async () => {
    const { pacer, clock, send, respond } = createKey();
    await send("create", 5);
    const { reported, onDelayed } = listen();
    void pacer.admit({ kind: "create", onDelayed });
    const poll = listen();
    void pacer.admit({ kind: "poll", ...poll });
    expect(reported).toEqual([]);
    for (const remaining of [4, 3, 2, 1, 0]) respond(remaining);
    expect(reported).toEqual([MINUTE]);
    expect(poll.reported).toEqual([]);
    await clock.advance(MINUTE + 2000);
  });
});

test("`rateLimit()` and `onDelayed` have the times of a clock that was set back", async () => {
  const clock = createTestClock({ skips: false });
  let setBackMs = 0;
  const now = () => clock.now() - setBackMs;
  const pacer = new MemoryPacer({ now, sleep: clock.sleep });
  for (let sent = 0; sent < 2; sent++) await pacer.admit({ kind: "create" });
  pacer.report({ sentAt: START, remaining: 1, heldForMs: null });
  setBackMs = 5000;
  expect(pacer.rateLimit()).toMatchObject({ resetAt: START + MINUTE - 5000, heldUntil: null });
  pacer.report({ sentAt: START, remaining: null, heldForMs: 7000 });
  expect(pacer.rateLimit()).toMatchObject({ resetAt: null, heldUntil: START + 2000 });
  const reported = new Set<number>();
  void pacer.admit({ kind: "create", onDelayed: (until) => reported.add(until) });
  expect([...reported]).toEqual([START + 2000]);
  await clock.advance(7000);
});

describe("a delay", () => {
  test("is reported to each request that waits, also to one that comes later, and to none that is not due", async () => {
    const { pacer, clock } = await createUsedUp();
    const delayed = new Set<string>();
    const leaving = new AbortController();
    const wait = (name: string, request: Partial<PacedRequest> = {}) => {
      const onDelayed = (until: number) => void delayed.add(`${name} until ${until - START}`);
      void pacer.admit({ kind: "create", onDelayed, ...request }, leaving.signal).catch(() => {});
    };
    wait("first");
    await clock.advance(5000);
    wait("second");
    wait("poll that is not due", { kind: "poll", taskId: "a", notBefore: START + 6000 });
    wait("read", { kind: "read", taskId: "b" });
    await clock.advance(10);
    expect([...delayed]).toEqual(["first until 60000", "second until 60000", "read until 60000"]);
    leaving.abort();
    await turns(1);
  });

  test("is not reported if it is shorter than a second, or if the request is sent at once", async () => {
    const { pacer, clock, request } = await createUsedUp();
    const failIfDelayed = () => expect.fail("It was not delayed");
    clock.jump(MINUTE - 999);
    const soon = pacer.admit({ kind: "create", onDelayed: failIfDelayed });
    await clock.advance(1000);
    await soon;
    pacer.report({ sentAt: clock.now(), remaining: 119, heldForMs: null });
    await pacer.admit({ kind: "create", onDelayed: failIfDelayed });
    await request("create", 100);
  });
});
