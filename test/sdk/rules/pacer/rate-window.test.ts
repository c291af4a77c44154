import { describe, expect, test } from "vitest";
import { RateWindow } from "../../../../src/rate-limit/rate-window.js";
import type { Claimant } from "../../../../src/rate-limit/window.js";

// Limits: by default 120 requests per 60 seconds and key.

const MINUTE = 60_000;
const [FIRST, READ, POLL] = [0, 1, 2] as const;

function createPaced() {
  const window = new RateWindow();
  /** Sends as many as may leave, up to a number; none of them is answered. */
  const sendAll = (now: number, claimant: Claimant, most = 1000, leave = 0): number => {
    let sent = 0;
    while (sent < most && window.admits(now, claimant, leave)) {
      window.spend(now, claimant);
      sent++;
    }
    return sent;
  };
  const answer = (now: number, sentAt: number, remaining: number | null) =>
    window.settle(now, { sentAt, remaining, heldForMs: null });
  const hold = (now: number, heldForMs: number) =>
    window.settle(now, { sentAt: now, remaining: null, heldForMs });
  const ask = (now: number, claimant: Claimant, remaining: number | null) => {
    window.spend(now, claimant);
    answer(now, now, remaining);
  };
  return { window, sendAll, answer, hold, ask };
}

/** One whose window before showed that nobody else spends from the key; a new one has begun at a minute. */
function createAlone() {
  const paced = createPaced();
  for (let sent = 0; sent < 10; sent++) paced.ask(sent * 6000, POLL, 119 - sent);
  paced.ask(MINUTE, POLL, 119);
  return paced;
}

describe("before an answer has shown where a window stands", () => {
  test.each([
    [FIRST, 5],
    [READ, 5],
    [POLL, 1],
  ] as const)("claimant %i sends %i", (claimant, few) => {
    const { sendAll } = createPaced();
    expect(sendAll(0, claimant)).toBe(few);
    expect(sendAll(1999, claimant)).toBe(0);
  });

  test("as many again leave after every two seconds without an answer", () => {
    const { sendAll } = createPaced();
    sendAll(1_000_000, FIRST);
    expect(sendAll(1_002_000, FIRST)).toBe(5);
    expect(sendAll(1_006_000, FIRST)).toBe(10);
  });

  test("it is looked again when those are over, whatever was counted before", () => {
    const { window, sendAll, ask } = createPaced();
    sendAll(0, FIRST);
    expect(window.nextChange(0)).toBe(2000);
    ask(500, FIRST, 114);
    ask(1000, FIRST, 113);
    sendAll(MINUTE + 500, FIRST);
    expect(window.nextChange(MINUTE + 500)).toBe(MINUTE + 2500);
  });

  test("a new one is found out, though nobody has answered yet what left in the last", () => {
    const { window, sendAll } = createAlone();
    expect(sendAll(MINUTE, POLL, 60)).toBe(60);
    expect(window.admits(2 * MINUTE, POLL)).toBe(true);
  });
});

describe("within a window", () => {
  test("creates, account reads and reads may leave up to the last", () => {
    const { window, sendAll, ask } = createPaced();
    ask(0, FIRST, 20);
    expect(sendAll(0, FIRST, 12)).toBe(12);
    expect(sendAll(0, READ)).toBe(8);
    expect(window.admits(0, FIRST)).toBe(false);
    expect(window.admits(MINUTE, FIRST)).toBe(true);
  });

  test("those who go ahead have shares of it: 54 of 120 are for creates and account reads, 30 for reads", () => {
    for (const [claimant, share] of [
      [FIRST, 54],
      [READ, 30],
    ] as const) {
      const { window, ask } = createPaced();
      for (let sent = 0; sent < share; sent++) {
        expect(window.hasShare(0, claimant)).toBe(true);
        ask(0, claimant, 119 - sent);
      }
      expect(window.hasShare(0, claimant)).toBe(false);
      expect(window.hasShare(MINUTE, claimant)).toBe(true);
    }
  });

  test("beyond their share they leave as many as others want, up to what was not theirs", () => {
    const sent = (leave: number) => {
      const { sendAll, ask } = createPaced();
      ask(0, FIRST, 119);
      return sendAll(0, FIRST, 1000, leave);
    };
    expect(sent(0)).toBe(119);
    expect(sent(10)).toBe(109);
    expect(sent(66)).toBe(53);
    expect(sent(500)).toBe(53);
  });

  test("polls leave a tenth to creates and account reads that may come, which is set free evenly", () => {
    const { sendAll } = createAlone();
    expect(sendAll(MINUTE, POLL)).toBe(119 - 12);
    expect(sendAll(MINUTE + 29_000, POLL)).toBe(6);
    expect(sendAll(MINUTE + 59_000, POLL)).toBe(6);
  });

  test("polls leave more where more creates came lately", () => {
    const polls = (creates: number) => {
      const { sendAll, ask } = createAlone();
      for (let sent = 1; sent <= creates; sent++) ask(MINUTE, FIRST, 119 - sent);
      return creates + sendAll(MINUTE, POLL);
    };
    expect(polls(4)).toBeGreaterThan(polls(30));
    // 30 a minute are foreseen, and one and a half deviations more, but no more than is left of their share: 24.
    expect(polls(30)).toBe(119 - 24);
    // 16 a minute, and 6.
    expect(polls(16)).toBe(119 - 22);
  });

  test("in its last half second few polls leave at once: they may arrive in the next one", () => {
    const { sendAll } = createAlone();
    expect(sendAll(2 * MINUTE - 499, POLL)).toBe(5);
    const before = createAlone();
    expect(before.sendAll(2 * MINUTE - 500, POLL)).toBeGreaterThan(50);
  });

  test("something changes as soon as one more is set free, and at the latest at its end", () => {
    const { window, sendAll } = createAlone();
    sendAll(MINUTE, POLL);
    const next = window.nextChange(MINUTE);
    // A minute in thirteen parts: twelve that are reserved.
    expect(next).toBeCloseTo(MINUTE + MINUTE / 13, 6);
    expect(window.nextChange(2 * MINUTE - 600)).toBeLessThanOrEqual(2 * MINUTE);
    expect(window.nextChange(2 * MINUTE - 499)).toBe(2 * MINUTE);
    expect(window.nextChange(2 * MINUTE - 10)).toBe(2 * MINUTE);
    sendAll(MINUTE, FIRST);
    expect(window.nextChange(MINUTE)).toBe(2 * MINUTE);
  });
});

describe("a hold", () => {
  test("lets nothing leave before it is over", () => {
    const { window, hold } = createPaced();
    window.spend(0, FIRST);
    hold(0, 7000);
    expect(window.heldUntil).toBe(7000);
    for (const claimant of [FIRST, READ, POLL] as const) {
      expect(window.admits(6999, claimant)).toBe(false);
      expect(window.admits(7000, claimant)).toBe(true);
    }
    expect(window.nextChange(0)).toBe(7000);
    expect(window.nextChange(6999)).toBe(7000);
  });

  test("makes polls leave more in the next window", () => {
    const { window, sendAll, hold, answer } = createAlone();
    window.spend(MINUTE, POLL);
    hold(MINUTE, MINUTE);
    window.spend(2 * MINUTE, POLL);
    answer(2 * MINUTE, 2 * MINUTE, 119);
    expect(sendAll(2 * MINUTE, POLL)).toBe(119 - 12 - 1);
  });
});

describe("among others on the same key", () => {
  /** Somebody else sends 30 a minute. */
  function createShared() {
    const paced = createPaced();
    for (let sent = 0; sent <= 10; sent++) paced.ask(sent * 5900, POLL, 119 - sent - sent * 3);
    paced.ask(MINUTE, POLL, 119);
    return paced;
  }

  test("polls leave in waves of a third of what is free", () => {
    const { sendAll, answer } = createShared();
    const first = sendAll(MINUTE, POLL);
    expect(first).toBeGreaterThanOrEqual(20);
    expect(first).toBeLessThanOrEqual(27);
    for (let sent = 1; sent <= first; sent++) answer(MINUTE + 100, MINUTE, 119 - sent);
    expect(sendAll(MINUTE + 100, POLL)).toBeLessThan(first);
  });

  test("what an answer said holds for a second and a half; then one goes ahead", () => {
    const early = createShared();
    expect(early.sendAll(MINUTE + 1499, POLL)).toBeGreaterThan(10);
    const late = createShared();
    expect(late.sendAll(MINUTE + 1500, POLL)).toBe(1);
  });

  test("polls leave to them what they will take, three quarters of a deviation more, and one", () => {
    const { window, ask } = createShared();
    let polls = 0;
    while (polls < 200 && window.admits(MINUTE, POLL)) ask(MINUTE, POLL, 119 - ++polls);
    // 30 in 59 seconds: 30.5 a minute, and 4.1, and one; and 12 that are reserved anyway.
    expect(polls).toBe(119 - 47);
  });

  test("up to its last half second a window changes before its end, and then only with it", () => {
    const { window } = createShared();
    expect(window.nextChange(2 * MINUTE - 500)).toBeLessThan(2 * MINUTE);
    expect(window.nextChange(2 * MINUTE - 499)).toBe(2 * MINUTE);
  });

  test("creates need not wait for a wave", () => {
    const { sendAll } = createShared();
    sendAll(MINUTE, POLL);
    expect(sendAll(MINUTE, FIRST)).toBeGreaterThan(50);
  });

  test("what is to be spent is without theirs, and so in time that waves can spend it", () => {
    const [shared, alone] = [createShared(), createAlone()];
    const [here] = shared.window.budgets(MINUTE);
    const [mine] = alone.window.budgets(MINUTE);
    expect(mine.until).toBe(2 * MINUTE - 500);
    expect(here.until).toBe(2 * MINUTE - 3500);
    expect(mine.reads).toBeCloseTo(119, 6);
    expect(here.reads).toBeGreaterThan(119 - 32);
    expect(here.reads).toBeLessThan(119 - 24);
  });
});

describe("what polls may spend", () => {
  test("is what is left until the last moment, and what the next window will hold", () => {
    const { window } = createAlone();
    const [here, next] = window.budgets(MINUTE + 20_000);
    expect(here).toEqual({ reads: 119, now: MINUTE + 20_000, until: 2 * MINUTE - 500 });
    expect(next).toEqual({ reads: 119 + 120, now: MINUTE + 20_000, until: 3 * MINUTE - 500 });
  });

  test("is without what creates will take, up to their share", () => {
    const { window, ask } = createAlone();
    for (let sent = 1; sent <= 12; sent++) ask(MINUTE, FIRST, 119 - sent);
    const [here, next] = window.budgets(MINUTE);
    const foreseen = (12 * 59_500) / MINUTE;
    expect(here.reads).toBeCloseTo(107 - foreseen, 6);
    expect((next?.reads ?? 0) - here.reads).toBeCloseTo(120 - 12, 6);
    for (let sent = 13; sent <= 90; sent++) ask(MINUTE, FIRST, 119 - sent);
    const [busy, later] = window.budgets(MINUTE);
    expect(busy.reads).toBeCloseTo(29, 6);
    expect((later?.reads ?? 0) - busy.reads).toBeCloseTo(120 - 54, 6);
  });

  test("is this window's alone when it is nearly over: the rest would be lost", () => {
    const { window } = createAlone();
    expect(window.budgets(2 * MINUTE - 2000)).toHaveLength(2);
    expect(window.budgets(2 * MINUTE - 1999)).toHaveLength(1);
    const [here] = window.budgets(2 * MINUTE - 100);
    expect(here.until).toBe(2 * MINUTE - 100);
  });
});

describe("a window that slides", () => {
  const NOW = 3 * MINUTE;

  /** A client that asks once a second, of a service that counts the last 60 seconds. */
  function createSliding(until = NOW) {
    const paced = createPaced();
    const sent: number[] = [];
    const askAt = (now: number) => {
      sent.push(now);
      paced.ask(now, POLL, 120 - sent.filter((at) => at > now - MINUTE).length);
    };
    for (let now = 0; now < until; now += 1000) askAt(now);
    return { ...paced, askAt };
  }

  test("is spent within 2.75 seconds, with what is let go of in them", () => {
    const { window } = createSliding();
    const budgets = window.budgets(NOW);
    expect(budgets).toHaveLength(1);
    const [here] = budgets;
    expect(here.until).toBe(NOW + 2750);
    // 61 are left, and of three it is certain that they are let go of: the answer may have taken half a second.
    expect(here.reads).toBeGreaterThanOrEqual(61 + 2);
    expect(here.reads).toBeLessThanOrEqual(61 + 3);
  });

  test("has no end that could be told", () => {
    const { window } = createSliding();
    expect(window.state(NOW)).toMatchObject({ limit: 120, resetAt: null });
  });

  test("when it is spent, it is looked again when it lets go of the next one", () => {
    const { window, sendAll } = createSliding(NOW - 2000);
    expect(sendAll(NOW - 3000, FIRST)).toBe(60);
    expect(window.nextChange(NOW - 3000)).toBe(NOW - 2000);
    // No sooner than in 50 ms.
    expect(window.nextChange(NOW - 2030)).toBe(NOW - 1980);
    expect([sendAll(NOW - 2000, FIRST), sendAll(NOW - 1000, FIRST)]).toEqual([1, 1]);
    // Where nobody knows how it stands, too: its part was over half a second ago.
    expect(window.isOpen(NOW - 500)).toBe(false);
    expect(window.nextChange(NOW - 500)).toBe(NOW);
    expect(window.nextChange(NOW - 30)).toBe(NOW + 20);
  });
});

describe("what is known can be asked for", () => {
  test("nothing before the first answer", () => {
    expect(createPaced().window.state(0)).toEqual({
      limit: null,
      remaining: null,
      resetAt: null,
      heldUntil: null,
    });
  });

  test("the limit, what remains without what is on its way, and the end", () => {
    const { window, sendAll, ask } = createPaced();
    ask(1000, FIRST, 59);
    sendAll(1000, FIRST, 9);
    expect(window.state(1000)).toEqual({ limit: 60, remaining: 50, resetAt: 1000 + MINUTE, heldUntil: null });
    expect(window.openedAt).toBe(1000);
    expect(window.state(1000 + MINUTE)).toMatchObject({ limit: 60, remaining: null, resetAt: null });
  });

  test("never less than none", () => {
    const { window, ask, answer, sendAll } = createPaced();
    ask(0, FIRST, 9);
    sendAll(0, FIRST, 5);
    answer(0, 0, 2);
    expect(window.state(0).remaining).toBe(0);
  });

  test("until when a 429 holds everything back", () => {
    const { window, hold } = createPaced();
    window.spend(0, FIRST);
    hold(0, 7000);
    expect(window.state(6999).heldUntil).toBe(7000);
    expect(window.state(7000).heldUntil).toBeNull();
  });
});
