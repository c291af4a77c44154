import { expect, test } from "vitest";
import { dateOf, momentOf } from "../../emulator/dashboard/views/clock/moments.js";

const NOW = Date.parse("2026-01-01T10:00:00Z");
const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];

test.each([
  ["8 days", 8 * DAY],
  ["1 day", DAY],
  ["+7d", 7 * DAY],
  ["in 2 weeks", 14 * DAY],
  ["1h 30m", 1.5 * HOUR],
  ["1h30m", 1.5 * HOUR],
  ["1 hour and 5 minutes, 2 seconds", HOUR + 5 * MINUTE + 2 * SECOND],
  ["8d", 8 * DAY],
  ["90 s", 90 * SECOND],
  ["1 h 30 min", 1.5 * HOUR],
  ["1.5 h", 1.5 * HOUR],
  ["90s", 90 * SECOND],
  ["10 min", 10 * MINUTE],
  ["2026-01-02", 14 * HOUR],
  ["2026-01-01 12:00", 2 * HOUR],
  ["2026-01-01T12:00:30Z", 2 * HOUR + 30 * SECOND],
  [" 2026-01-01 12:00 UTC ", 2 * HOUR],
  ["2026-01-01 11:00:00.001", HOUR + 1],
  ["2025-12-31", -34 * HOUR],
])("%s is a time", (text, ms) => {
  expect(momentOf(text, NOW)).toBe(NOW + ms);
});

test.each([
  "",
  "8",
  "days",
  "8 moons",
  "8 days later",
  "-1 day",
  "2026-13-01",
  "2026-02-30",
  "2026-04-31 12:00",
  "2026-01-01 25:00",
  "12:00",
  "999999999999 days",
  "2900000 days",
  "1000000 weeks",
])("%j is no time", (text) => {
  expect(momentOf(text, NOW)).toBeNull();
});

test.each(["2026-01-31 12:00:00", "2026-01-01 11:00:00.001"])("%s is the text of its own time", (text) => {
  expect(dateOf(momentOf(text, NOW) ?? 0)).toBe(text);
});
