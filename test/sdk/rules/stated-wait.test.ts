import { expect, test } from "vitest";
import { statedWaitMs } from "../../../src/http/response.js";

const NOW = Date.UTC(2026, 0, 1, 12);
const DAY_MS = 86_400_000;
const MONTHS = 90 * DAY_MS;

const date = (ms: number) => new Date(ms).toUTCString();

const LONGEST = "9".repeat(400);

/** What a `Retry-After` states, and the wait in milliseconds. */
const HEADERS: [says: string, header: string, waitMs: number | null][] = [
  ["seconds", "7", 7000],
  ["zero seconds", "0", 0],
  ["padded seconds", "  7 ", 7000],
  ["a fraction of a second, which is rounded up", "1.2345", 1235],
  ["a negative number", "-5", null],
  ["garbage", "soon", null],
  ["nothing", "", null],
  ["a number with a unit", "5s", null],
  ["hexadecimal", "0x10", null],
  ["a date", date(NOW + 9000), 9000],
  ["a date that does not begin with its day", "1 Jan 2030 00:00:00 GMT", null],
  ["seconds twice, as two proxies may add them", "7, 7", 7000],
  ["seconds three times: the longest wait counts", "5,40, 1.5", 40_000],
  ["a date twice", `${date(NOW + 3000)}, ${date(NOW + 9000)}`, 9000],
  ["a date and seconds", `${date(NOW + 9000)}, 12`, 12_000],
  ["seconds and a date", `7, ${date(NOW + 9000)}`, 9000],
  ["a date in the past", date(NOW - 9000), 0],
  ["a day", "86400", DAY_MS],
  ["sixty days, which is limited to one day", "5184000", DAY_MS],
  ["a date next year", date(NOW + 366 * DAY_MS), DAY_MS],
  ["a number too large for a double", LONGEST, DAY_MS],
  ["thousands of years", "999999999999", DAY_MS],
];

test.each(HEADERS)("a `Retry-After` with %s", (_, header, waitMs) => {
  expect(statedWaitMs(new Headers({ "Retry-After": header }), undefined, NOW)).toBe(waitMs);
});

/** The `retry_after_seconds` of a body, the header, and the wait in milliseconds. */
const BODIES: [seconds: unknown, header: string | null, waitMs: number | null][] = [
  [undefined, null, null],
  [4, null, 4000],
  [0, null, 0],
  [1.5, null, 1500],
  [-1, null, null],
  ["4", null, null],
  [null, null, null],
  [1e308, null, DAY_MS],
  [6, "2", 6000],
  [2, "6", 6000],
  [3, LONGEST, DAY_MS],
  [3, "x", 3000],
];

test.each(BODIES)("`retry_after_seconds: %j` beside a `Retry-After` of %j", (seconds, header, waitMs) => {
  const headers = new Headers(header === null ? {} : { "Retry-After": header });
  expect(statedWaitMs(headers, { retry_after_seconds: seconds }, NOW)).toBe(waitMs);
});

test("a body that is not an object states no wait", () => {
  expect(statedWaitMs(new Headers(), "4", NOW)).toBeNull();
});

/** A date counts from the server's clock. It has passed by that one if the date is of another clock. */
const DATES: [when: string, date: number, server: number, waitMs: number][] = [
  ["it is now by the client's clock, and in the future by the server's", NOW, NOW - 60_000, 60_000],
  ["both clocks agree", NOW + 9000, NOW, 9000],
  ["the server's clock is behind, and the date is in the future for both", NOW + 9000, NOW - 60_000, 69_000],
  ["the server's clock is behind, and the date has passed for the client", NOW - 51_000, NOW - 60_000, 9000],
  ["the server's clock is ahead of the client's", NOW + 69_000, NOW + 60_000, 9000],
  ["the client's clock is months behind", NOW + MONTHS + 9000, NOW + MONTHS, 9000],
  ["the client's clock is months behind, and it is now by the server's", NOW + MONTHS, NOW + MONTHS, 0],
  ["the client's clock is months ahead, as a virtual one can be", NOW - MONTHS + 9000, NOW - MONTHS, 9000],
  ["it is of the client's clock, and the server's is months ahead", NOW + 9000, NOW + MONTHS, 9000],
  ["it is of the client's clock, and the server's is months behind", NOW + 9000, NOW - MONTHS, DAY_MS],
  ["it has passed for both", NOW - 9000, NOW, 0],
];

test.each(DATES)("a Retry-After date: %s", (_, retryAfter, server, waitMs) => {
  const headers = new Headers({ "Retry-After": date(retryAfter), Date: date(server) });
  expect(statedWaitMs(headers, undefined, NOW)).toBe(waitMs);
});
