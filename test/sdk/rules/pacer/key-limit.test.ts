import { describe, expect, test } from "vitest";
import { KeyLimit } from "../../../../src/rate-limit/key-limit.js";
import { createWindow, type Window } from "../../../../src/rate-limit/window.js";

// Limits: by default 120 requests per 60 seconds and key.

const MINUTE = 60_000;

/** A limit that an answer at the beginning of a window has shown. */
function createKnown(requests = 120): KeyLimit {
  const limit = new KeyLimit();
  limit.showRequests(0, requests);
  return limit;
}

/** A window of a minute of which the last answer came at its end. */
const over = (fields: Partial<Window>): Window => ({
  ...createWindow(0, MINUTE, 0),
  answeredAt: MINUTE,
  ...fields,
});

describe("how many", () => {
  test("the usual limit is believed in before any answer", () => {
    expect(new KeyLimit()).toMatchObject({
      requests: 120,
      windowMs: MINUTE,
      isKnown: false,
      isSliding: false,
    });
    expect(new KeyLimit()).toMatchObject({ quota: 120, spanMs: MINUTE, caution: 0 });
  });

  test("the first window that shows a limit is believed, even a lower one; later ones only raise it", () => {
    const limit = createKnown(30);
    expect(limit).toMatchObject({ requests: 30, isKnown: true });
    limit.showRequests(MINUTE, 29);
    expect(limit.requests).toBe(30);
    limit.showRequests(MINUTE, 60);
    expect(limit.requests).toBe(60);
  });

  test("a limit that no window has shown for ten minutes gives way to what one holds", () => {
    const limit = createKnown(120);
    limit.sumUp(over({ remaining: 10, answered: 50, came: 50, answeredAt: 10 * MINUTE }));
    expect(limit.requests).toBe(120);
    limit.sumUp(over({ remaining: 10, answered: 50, came: 50, answeredAt: 10 * MINUTE + 1 }));
    expect(limit.requests).toBe(60);
  });

  test("one that was shown again in between is believed on", () => {
    const limit = createKnown(120);
    limit.showRequests(MINUTE, 110);
    limit.sumUp(over({ remaining: 10, answered: 50, came: 50, answeredAt: 10 * MINUTE + 1 }));
    expect(limit.requests).toBe(120);
  });

  test("one that was never shown is not measured by what a window holds", () => {
    const limit = new KeyLimit();
    limit.sumUp(over({ remaining: 10, answered: 50, came: 50, answeredAt: 99 * MINUTE }));
    expect(limit.requests).toBe(120);
  });

  test.each([
    [100, 17, true],
    [100, 16, false],
    [120, 0, true],
    [117, 0, true],
    [116, 0, false],
  ])(
    "%i that remain of 120 after %i of our own are a window that has just begun: %s",
    (remaining, own, isWhole) => {
      expect(createKnown().isWhole(remaining, own)).toBe(isWhole);
    },
  );

  test("before a limit is known every window may have just begun", () => {
    expect(new KeyLimit().isWhole(2, 0)).toBe(true);
  });
});

describe("how long", () => {
  test.each([
    [2000, MINUTE],
    [2001, 2001],
    [53_999, 53_999],
    [54_000, MINUTE],
    [90_000, MINUTE],
  ])("a new one after %i ms shows windows of %i ms", (lastedMs, windowMs) => {
    const limit = createKnown();
    limit.showLength(lastedMs);
    expect(limit.windowMs).toBe(windowMs);
    expect(limit.spanMs).toBe(windowMs);
  });

  test.each([
    [40_000, MINUTE],
    [60_000, 75_000],
  ])(
    "one that goes on after %i ms lasts a quarter longer than that, and no shorter than believed: %i ms",
    (lastedMs, windowMs) => {
      const limit = createKnown();
      limit.showGoingOn(lastedMs);
      expect(limit.windowMs).toBe(windowMs);
    },
  );

  test.each([
    [62_000, MINUTE],
    [62_001, 62_001],
    [599_999, 599_999],
    [600_000, MINUTE],
  ])("a 429 that ends %i ms after its window's beginning shows windows of %i ms", (lastedMs, windowMs) => {
    const limit = createKnown();
    limit.showHold(lastedMs);
    expect(limit.windowMs).toBe(windowMs);
  });

  test("a 429 shows nothing of how long a window is that slides", () => {
    const limit = createKnown();
    limit.showSliding(0, true);
    limit.showHold(90_000);
    expect(limit.windowMs).toBe(MINUTE);
  });
});

describe("caution", () => {
  test("each 429 doubles it, up to a fifth of the limit; each window without one takes away one", () => {
    const limit = createKnown();
    const cautions = [1, 2, 3, 4, 5].map(() => {
      limit.showHold(MINUTE);
      return limit.caution;
    });
    expect(cautions).toEqual([2, 6, 14, 24, 24]);
    limit.sumUp(over({}));
    expect(limit.caution).toBe(23);
  });

  test("it is never less than none", () => {
    const limit = createKnown();
    limit.sumUp(over({}));
    expect(limit.caution).toBe(0);
  });
});

describe("sliding", () => {
  test("a window that slides is spent in eighths", () => {
    const limit = createKnown();
    limit.showSliding(0, true);
    expect(limit).toMatchObject({
      isSliding: true,
      quota: 15,
      spanMs: 7500,
      requests: 120,
      windowMs: MINUTE,
    });
    limit.showSliding(0, false);
    expect(limit).toMatchObject({ isSliding: false, quota: 120, spanMs: MINUTE });
  });

  test("its length is the usual one when it is found out, whatever was believed before", () => {
    const limit = createKnown();
    limit.showLength(20_000);
    limit.showSliding(0, false);
    expect(limit.windowMs).toBe(20_000);
    limit.showSliding(0, true);
    expect(limit.windowMs).toBe(MINUTE);
    limit.windowMs = 50_000;
    limit.showSliding(0, true);
    expect(limit.windowMs).toBe(50_000);
  });

  test("what seemed to be missing was its own: nobody else spends", () => {
    const limit = createKnown();
    limit.sumUp(over({ remaining: 20, came: 40 }));
    expect(limit.othersWithin(MINUTE)).toBeGreaterThan(0);
    limit.showSliding(0, true);
    expect(limit.othersWithin(MINUTE)).toBe(0);
    limit.sumUp(over({ remaining: 20, came: 40 }));
    expect(limit.othersWithin(MINUTE)).toBe(0);
  });

  test("while it slides its limit is shown by every answer that says so", () => {
    const shown = (isSliding: boolean) => {
      const limit = createKnown(120);
      limit.showSliding(9 * MINUTE, isSliding);
      limit.showSliding(9 * MINUTE, false);
      limit.sumUp(over({ remaining: 10, answered: 50, came: 50, answeredAt: 11 * MINUTE }));
      return limit.requests;
    };
    expect(shown(true)).toBe(120);
    expect(shown(false)).toBe(60);
  });
});

describe("others on the same key", () => {
  test("nobody knows of them before a window's end; from then on they are there if something was missing", () => {
    const limit = createKnown();
    expect(limit.isShared(0)).toBe(true);
    expect(limit.othersWithin(MINUTE)).toBe(0);
    limit.sumUp(over({ remaining: 20, came: 100 }));
    expect(limit.isShared(MINUTE)).toBe(false);
    expect(limit.othersWithin(MINUTE)).toBe(0);
  });

  test("what is missing in a window is theirs, and they go on so", () => {
    const limit = createKnown();
    limit.sumUp(over({ remaining: 20, came: 76 }));
    expect(limit.othersWithin(MINUTE)).toBeCloseTo(24, 9);
    expect(limit.othersWithin(MINUTE / 2)).toBeCloseTo(12, 9);
    limit.sumUp(over({ remaining: 20, came: 92 }));
    expect(limit.othersWithin(MINUTE)).toBeCloseTo(16, 9);
  });

  test("how fast is measured between a window's opening and its last answer", () => {
    const limit = createKnown();
    limit.sumUp(over({ remaining: 20, came: 88, openedAt: 10_000, answeredAt: 40_000 }));
    expect(limit.othersWithin(MINUTE)).toBeCloseTo(24, 9);
  });

  test("a glimpse of less than a tenth of a window says nothing of them", () => {
    const limit = createKnown();
    limit.sumUp(over({ remaining: 20, came: 76, answeredAt: 5999 }));
    expect(limit.isShared(0)).toBe(true);
    expect(limit.othersWithin(MINUTE)).toBe(0);
    limit.sumUp(over({ remaining: 117, came: 0, answeredAt: 6000 }));
    expect(limit.othersWithin(MINUTE)).toBeCloseTo(30, 9);
  });

  test("more that came than was counted is nobody's", () => {
    const limit = createKnown();
    limit.sumUp(over({ remaining: 100, came: 40 }));
    expect(limit.othersWithin(MINUTE)).toBe(0);
    limit.sumUp(over({ remaining: 20, came: 80 }));
    expect(limit.othersWithin(MINUTE)).toBeCloseTo(10, 9);
  });

  test("less than one a window is nobody", () => {
    const limit = createKnown();
    limit.sumUp(over({ remaining: 20, came: 98 }));
    limit.sumUp(over({ remaining: 20, came: 100 }));
    expect(limit.othersWithin(MINUTE)).toBeCloseTo(1, 9);
    limit.sumUp(over({ remaining: 20, came: 100 }));
    expect(limit.othersWithin(MINUTE)).toBe(0);
  });

  test("no more is left to them than to ourselves", () => {
    const limit = createKnown();
    limit.sumUp(over({ remaining: 0, came: 10 }));
    expect(limit.othersWithin(MINUTE)).toBeCloseTo(60, 9);
    expect(limit.othersWithin(MINUTE / 4)).toBeCloseTo(15, 9);
  });

  test.each([
    [10, 107, false],
    [10, 106, true],
    [9, 107, true],
  ])(
    "%i that remain after %i of our own show somebody else, who may come back for ten minutes: %s",
    (remaining, own, isShared) => {
      const limit = createKnown();
      limit.sumUp(over({ remaining: 20, came: 100 }));
      limit.showRemaining(5 * MINUTE, remaining, own);
      expect(limit.isShared(15 * MINUTE - 1)).toBe(isShared);
      expect(limit.isShared(15 * MINUTE)).toBe(false);
    },
  );
});
