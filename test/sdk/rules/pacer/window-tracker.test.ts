import { describe, expect, test } from "vitest";
import { countSpent } from "../../../../src/rate-limit/window.js";
import { WindowTracker } from "../../../../src/rate-limit/window-tracker.js";

// Limits: by default 120 requests per 60 seconds and key; each answer says how many remain.

const MINUTE = 60_000;

/** A tracker of a client that sends when the test says so. */
function createTracked() {
  const tracker = new WindowTracker();
  const send = (now: number, count = 1) => {
    for (let sent = 0; sent < count; sent++) {
      tracker.beginIfOver(now);
      tracker.spend(0);
    }
  };
  const answer = (now: number, sentAt: number, remaining: number | null) =>
    tracker.settle(now, { sentAt, remaining, heldForMs: null });
  const hold = (now: number, heldForMs: number) =>
    tracker.settle(now, { sentAt: now, remaining: null, heldForMs });
  /** Sends a request that is answered at once. */
  const ask = (now: number, remaining: number | null) => {
    send(now);
    answer(now, now, remaining);
  };
  return { tracker, send, answer, hold, ask };
}

describe("a window", () => {
  test("of which nothing is known holds what is usual, and is not open", () => {
    const { tracker } = createTracked();
    expect(tracker.isOpen(0)).toBe(false);
    expect(tracker.left(0)).toBe(120);
    expect(tracker.heldUntil).toBe(0);
    expect(tracker.unanswered).toBe(0);
  });

  test("is open from its first answer on, for a minute from then", () => {
    const { tracker, send, answer } = createTracked();
    send(1000);
    expect(tracker.isOpen(1000)).toBe(false);
    answer(1300, 1000, 119);
    expect(tracker.isOpen(1300)).toBe(true);
    expect(tracker.window.endsAt).toBe(1300 + MINUTE);
    expect(tracker.isOpen(1300 + MINUTE - 1)).toBe(true);
    expect(tracker.isOpen(1300 + MINUTE)).toBe(false);
  });

  test("has its last moment half a second before a minute after it opened", () => {
    const { tracker, send, answer } = createTracked();
    send(1000);
    answer(1300, 1000, 119);
    expect(tracker.lastMoment).toBe(1000 + MINUTE - 500);
  });

  test("goes on while it is not over, and the next one then begins", () => {
    const { tracker, send, ask } = createTracked();
    ask(0, 119);
    send(MINUTE - 1);
    expect(tracker.window.openedAt).toBe(0);
    expect(countSpent(tracker.window)).toBe(2);
    send(MINUTE);
    expect(tracker.window.openedAt).toBe(MINUTE);
    expect(countSpent(tracker.window)).toBe(1);
    expect(tracker.isOpen(MINUTE)).toBe(false);
  });

  test("counts who claims what", () => {
    const { tracker } = createTracked();
    tracker.beginIfOver(0);
    for (const claimant of [0, 1, 1, 2, 2, 2] as const) tracker.spend(claimant);
    expect(tracker.window.spent).toEqual([1, 2, 3]);
    expect(tracker.unanswered).toBe(6);
  });
});

describe("what is left", () => {
  test("is what an answer said, without what has none yet", () => {
    const { tracker, send, answer } = createTracked();
    send(0, 3);
    answer(100, 0, 50);
    expect(tracker.unanswered).toBe(2);
    expect(tracker.left(100)).toBe(48);
  });

  test("is the least of what answers said in a window: they overtake each other", () => {
    const { tracker, send, answer } = createTracked();
    send(0, 4);
    for (const remaining of [117, 116, 119, 118]) answer(100, 0, remaining);
    expect(tracker.left(100)).toBe(116);
  });

  test("is one less after an answer that says nothing of it", () => {
    const { tracker, ask } = createTracked();
    ask(0, null);
    expect(tracker.isOpen(0)).toBe(true);
    expect(tracker.left(0)).toBe(119);
    ask(0, 30);
    ask(0, null);
    expect(tracker.left(0)).toBe(29);
  });

  test("is never less than none, whatever answers don't say", () => {
    const { tracker, ask } = createTracked();
    ask(0, 1);
    ask(0, null);
    ask(0, null);
    expect(tracker.left(0)).toBe(0);
  });

  test("is a whole limit again when the window is over, without what has no answer yet", () => {
    const { tracker, ask, send } = createTracked();
    ask(0, 59);
    send(50_000, 2);
    expect(tracker.left(MINUTE - 1)).toBe(57);
    expect(tracker.left(MINUTE)).toBe(58);
  });
});

describe("the limit", () => {
  test("is what remains in a window that has just begun, and what was answered in it", () => {
    const { tracker, send, answer } = createTracked();
    send(0, 3);
    answer(100, 0, 57);
    expect(tracker.limit).toMatchObject({ requests: 58, isKnown: true });
    answer(100, 0, 58);
    answer(100, 0, 59);
    expect(tracker.limit.requests).toBe(60);
  });

  test.each([
    [MINUTE - 500, 61],
    [MINUTE - 499, 60],
  ])(
    "is measured up to the last moment of a window, which may let go of its first requests then: at %i ms",
    (now, requests) => {
      const { tracker, ask, send, answer } = createTracked();
      ask(0, 59);
      send(MINUTE - 600, 3);
      for (const remaining of [57, 58, 57]) answer(now, MINUTE - 600, remaining);
      expect(tracker.limit.requests).toBe(requests);
    },
  );

  test("is not measured in a window from which others had spent before", () => {
    const { tracker, ask, send, answer } = createTracked();
    ask(0, 59);
    ask(1000, 58);
    send(3 * MINUTE, 30);
    answer(3 * MINUTE, 3 * MINUTE, 20);
    expect(tracker.window).toMatchObject({ openedAt: 3 * MINUTE, isWhole: false });
    // It may have begun as soon as the last answer of the one before had come.
    expect(tracker.window.beganAfter).toBe(1000);
    for (let came = 1; came < 30; came++) answer(3 * MINUTE, 3 * MINUTE, 35);
    expect(tracker.window.answered).toBe(30);
    send(4 * MINUTE - 600, 20);
    for (let came = 0; came < 20; came++) answer(4 * MINUTE - 550, 4 * MINUTE - 600, 19);
    expect(tracker.limit.requests).toBe(60);
  });

  test("is learned of answers alone that tell what remains", () => {
    const { tracker, ask } = createTracked();
    ask(0, null);
    expect(tracker.limit.isKnown).toBe(false);
  });
});

describe("an answer to what left before the window", () => {
  test("tells nothing of it, but may have been counted in it", () => {
    const { tracker, ask, send, answer } = createTracked();
    ask(0, 119);
    for (let sent = 0; sent < 20; sent++) ask(1000, 118 - sent);
    send(MINUTE - 100);
    ask(MINUTE, 119);
    answer(MINUTE + 100, MINUTE - 100, 98);
    expect(tracker.left(MINUTE + 100)).toBe(119);
    expect(tracker.window).toMatchObject({ answered: 1, came: 2 });
  });

  test("that was counted in it tells of it", () => {
    const { tracker, ask, send, answer } = createTracked();
    ask(0, 119);
    for (let sent = 0; sent < 20; sent++) ask(1000, 118 - sent);
    send(MINUTE - 100);
    ask(MINUTE, 119);
    answer(MINUTE + 100, MINUTE - 100, 118);
    expect(tracker.left(MINUTE + 100)).toBe(118);
  });

  test("and says nothing of what remains is not counted in it", () => {
    const { tracker, ask, send, answer } = createTracked();
    ask(0, 119);
    send(MINUTE - 100);
    ask(MINUTE, 119);
    answer(MINUTE + 100, MINUTE - 100, null);
    expect(tracker.left(MINUTE + 100)).toBe(119);
    answer(MINUTE + 100, MINUTE, null);
    expect(tracker.window.answered).toBe(2);
  });
});

describe("a window that has just begun", () => {
  test("is known by an answer that misses no more than was sent", () => {
    const { tracker, ask, send, answer } = createTracked();
    ask(0, 119);
    for (let sent = 1; sent < 40; sent++) ask(sent, 119 - sent);
    send(MINUTE, 20);
    answer(MINUTE + 100, MINUTE, 100);
    expect(tracker.window).toMatchObject({ openedAt: MINUTE, isWhole: true });
    expect(tracker.left(MINUTE + 100)).toBe(81);
  });

  test("is one, though less remains in it than in a last one from which hardly anything was spent", () => {
    const { tracker, ask, send, answer } = createTracked();
    ask(0, 119);
    send(MINUTE, 2);
    answer(MINUTE, MINUTE, 118);
    expect(tracker.window).toMatchObject({ openedAt: MINUTE, isWhole: true });
    expect(tracker.limit.windowMs).toBe(MINUTE);
  });

  test("counts what left in it before its first answer, also where the answer says nothing", () => {
    const { tracker, ask, send, answer } = createTracked();
    ask(0, 119);
    send(MINUTE, 2);
    answer(MINUTE + 100, MINUTE, 118);
    answer(MINUTE + 150, MINUTE, null);
    expect(tracker.window).toMatchObject({ answered: 2, remaining: 117 });
  });
});

describe("a window that is shorter than believed", () => {
  test("shows itself by exactly as many that remain, too, whenever it began", () => {
    const { tracker, ask } = createTracked();
    ask(1_000_000, 119);
    ask(1_030_000, 119);
    expect(tracker.limit.windowMs).toBe(30_000);
    expect(tracker.window.openedAt).toBe(1_030_000);
  });

  test("shows itself by as many that remain as when it was asked before, and the next one begins", () => {
    const { tracker, ask, send, answer } = createTracked();
    ask(0, 119);
    for (let sent = 0; sent < 10; sent++) ask(1000, 118 - sent);
    send(30_000);
    answer(30_200, 30_000, 119);
    expect(tracker.limit.windowMs).toBe(30_200);
    expect(tracker.window).toMatchObject({
      openedAt: 30_000,
      remaining: 119,
      answered: 1,
      came: 1,
      isWhole: true,
    });
    expect(tracker.left(30_200)).toBe(119);
    expect(tracker.window.endsAt).toBe(60_400);
  });

  test("is not seen in an answer to what left before the least was known", () => {
    const { tracker, send, answer } = createTracked();
    send(0, 3);
    answer(100, 0, 117);
    answer(200, 0, 119);
    send(150);
    answer(250, 100, 118);
    expect(tracker.window.openedAt).toBe(0);
    expect(tracker.left(250)).toBe(116);
  });
});

describe("a window that is longer than believed", () => {
  test("goes on where fewer remain than a new one would hold, and a quarter longer than it has lasted", () => {
    const { tracker, ask } = createTracked();
    for (let sent = 0; sent < 30; sent++) ask(sent * 100, 119 - sent);
    ask(MINUTE + 1000, 89);
    expect(tracker.limit.windowMs).toBe(1.25 * (MINUTE + 1000));
    expect(tracker.window).toMatchObject({ openedAt: 0, answered: 31, came: 31, isWhole: false });
    expect(tracker.window.endsAt).toBe(1.25 * (MINUTE + 1000));
    expect(tracker.left(MINUTE + 1000)).toBe(89);
  });

  test("goes on so whenever it began", () => {
    const { tracker, ask } = createTracked();
    for (let sent = 0; sent < 30; sent++) ask(1_000_000 + sent * 100, 119 - sent);
    ask(1_061_000, 89);
    expect(tracker.limit.windowMs).toBe(1.25 * 61_000);
    expect(tracker.window.openedAt).toBe(1_000_000);
  });

  test("is not believed to go on for more than twice its length: others have spent from the next one", () => {
    const goingOn = (at: number) => {
      const { tracker, ask } = createTracked();
      for (let sent = 0; sent < 30; sent++) ask(sent * 100, 119 - sent);
      ask(at, 80);
      return tracker.window.openedAt === 0;
    };
    expect(goingOn(2 * MINUTE - 1)).toBe(true);
    expect(goingOn(2 * MINUTE)).toBe(false);
  });
});

describe("a hold", () => {
  test("lasts as long as a 429 states, and ends the window", () => {
    const { tracker, ask, send, hold } = createTracked();
    ask(0, 119);
    send(1000);
    hold(1000, 7000);
    expect(tracker.heldUntil).toBe(8000);
    expect(tracker.unanswered).toBe(0);
    expect(tracker.isOpen(7999)).toBe(false);
    expect(tracker.left(7999)).toBe(0);
    expect(tracker.left(8000)).toBe(120);
    send(8000);
    expect(tracker.window.openedAt).toBe(8000);
  });

  test("is not ended by a shorter one", () => {
    const { tracker, send, hold } = createTracked();
    send(0, 2);
    hold(0, 9000);
    hold(1000, 2000);
    expect(tracker.heldUntil).toBe(9000);
    expect(tracker.window.endsAt).toBe(9000);
  });

  test("makes more careful once, however many 429s come of it", () => {
    const { tracker, send, hold } = createTracked();
    send(0, 4);
    hold(0, 9000);
    hold(100, 8900);
    expect(tracker.limit.caution).toBe(2);
    hold(8999, 1);
    expect(tracker.limit.caution).toBe(2);
    hold(9000, 1000);
    expect(tracker.limit.caution).toBe(6);
  });

  test("that ends later than its window was believed to shows how long windows are", () => {
    for (const start of [0, 1_000_000]) {
      const { tracker, ask, send, hold } = createTracked();
      ask(start, 119);
      send(start + 50_000);
      hold(start + 50_000, 40_000);
      expect(tracker.limit.windowMs).toBe(90_000);
    }
  });

  test("is measured from the window before where this one is not known yet", () => {
    const { tracker, ask, send, hold } = createTracked();
    ask(0, 119);
    send(MINUTE);
    hold(MINUTE, 30_000);
    expect(tracker.limit.windowMs).toBe(90_000);
  });

  test("shows nothing of windows where none was seen to begin", () => {
    const { tracker, send, hold } = createTracked();
    send(0);
    hold(0, 90_000);
    expect(tracker.limit.windowMs).toBe(MINUTE);
  });
});

describe("a window that slides", () => {
  /** The last 60 seconds are counted at every request: one that was sent a minute ago is free again. */
  function createSliding() {
    const { tracker, ask, ...rest } = createTracked();
    const sent: number[] = [];
    const askAt = (now: number) => {
      sent.push(now);
      ask(now, 120 - sent.filter((at) => at > now - MINUTE).length);
    };
    return { tracker, askAt, ...rest };
  }

  test("shows itself by what is let go of, as far as our own requests explain it", () => {
    const { tracker, askAt } = createSliding();
    for (let now = 0; now < MINUTE; now += 1000) askAt(now);
    expect(tracker.limit.isSliding).toBe(false);
    for (let now = MINUTE; now < 2 * MINUTE; now += 1000) askAt(now);
    expect(tracker.limit.isSliding).toBe(true);
    expect(tracker.limit).toMatchObject({ requests: 120, windowMs: MINUTE });
  });

  test("leaves what was not sent in the last minute", () => {
    const { tracker, askAt, send } = createSliding();
    for (let now = 0; now <= 2 * MINUTE; now += 1000) askAt(now);
    expect(tracker.left(2 * MINUTE)).toBe(60);
    expect(tracker.left(2 * MINUTE + 500)).toBe(60);
    expect(tracker.left(2 * MINUTE + 10_000)).toBe(70);
    send(2 * MINUTE + 10_000, 3);
    expect(tracker.left(2 * MINUTE + 10_000)).toBe(67);
  });

  test("is spent in parts of an eighth", () => {
    const { tracker, askAt } = createSliding();
    for (let now = 0; now <= 2 * MINUTE; now += 1000) askAt(now);
    const { openedAt, endsAt } = tracker.window;
    expect(endsAt - openedAt).toBe(7500);
    expect(tracker.window.isWhole).toBe(false);
    expect(tracker.lastMoment).toBe(openedAt + 7000);
  });

  test("is one still when others have counted a few, and nobody else seems to spend", () => {
    const { tracker, askAt, send, answer } = createSliding();
    for (let now = 0; now < 2 * MINUTE; now += 1000) askAt(now);
    const now = tracker.window.endsAt;
    expect(tracker.limit.isShared(now)).toBe(false);
    const left = tracker.left(now);
    send(now);
    answer(now, now, left - 3);
    expect(tracker.limit.isSliding).toBe(true);
    expect(tracker.limit.isShared(now)).toBe(false);
  });

  test("hears nothing of this part from what left before it", () => {
    const { tracker, askAt, send, answer } = createSliding();
    for (let now = 0; now < 2 * MINUTE; now += 1000) askAt(now);
    const now = tracker.window.endsAt;
    send(now - 100);
    askAt(now);
    const { answered } = tracker.window;
    answer(now + 100, now - 100, 110);
    expect(tracker.window).toMatchObject({ openedAt: now, answered });
  });

  test("is one no more when a part begins with an answer that our own requests don't explain", () => {
    const { tracker, askAt, send, answer } = createSliding();
    for (let now = 0; now < 2 * MINUTE; now += 1000) askAt(now);
    // The service has begun to count by windows, and one has just begun.
    send(tracker.window.endsAt);
    const now = tracker.window.endsAt;
    send(now);
    answer(now, now, 119);
    expect(tracker.limit.isSliding).toBe(false);
    expect(tracker.left(now)).toBe(119 - tracker.unanswered);
  });
});

describe("others on the same key", () => {
  test("show themselves by more that is missing than all that we sent", () => {
    const { tracker, ask } = createTracked();
    for (let sent = 0; sent < 10; sent++) ask(sent * 5000, 119 - 2 * sent);
    expect(tracker.limit.othersWithin(MINUTE)).toBe(0);
    ask(MINUTE, 119);
    expect(tracker.limit.othersWithin(MINUTE)).toBeGreaterThan(8);
    expect(tracker.limit.isShared(MINUTE)).toBe(true);
  });

  test("are not seen in what a client sent alone", () => {
    const { tracker, ask } = createTracked();
    for (let sent = 0; sent < 10; sent++) ask(sent * 5000, 119 - sent);
    ask(MINUTE, 119);
    expect(tracker.limit.othersWithin(MINUTE)).toBe(0);
    expect(tracker.limit.isShared(MINUTE)).toBe(false);
  });
});
