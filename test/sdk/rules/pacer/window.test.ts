import { describe, expect, test } from "vitest";
import { Demand } from "../../../../src/rate-limit/key-use.js";
import { KeyWindow } from "../../../../src/rate-limit/key-window.js";
import type { Rank } from "../../../../src/rate-limit/window.js";

// Limits: by default 120 requests per 60 seconds per API key. Each response states how many remain.

const MINUTE = 60_000;
const START = 100 * MINUTE;
const [CREATE, READ, POLL] = [0, 1, 2] as const;

function createWindow() {
  const key = new KeyWindow();
  const window = new Proxy(key, {
    get: (_, name) => {
      const of = name in key ? key : key.current;
      const value = Reflect.get(of, name, of);
      return typeof value === "function" ? value.bind(of) : value;
    },
  }) as unknown as KeyWindow & KeyWindow["current"];
  /** Sends requests without a response while they are admitted; returns their number. */
  const send = (now: number, rank: Rank, most = 1000, leave = 0): number => {
    let sent = 0;
    for (; sent < most && window.admits(now, rank, leave); sent++) window.spend(now, rank);
    return sent;
  };
  const respond = (now: number, remaining: number | null, sentAt = now) =>
    window.record(now, { sentAt, remaining, heldForMs: null });
  const hold = (now: number, heldForMs: number) =>
    window.record(now, { sentAt: now, remaining: null, heldForMs });
  /** Sends a request and records its response at once. */
  const request = (now: number, rank: Rank, remaining: number | null) => {
    window.spend(now, rank);
    respond(now, remaining);
  };
  const remaining = (now: number) => window.state(now).remaining;
  return { window, send, respond, hold, request, remaining };
}

/** The second of two windows; in the first, other clients sent this many requests per ten polls. */
function createSecond({ others = 0, limit = 120, windowMs = MINUTE } = {}) {
  const created = createWindow();
  for (let sent = 0; sent < 10; sent++)
    created.request(START - windowMs + sent * 0.1 * windowMs, POLL, limit - 1 - sent * (1 + others));
  created.request(START, POLL, limit - 1);
  return created;
}

describe("before a response shows the state of a window", () => {
  test.each([
    ["creates", CREATE, 5],
    ["reads", READ, 5],
    ["polls", POLL, 1],
  ] as const)(
    "only a few %s are sent, and as many again after each 2 s without a response",
    (_, rank, few) => {
      const { window, send, respond } = createWindow();
      expect(send(START, rank)).toBe(few);
      expect(window.nextChange(START)).toBe(START + 2000);
      expect(send(START + 1999, rank)).toBe(0);
      expect(send(START + 2000, rank)).toBe(few);
      expect(send(START + 6000, rank)).toBe(2 * few);
      expect(window.state(START + 6000)).toEqual({
        limit: null,
        remaining: null,
        resetAt: null,
        heldUntil: null,
      });
      respond(START + 6000, 119);
      expect(window.isOpen(START + 6000)).toBe(true);
    },
  );

  test("a new window is probed again, even if responses of the last one are missing", () => {
    const { send } = createSecond();
    send(START, POLL, 60);
    expect(send(START + MINUTE, CREATE)).toBe(5);
  });
});

describe("the remaining requests", () => {
  test("are the lowest stated number minus the in-flight requests, at least zero", () => {
    const { send, respond, remaining, window } = createWindow();
    send(START, CREATE, 4);
    respond(START, 117);
    respond(START, 116);
    respond(START, 118);
    expect(remaining(START)).toBe(115);
    respond(START, 3);
    send(START, CREATE, 3);
    respond(START, 1);
    expect(remaining(START)).toBe(0);
    expect(window.admits(START, CREATE)).toBe(false);
  });

  test("drop by one after a response that does not state them", () => {
    const { request, remaining, window } = createWindow();
    request(START, CREATE, null);
    expect(window.state(START)).toMatchObject({ limit: null, remaining: 119 });
    for (const stated of [30, null, null]) request(START, CREATE, stated);
    expect(remaining(START)).toBe(28);
    for (const stated of [1, null, null]) request(START, CREATE, stated);
    expect(remaining(START)).toBe(0);
  });

  test("are unknown once the window ends, 60 s after its first response", () => {
    const { send, respond, remaining, window } = createWindow();
    send(START, CREATE, 1);
    respond(START + 300, 59);
    expect(window.state(START + 300)).toMatchObject({ limit: 60, resetAt: START + 300 + MINUTE });
    expect(window.openedAt).toBe(START);
    expect(remaining(START + 299 + MINUTE)).toBe(59);
    expect(window.state(START + 300 + MINUTE)).toEqual({
      limit: 60,
      remaining: null,
      resetAt: null,
      heldUntil: null,
    });
  });

  test("ignore a late response from the previous window", () => {
    const { window, send, request, respond, remaining } = createSecond();
    send(START + MINUTE - 100, POLL, 2);
    request(START + MINUTE, POLL, 119);
    respond(START + MINUTE + 100, 98, START + MINUTE - 100);
    expect(remaining(START + MINUTE + 100)).toBe(118);
    // The service counted this request in the new window.
    respond(START + MINUTE + 100, 118, START + MINUTE - 100);
    expect(remaining(START + MINUTE + 100)).toBe(118);
    expect(window.openedAt).toBe(START + MINUTE);
  });

  test.each([
    ["a few requests sent before the window began are missing", START + MINUTE - 100, 117, 117],
    ["it states more than the previous window had left", START + MINUTE - 100, 115, 115],
    ["many requests are missing, as in the previous window", START + MINUTE - 100, 60, 119],
    ["many requests are missing, and its request was sent in the new window", START + MINUTE + 50, 60, 60],
  ])("after a late response: %s", (_, sentAt, stated, expected) => {
    const { send, request, respond, remaining } = createSecond();
    for (let sent = 1; sent <= 7; sent++) request(START, POLL, 119 - sent);
    send(sentAt > START + MINUTE ? START : sentAt, POLL, 1);
    request(START + MINUTE, POLL, 119);
    respond(START + MINUTE + 100, stated, sentAt);
    expect(remaining(START + MINUTE + 100)).toBe(expected);
  });

  test("include responses that arrive before the first one of a new window", () => {
    const { window, respond, send, remaining } = createSecond();
    for (let sent = 0; sent < 3; sent++) window.spend(START + MINUTE - 1, POLL);
    send(START + MINUTE, CREATE, 1);
    for (const stated of [117, 117, 50]) respond(START + MINUTE + 100, stated, START + MINUTE - 1);
    respond(START + MINUTE + 100, 118, START + MINUTE);
    // 50 belongs to the previous window.
    expect(remaining(START + MINUTE + 100)).toBe(117);
  });
});

describe("the shares of a window", () => {
  test.each([
    ["creates", CREATE, 54],
    ["reads", READ, 30],
    ["polls", POLL, 120],
  ] as const)("give %s priority up to their share", (_, rank, share) => {
    const { window, request } = createSecond();
    expect(window.shareLeft(START + 1, rank)).toBe(share);
    request(START + 1, rank, 118);
    expect(window.shareLeft(START + 1, rank)).toBe(share - 1);
    expect(window.shareLeft(START + MINUTE, rank)).toBe(share);
  });

  test.each([
    [0, 119],
    [10, 109],
    [66, 53],
    [500, 53],
  ])(
    "while %i polls wait, creates leave them as many requests, up to 55 %%: %i are sent",
    (waiting, sent) => {
      const { send } = createSecond();
      expect(send(START, CREATE, 1000, waiting)).toBe(sent);
    },
  );

  test("reserve a tenth for creates, and release it to polls evenly", () => {
    const { window, send } = createSecond();
    expect(send(START, POLL)).toBe(107);
    expect(window.nextChange(START)).toBeCloseTo(START + MINUTE / 13, 6);
    expect(send(START + 29_000, POLL)).toBe(6);
    expect(send(START + 59_000, POLL)).toBe(6);
    expect(window.nextChange(START + 59_000)).toBe(START + MINUTE);
    expect(window.nextChange(START + MINUTE - 10)).toBe(START + MINUTE + 40);
  });

  test.each([
    [16, 16 + 4],
    [30, 54 - 30],
    [60, 0],
  ])("after %i creates, polls leave %i requests for later creates", (creates, reserved) => {
    const { send, request } = createSecond();
    for (let sent = 1; sent <= creates; sent++) request(START, CREATE, 119 - sent);
    expect(send(START, POLL)).toBe(119 - creates - reserved);
  });

  test("give polls the remaining requests minus the expected creates", () => {
    const { window, request } = createSecond();
    expect(window.budget(START + 20_000)).toEqual({ polls: 119, now: START + 20_000, until: START + MINUTE });
    for (let sent = 1; sent <= 12; sent++) request(START, CREATE, 119 - sent);
    expect(window.budget(START).polls).toBeCloseTo(107 - 12, 6);
    for (let sent = 13; sent <= 90; sent++) request(START, CREATE, 119 - sent);
    expect(window.budget(START).polls).toBe(29);
    expect(window.budget(START + 2 * MINUTE)).toMatchObject({ until: START + 2 * MINUTE });
    request(START + 1, CREATE, 0);
    expect(window.budget(START + 1).polls).toBe(0);
  });
});

describe("the length of a window", () => {
  test.each([
    [30_000, 30_000],
    [56_999, 56_999],
    [57_000, MINUTE],
    [2000, MINUTE],
    [2001, 2001],
  ])("is learned when a new window begins early: after %i ms it is %i ms", (passedMs, windowMs) => {
    const { window, request } = createSecond();
    request(START + passedMs, CREATE, 119);
    expect(window.openedAt).toBe(START + passedMs);
    expect(window.state(START + passedMs)).toMatchObject({
      remaining: 119,
      resetAt: START + passedMs + windowMs,
    });
  });

  test("is measured from the last response before a window that another client opened", () => {
    const { window, request } = createSecond();
    for (let sent = 1; sent < 60; sent++) request(START + 40_000, CREATE, 119 - sent);
    request(START + 70_000, CREATE, 80);
    request(START + 90_000, CREATE, 119);
    expect(window.state(START + 90_000).resetAt).toBe(START + 90_000 + 50_000);
  });

  test("is not learned from a request that was sent before the last response", () => {
    const { send, respond, window, remaining } = createWindow();
    send(START, CREATE, 3);
    respond(START + 100, 117);
    respond(START + 200, 118, START + 100);
    expect(window.openedAt).toBe(START);
    expect(remaining(START + 200)).toBe(116);
  });

  test("is estimated a quarter longer if the window continues after its expected end", () => {
    const { window, request, remaining } = createWindow();
    for (let sent = 0; sent < 30; sent++) request(START + sent * 100, CREATE, 119 - sent);
    request(START + 61_000, CREATE, 89);
    expect(window.openedAt).toBe(START);
    expect(window.state(START + 61_000)).toMatchObject({ remaining: 89, resetAt: START + 1.25 * 61_000 });
    // All 31 requests of the window are this client's.
    request(START + 62_000, CREATE, 88);
    request(START + 80_000, POLL, 119);
    expect(remaining(START + 80_000)).toBe(119);
    expect(window.budget(START + 80_000).until).toBe(START + 80_000 + 1.25 * 61_000);
  });

  test.each([
    [2 * MINUTE - 1, START],
    [2 * MINUTE, START + 2 * MINUTE],
  ])("ends at the latest after twice its expected length: a response after %i ms", (passedMs, openedAt) => {
    const { window, request } = createWindow();
    for (let sent = 0; sent < 30; sent++) request(START, CREATE, 119 - sent);
    request(START + passedMs, CREATE, 80);
    expect(window.openedAt).toBe(openedAt);
  });
});

describe("the limit", () => {
  test("is learned from the first response, and raised by later windows", () => {
    const { window, send, respond, request } = createWindow();
    send(START, CREATE, 3);
    for (const stated of [57, 58, 59]) respond(START + 100, stated, START);
    expect(window.state(START + 100)).toMatchObject({ limit: 60, remaining: 57 });
    request(START + MINUTE + 100, CREATE, 299);
    expect(window.state(START + MINUTE + 100)).toMatchObject({ limit: 300, remaining: 299 });
  });

  test.each([
    [10, 120],
    [11, 60],
  ])("is kept for ten windows without a response that shows it: after %i it is %i", (windows, limit) => {
    const { window, request } = createSecond();
    for (let next = 2; next <= windows; next++) request(START + next * MINUTE, CREATE, 59);
    expect(window.state(START + windows * MINUTE).limit).toBe(limit);
  });
});

describe("a 429", () => {
  test("delays all requests for the stated time, then a new window is probed", () => {
    const { window, send, hold, request } = createWindow();
    request(START, CREATE, 119);
    send(START + 1000, CREATE, 1);
    hold(START + 1000, 7000);
    expect(window.state(START + 7999)).toMatchObject({
      remaining: null,
      resetAt: null,
      heldUntil: START + 8000,
    });
    expect(window.nextChange(START + 1000)).toBe(START + 8000);
    expect(window.isOpen(START + 7999)).toBe(false);
    expect(send(START + 7999, CREATE)).toBe(0);
    expect(window.state(START + 8000).heldUntil).toBeNull();
    expect(send(START + 8000, CREATE)).toBe(5);
  });

  test("does not shorten an earlier hold", () => {
    const { window, send, hold } = createWindow();
    send(START, CREATE, 2);
    hold(START, 9000);
    hold(START + 1000, 2000);
    expect(window.heldUntil).toBe(START + 9000);
  });

  test.each([
    [MINUTE + 1000, MINUTE],
    [MINUTE + 1001, MINUTE + 1001],
    [10 * MINUTE, 10 * MINUTE],
    [10 * MINUTE + 1000, MINUTE],
  ])("that ends %i ms after the window opened shows windows of %i ms", (endsMs, windowMs) => {
    const { window, send, hold, request } = createWindow();
    request(START, CREATE, 119);
    send(START + 50_000, CREATE, 2);
    hold(START + 50_000, endsMs - 50_000);
    hold(START + 50_500, endsMs - 50_000);
    request(START + endsMs + 1000, CREATE, 119);
    expect(window.state(START + endsMs + 1000).resetAt).toBe(START + endsMs + 1000 + windowMs);
  });
});

describe("other clients of the same key", () => {
  test("are assumed during the first window: polls are sent in batches of a quarter", () => {
    const { send, respond, request } = createWindow();
    request(START, CREATE, 119);
    expect(send(START + 1499, POLL)).toBe(27);
    for (let came = 1; came <= 27; came++) respond(START + 1499, 119 - came);
    expect(send(START + 1499, POLL)).toBe(20);
    // Creates do not wait for a batch.
    expect(send(START + 1499, CREATE)).toBe(72);
  });

  test("limit polls to one at a time while the last response is older than 1.5 s", () => {
    const { send, respond, request } = createSecond({ others: 3 });
    request(START, POLL, 118);
    expect(send(START + 1500, POLL)).toBe(1);
    expect(send(START + 3499, POLL)).toBe(0);
    expect(send(START + 3500, POLL)).toBe(1);
    respond(START + 3500, 110);
    expect(send(START + 3500, POLL)).toBe(0);
    respond(START + 3500, 109);
    expect(send(START + 3500, POLL)).toBeGreaterThan(10);
  });

  test("reserve what they sent in the last window, with a margin", () => {
    const { window, request } = createSecond({ others: 3 });
    // 27 requests in 54 s.
    expect(window.budget(START).polls).toBeCloseTo(119 - 30, 6);
    let polls = 0;
    while (window.admits(START, POLL)) request(START, POLL, 119 - ++polls);
    expect(polls).toBe(119 - 12 - Math.floor(1 + 30 + Math.sqrt(30)));
  });

  test("are expected to send their average, at most half of the limit", () => {
    const expected = (...lasts: number[]) => {
      const { window, request } = createSecond({ others: 3 });
      for (const [index, last] of lasts.entries()) {
        request(START + index * MINUTE + 54_000, POLL, last);
        request(START + (index + 1) * MINUTE, POLL, 119);
      }
      return 119 - window.budget(START + lasts.length * MINUTE).polls;
    };
    expect(expected(118)).toBeCloseTo(15, 6);
    expect(expected(118 - 54)).toBeCloseTo((30 + 60) / 2, 6);
    expect(expected(0)).toBeCloseTo(60, 6);
    // Less than one request per window counts as none.
    expect(expected(118, 118, 118, 118)).toBeGreaterThan(1);
    expect(expected(118, 118, 118, 118, 118)).toBe(0);
  });

  test("are not detected in less than a tenth of a window", () => {
    const { window, request } = createSecond();
    request(START + 6000, POLL, 80);
    request(START + MINUTE, POLL, 119);
    expect(window.budget(START + MINUTE).polls).toBe(119);
    request(START + MINUTE + 6001, POLL, 80);
    request(START + 2 * MINUTE, POLL, 119);
    expect(window.budget(START + 2 * MINUTE).polls).toBeLessThan(80);
  });

  test.each([
    [117 - 3, 0, false],
    [117 - 4, 0, true],
    [117 - 4, 10, true],
    [117 - 4, 11, false],
  ])(
    "are detected by more than three missing requests, for ten windows: %i remain, %i windows later",
    (stated, windows, isBatched) => {
      const { send, request } = createSecond();
      request(START + 1, POLL, 118);
      request(START + 5, POLL, stated);
      const now = Math.max(START + 5, START + windows * MINUTE);
      if (windows > 0) request(now, POLL, 119);
      expect(send(now, POLL) < 60).toBe(isBatched);
    },
  );
});

describe("a sliding window", () => {
  /** A client that polls once a second until `untilMs`; the service counts the last 60 s. */
  function createSliding(untilMs: number) {
    const created = createWindow();
    const times: number[] = [];
    const poll = (now: number) => {
      times.push(now);
      created.request(now, POLL, 120 - times.filter((at) => at > now - MINUTE).length);
    };
    for (let ms = 0; ms < untilMs; ms += 1000) poll(START + ms);
    return { ...created, poll, now: START + untilMs };
  }

  test("is detected when requests from 60 s ago stop counting, and has no reset time", () => {
    expect(createSliding(MINUTE).window.state(START + MINUTE - 1).resetAt).toBe(START + MINUTE);
    const { window, now } = createSliding(MINUTE + 1000);
    expect(window.state(now)).toMatchObject({ limit: 120, resetAt: null });
    expect(window.isOpen(now + 10 * MINUTE)).toBe(true);
  });

  test("has the limit minus the requests of the last 60 s remaining", () => {
    const { send, remaining, now } = createSliding(3 * MINUTE);
    expect(remaining(now - 1)).toBe(59);
    expect(remaining(now)).toBe(60);
    expect(remaining(now + 10_000)).toBe(70);
    send(now + 10_000, CREATE, 3);
    expect(remaining(now + 10_000)).toBe(67);
  });

  test("is budgeted in parts of 5 s, with a share for each rank", () => {
    const { window, now, send } = createSliding(3 * MINUTE);
    expect(window.budget(now)).toEqual({ polls: 60 + 5, now, until: now + 5000 });
    expect(window.shareLeft(now + 5000, CREATE)).toBe(4.5);
    send(now + 5000, CREATE, 3);
    expect(window.shareLeft(now + 5000, CREATE)).toBe(1.5);
    expect(window.shareLeft(now + 9999, CREATE)).toBe(1.5);
    expect(window.shareLeft(now + 10_000, CREATE)).toBe(4.5);
  });

  test("is checked again 0.5 s after it is used up", () => {
    const { window, now, send } = createSliding(3 * MINUTE);
    send(now, CREATE);
    expect(window.nextChange(now)).toBe(now + 500);
  });

  test("is treated as a fixed window if many requests are missing, but not if a few are", () => {
    const { window, request, send, respond, now } = createSliding(3 * MINUTE);
    request(now, POLL, 59 - 2);
    send(now, CREATE, 2);
    respond(now, 20);
    expect(window.state(now).resetAt).toBeNull();
    respond(now, 20);
    expect(window.isOpen(now)).toBe(false);
    request(now, CREATE, 119);
    expect(window.state(now).resetAt).toBe(now + MINUTE);
  });

  test("is treated as a fixed window of 60 s after a 429", () => {
    const { window, hold, now, request } = createSliding(3 * MINUTE);
    window.spend(now, CREATE);
    hold(now, 2 * MINUTE);
    expect(window.isOpen(now + 2 * MINUTE - 1)).toBe(false);
    for (const stated of [20, 119]) request(now + 2 * MINUTE, CREATE, stated);
    expect(window.state(now + 2 * MINUTE).resetAt).toBe(now + 3 * MINUTE);
  });
});

test("the expected requests of a kind follow their rate in the last minute", () => {
  const demand = new Demand();
  expect(demand.within(START, MINUTE)).toBe(0);
  demand.note(START);
  expect(demand.within(START, MINUTE / 2)).toBeCloseTo(1 / 2, 9);
  expect(demand.within(START + MINUTE, MINUTE)).toBeCloseTo(1 / Math.E, 9);
  for (let at = START; at < START + 20 * MINUTE; at += 2000) demand.note(at);
  expect(demand.within(START + 20 * MINUTE, MINUTE)).toBeCloseTo(30, 0);
});
