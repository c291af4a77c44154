import { describe, expect, test } from "vitest";
import { createKey, createSecondWindow, MINUTE } from "./key.js";

// Limits: by default 120 requests per 60 seconds per API key. Each response states how many remain.

describe("before a response shows the state of a window", () => {
  test.each([
    ["create", 5],
    ["read", 5],
    ["poll", 1],
  ] as const)("only a few of %s are sent, and as many again after each 2 s", async (kind, few) => {
    const { send, at, respond, pacer, remaining } = createKey();
    expect(await send(kind)).toBe(few);
    at(1999);
    expect(await send(kind)).toBe(0);
    at(2000);
    expect(await send(kind)).toBe(few);
    at(6000);
    expect(await send(kind)).toBe(2 * few);
    expect(pacer.rateLimit()).toEqual({ limit: null, remaining: null, resetAt: null, heldUntil: null });
    respond(119);
    expect(remaining()).toBe(119 - (4 * few - 1));
  });

  test("a waiting request is sent after 2 s without a response", async () => {
    const { send, admittedAt } = createKey();
    await send("create");
    expect(await admittedAt("create")).toBe(2000);
  });

  test("a new window is probed again, even if responses of the last one are missing", async () => {
    const { send, at } = await createSecondWindow();
    await send("poll", 60);
    at(MINUTE);
    expect(await send("create")).toBe(5);
  });
});

describe("the remaining requests", () => {
  test("are the lowest stated number minus the in-flight requests, at least zero", async () => {
    const { send, respond, remaining } = createKey();
    await send("create", 4);
    for (const stated of [117, 116, 118]) respond(stated);
    expect(remaining()).toBe(115);
    respond(3);
    await send("create", 3);
    respond(1);
    expect(remaining()).toBe(0);
    expect(await send("create")).toBe(0);
  });

  test("drop by one after a response that does not state them", async () => {
    const { request, remaining, pacer } = createKey();
    await request("create", null);
    expect(pacer.rateLimit()).toMatchObject({ limit: null, remaining: 119 });
    for (const stated of [30, null, null]) await request("create", stated);
    expect(remaining()).toBe(28);
    await request("create", 1);
    await request("create", null);
    expect(remaining()).toBe(0);
  });

  test("are as a later response states them, with or without the requests whose responses did not", async () => {
    const { request, remaining, at } = createKey();
    for (const stated of [30, null, null]) await request("create", stated);
    expect(remaining()).toBe(28);
    at(100);
    await request("create", 29);
    expect(remaining()).toBe(29);
    await request("create", null);
    expect(remaining()).toBe(28);
  });

  test("stay lower after a response to an earlier request than one whose response did not state them", async () => {
    const { send, request, respond, remaining, at } = createKey();
    await send("create", 1);
    at(50);
    for (const stated of [30, null]) await request("create", stated);
    respond(30, 0);
    expect(remaining()).toBe(29);
  });

  test("are unknown once the window ends, 60 s after its first response", async () => {
    const { send, at, respond, remaining, endsAt, pacer } = createKey();
    await send("create", 1);
    at(300);
    respond(59, 0);
    expect([pacer.rateLimit().limit, endsAt()]).toEqual([60, 300 + MINUTE]);
    at(299 + MINUTE);
    expect(remaining()).toBe(59);
    at(300 + MINUTE);
    expect(pacer.rateLimit()).toEqual({ limit: 60, remaining: null, resetAt: null, heldUntil: null });
  });

  test.each([
    ["a few requests sent before the window began are missing", -100, 117, 117],
    ["it states more than the previous window had left", -100, 115, 115],
    ["many requests are missing, as in the previous window", -100, 60, 119],
    ["many requests are missing, and its request was sent in the new window", 50, 60, 60],
  ])("after a late response: %s", async (_, sentMs, stated, expected) => {
    const { send, request, respond, remaining, at } = await createSecondWindow();
    await request("poll", 118, 7);
    if (sentMs < 0) at(MINUTE + sentMs);
    await send("poll", 1);
    at(MINUTE);
    await request("poll", 119);
    at(MINUTE + 100);
    respond(stated, 2 * MINUTE + sentMs);
    expect(remaining()).toBe(expected);
  });

  test("include responses that arrive before the first one of a new window", async () => {
    const { respond, send, at, remaining } = await createSecondWindow();
    at(MINUTE - 1);
    await send("poll", 3);
    at(MINUTE);
    await send("create", 1);
    at(MINUTE + 100);
    for (const stated of [117, 117, 50]) respond(stated, 2 * MINUTE - 1);
    respond(118, 2 * MINUTE);
    // 50 belongs to the previous window.
    expect(remaining()).toBe(117);
  });

  test("do not rise by a response to an earlier request than the one that was stated last", async () => {
    const { send, respond, at, remaining } = createKey();
    await send("create", 3);
    at(100);
    respond(117, 0);
    at(200);
    respond(118, 100);
    expect(remaining()).toBe(116);
  });
});

describe("the shares of a window", () => {
  test.each([
    ["create", 54],
    ["read", 30],
  ] as const)("give %s priority over polls up to its share of %i", async (kind, share) => {
    const { clock, pacer } = await createSecondWindow();
    const order: string[] = [];
    const controller = new AbortController();
    const old = { model: "m", type: "t", submittedAt: 0, unfinishedAt: clock.now() };
    for (let each = 0; each < 100; each++)
      for (const [name, request] of [
        ["poll", { kind: "poll", notBefore: clock.now() + 1000, dueBy: clock.now() + 1000, task: old }],
        [kind, { kind, notBefore: clock.now() + 1000 }],
      ] as const)
        pacer.admit(request, controller.signal).then(
          () => order.push(name),
          () => {},
        );
    await clock.advance(1000);
    controller.abort();
    expect(order.indexOf("poll")).toBe(share);
  });

  test.each([
    [0, 119],
    [10, 109],
    [66, 54],
    [200, 54],
  ])(
    "while %i polls wait, creates beyond their share leave them as many requests: %i are sent",
    async (waiting, sent) => {
      const { clock, pacer, send } = await createSecondWindow();
      const controller = new AbortController();
      for (let each = 0; each < waiting; each++)
        pacer.admit({ kind: "poll", notBefore: clock.now() + MINUTE / 2 }, controller.signal).catch(() => {});
      expect(await send("create")).toBe(sent);
      controller.abort();
    },
  );

  test("reserve a tenth for creates, and release it to polls evenly", async () => {
    const { send, at, admittedAt } = await createSecondWindow();
    expect(await send("poll")).toBe(107);
    at(29_000);
    expect(await send("poll")).toBe(6);
    at(59_000);
    expect(await send("poll")).toBe(6);
    expect(await admittedAt("poll")).toBe(2 * MINUTE);
  });

  test("release the reserve in steps, and no sooner than 50 ms after each other", async () => {
    const { send, at, admittedAt, start } = await createSecondWindow();
    await send("poll");
    expect(await admittedAt("poll")).toBeCloseTo(start + MINUTE / 13, -1);
    at(59_990);
    await send("poll");
    expect(await admittedAt("poll")).toBe(start + 59_990 + 50);
  });

  test.each([
    [16, 16 + 4],
    [30, 54 - 30],
    [60, 0],
  ])("after %i creates, polls leave %i requests for later creates", async (creates, reserved) => {
    const { send, request } = await createSecondWindow();
    await request("create", 118, creates);
    expect(await send("poll")).toBe(119 - creates - reserved);
  });

  test("reserve nothing for creates that were not sent", async () => {
    const { send, pacer, clock } = await createSecondWindow();
    await send("create", 60);
    for (let each = 0; each < 60; each++)
      pacer.report({ sentAt: clock.now(), remaining: null, heldForMs: null, unsent: "create" });
    expect(await send("poll")).toBe(107);
  });

  test("begin anew in each window", async () => {
    const { send, request, at } = await createSecondWindow();
    await request("create", 118, 60);
    at(5 * MINUTE);
    await request("poll", 119);
    expect(await send("poll")).toBeGreaterThan(100);
    expect(await send("poll")).toBe(0);
  });
});

describe("the length of a window", () => {
  test.each([
    [30_000, 30_000],
    [56_999, 56_999],
    [57_000, MINUTE],
    [2000, MINUTE],
    [2001, 2001],
  ])("is learned when a new window begins early: after %i ms it is %i ms", async (passedMs, windowMs) => {
    const { request, at, remaining, endsAt, start } = await createSecondWindow();
    at(passedMs);
    await request("create", 119);
    expect([remaining(), endsAt()]).toEqual([119, start + passedMs + windowMs]);
  });

  test("is measured from the last response before a window that another client opened", async () => {
    const { request, at, endsAt, start } = await createSecondWindow();
    at(40_000);
    await request("create", 118, 59);
    at(70_000);
    await request("create", 80);
    at(90_000);
    await request("create", 119);
    expect(endsAt()).toBe(start + 90_000 + 50_000);
  });

  test("is estimated a quarter longer if the window continues after its expected end", async () => {
    const { request, at, remaining, endsAt } = createKey();
    for (let sent = 0; sent < 30; sent++) {
      at(sent * 100);
      await request("create", 119 - sent);
    }
    at(61_000);
    await request("create", 89);
    expect([remaining(), endsAt()]).toEqual([89, 1.25 * 61_000]);
    at(62_000);
    await request("create", 88);
    at(80_000);
    await request("poll", 119);
    expect([remaining(), endsAt()]).toEqual([119, 80_000 + 1.25 * 61_000]);
  });

  test.each([
    [2 * MINUTE - 1, 1.25 * (2 * MINUTE - 1)],
    [2 * MINUTE, 3 * MINUTE],
  ])("ends at the latest after twice its expected length: a response after %i ms", async (passedMs, ends) => {
    const { request, at, endsAt } = createKey();
    await request("create", 119, 30);
    at(passedMs);
    await request("create", 80);
    expect(endsAt()).toBe(ends);
  });
});

describe("the limit", () => {
  test("is learned from the first response, and raised by later windows", async () => {
    const { pacer, send, respond, at, request } = createKey();
    await send("create", 3);
    at(100);
    for (const stated of [57, 58, 59]) respond(stated, 0);
    expect(pacer.rateLimit()).toMatchObject({ limit: 60, remaining: 57 });
    at(MINUTE + 100);
    await request("create", 299);
    expect(pacer.rateLimit()).toMatchObject({ limit: 300, remaining: 299 });
  });

  test.each([
    [10, 120],
    [11, 60],
  ])(
    "is kept for ten windows without a response that shows it: after %i it is %i",
    async (windows, limit) => {
      const { pacer, request, at } = await createSecondWindow();
      for (let next = 1; next <= windows; next++) {
        at(next * MINUTE);
        if (next > 1) await request("create", 59);
      }
      expect(pacer.rateLimit().limit).toBe(limit);
    },
  );
});

describe("a 429", () => {
  test("delays all requests for the stated time, then a new window is probed", async () => {
    const { pacer, clock, send, hold, at, request, admittedAt } = createKey();
    await request("create", 119);
    at(1000);
    await send("create", 1);
    hold(7000);
    expect(pacer.rateLimit()).toMatchObject({
      remaining: null,
      resetAt: null,
      heldUntil: clock.now() + 7000,
    });
    at(7999);
    expect(await send("create")).toBe(0);
    expect(await admittedAt("create")).toBe(8000);
    expect(pacer.rateLimit().heldUntil).toBeNull();
    expect(await send("create")).toBe(4);
  });

  test("does not shorten an earlier hold", async () => {
    const { pacer, clock, send, hold, at } = createKey();
    await send("create", 2);
    hold(9000);
    const heldUntil = clock.now() + 9000;
    at(1000);
    hold(2000);
    expect(pacer.rateLimit().heldUntil).toBe(heldUntil);
  });

  test.each([
    [MINUTE + 1000, MINUTE],
    [MINUTE + 1001, MINUTE + 1001],
    [10 * MINUTE, 10 * MINUTE],
    [10 * MINUTE + 1000, MINUTE],
  ])("that ends %i ms after the window opened shows windows of %i ms", async (endsMs, windowMs) => {
    const { send, hold, request, at, endsAt } = createKey();
    await request("create", 119);
    at(50_000);
    await send("create", 2);
    hold(endsMs - 50_000);
    at(50_500);
    hold(endsMs - 50_000);
    at(endsMs + 1000);
    await request("create", 119);
    expect(endsAt()).toBe(endsMs + 1000 + windowMs);
  });
});

describe("other programs with the same key", () => {
  test("are assumed during the first window: polls are sent in batches of a quarter", async () => {
    const { send, respond, request, at } = createKey();
    await request("create", 119);
    at(1499);
    expect(await send("poll")).toBe(27);
    for (let came = 1; came <= 27; came++) respond(119 - came);
    expect(await send("poll")).toBe(20);
    // Creates do not wait for a batch.
    expect(await send("create")).toBe(72);
  });

  test("limit polls to one at a time while the last response is older than 1.5 s", async () => {
    const { send, respond, request, at, start } = await createSecondWindow({ others: 3 });
    await request("poll", 118);
    const sentPolls: number[] = [];
    for (const ms of [1500, 3499, 3500]) {
      at(ms);
      sentPolls.push(await send("poll"));
    }
    respond(110, start + 1500);
    sentPolls.push(await send("poll"));
    respond(109, start + 3500);
    expect(sentPolls).toEqual([1, 0, 1, 0]);
    expect(await send("poll")).toBeGreaterThan(10);
  });

  test("get a reserve for what they sent in the last window, with a margin", async () => {
    const { send, respond } = await createSecondWindow({ others: 3 });
    let polls = 0;
    for (let sent = await send("poll", 1); sent > 0; sent = await send("poll", 1)) respond(119 - ++polls);
    // 27 requests in 54 s.
    expect(polls).toBe(119 - 12 - Math.floor(1 + 30 + Math.sqrt(30)));
  });

  test.each([
    [[118], 15],
    [[118 - 54], 45],
    [[0], 60],
    [[118, 118, 118, 118], 1.875],
    [[118, 118, 118, 118, 118], 0],
  ])(
    "are expected to send their average, at most half: after windows that ended with %j left, %f",
    async (lasts, others) => {
      const { send, respond, request, at } = await createSecondWindow({ others: 3 });
      for (const [index, last] of lasts.entries()) {
        at(index * MINUTE + 54_000);
        await request("poll", last);
        at((index + 1) * MINUTE);
        await request("poll", 119);
      }
      let polls = 0;
      for (let sent = await send("poll", 1); sent > 0; sent = await send("poll", 1)) respond(119 - ++polls);
      expect(polls).toBe(119 - Math.floor(12 + (others > 0 ? 1 + others + Math.sqrt(others) : 0)));
    },
  );

  test.each([
    [6000, 107],
    [6001, 39],
  ])(
    "are detected by a response at least a tenth of a window after its first: %i ms",
    async (afterMs, polls) => {
      const { request, at, send, respond } = await createSecondWindow();
      at(afterMs);
      await request("poll", 80);
      at(MINUTE);
      await request("poll", 119);
      let sent = 0;
      while ((await send("poll", 1)) > 0) respond(119 - ++sent);
      expect(sent).toBe(polls);
    },
  );

  test.each([
    [117 - 3, 0, false],
    [117 - 4, 0, true],
    [117 - 4, 10, true],
    [117 - 4, 11, false],
  ])(
    "are detected by more than three missing requests, for ten windows: %i remain, %i windows later",
    async (stated, windows, isBatched) => {
      const { send, request, at } = await createSecondWindow();
      at(1);
      await request("poll", 118);
      at(5);
      await request("poll", stated);
      if (windows > 0) {
        at(windows * MINUTE);
        await request("poll", 119);
      }
      expect((await send("poll")) < 60).toBe(isBatched);
    },
  );
});
