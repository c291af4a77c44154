import { describe, expect, test } from "vitest";
import { Periods } from "../../../src/budget/period.js";

const HOUR_MS = 3_600_000;

const periodAt = (per: "day" | "month", timeZone: string, at: string) => {
  const { name, until } = new Periods({ per, timeZone }).at(Date.parse(at));
  return [name, until?.toISOString()];
};

test.each([
  ["UTC", "2026-03-29T12:00:00Z", "2026-03-29", "2026-03-30T00:00:00.000Z"],
  ["UTC", "2026-03-29T00:00:00Z", "2026-03-29", "2026-03-30T00:00:00.000Z"],
  ["UTC", "2026-03-28T23:59:59.999Z", "2026-03-28", "2026-03-29T00:00:00.000Z"],
  // 23 hours and 25 hours
  ["Europe/Lisbon", "2026-03-29T00:00:00Z", "2026-03-29", "2026-03-29T23:00:00.000Z"],
  ["Europe/Lisbon", "2026-10-24T23:00:00Z", "2026-10-25", "2026-10-26T00:00:00.000Z"],
  ["America/New_York", "2026-03-08T05:00:00Z", "2026-03-08", "2026-03-09T04:00:00.000Z"],
  ["America/New_York", "2026-11-01T04:00:00Z", "2026-11-01", "2026-11-02T05:00:00.000Z"],
  ["Asia/Kathmandu", "2026-01-01T18:14:59Z", "2026-01-01", "2026-01-01T18:15:00.000Z"],
  ["Pacific/Kiritimati", "2026-01-01T10:00:00Z", "2026-01-02", "2026-01-02T10:00:00.000Z"],
  // Midnight does not exist on this day: it begins at 1 o'clock.
  ["America/Santiago", "2026-09-06T03:59:59Z", "2026-09-05", "2026-09-06T04:00:00.000Z"],
  // The clocks are set back at midnight: the day has 25 hours.
  ["America/Santiago", "2026-04-04T03:00:00Z", "2026-04-04", "2026-04-05T04:00:00.000Z"],
])("in %s, the day of %s is %s and ends at %s", (timeZone, at, name, until) => {
  expect(periodAt("day", timeZone, at)).toEqual([name, until]);
});

test.each([
  ["UTC", "2026-02-28T23:59:59Z", "2026-02", "2026-03-01T00:00:00.000Z"],
  ["UTC", "2028-02-29T12:00:00Z", "2028-02", "2028-03-01T00:00:00.000Z"],
  ["Europe/Lisbon", "2026-03-01T00:00:00Z", "2026-03", "2026-03-31T23:00:00.000Z"],
  ["America/New_York", "2026-12-01T05:00:00Z", "2026-12", "2027-01-01T05:00:00.000Z"],
])("in %s, the month of %s is %s and ends at %s", (timeZone, at, name, until) => {
  expect(periodAt("month", timeZone, at)).toEqual([name, until]);
});

describe("one budget that lives for years", () => {
  test("periods follow each other without a gap, also if the time is set back", () => {
    const periods = new Periods({ per: "day", timeZone: "Europe/Lisbon" });
    let now = Date.parse("2026-01-01T00:00:00Z");
    const seen = new Set<string>();
    while (now < Date.parse("2027-01-01T00:00:00Z")) {
      const { name, until, oldest } = periods.at(now);
      expect(seen.has(name)).toBe(false);
      seen.add(name);
      expect(oldest < name).toBe(true);
      const end = until?.getTime() ?? 0;
      expect(periods.at(end - 1).name).toBe(name);
      expect(periods.at(now).name).toBe(name);
      expect([23, 24, 25]).toContain((end - now) / HOUR_MS);
      now = end;
    }
    expect(seen.size).toBe(365);
  });
});

test("all time has no end", () => {
  expect(new Periods({ per: "total" }).at(0)).toEqual({ name: "total", until: null, oldest: "" });
});
