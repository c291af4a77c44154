import { expect, test } from "vitest";
import { statedWaitMs } from "../../../src/http/attempt.js";

const NOW = Date.UTC(2026, 0, 1, 12);
const DAY_MS = 86_400_000;

const date = (ms: number) => new Date(ms).toUTCString();

/** What the answer says, and the wait in milliseconds that it amounts to. */
const WAITS: [says: string, headers: Record<string, string>, body: unknown, waitMs: number | null][] = [
  ["nothing", {}, undefined, null],
  ["seconds in the header", { "Retry-After": "7" }, undefined, 7000],
  ["no seconds in the header", { "Retry-After": "0" }, undefined, 0],
  ["padded seconds", { "Retry-After": "  7 " }, undefined, 7000],
  ["a part of a second, which is rounded up and not down", { "Retry-After": "1.2345" }, undefined, 1235],
  ["less than nothing", { "Retry-After": "-5" }, undefined, null],
  ["garbage", { "Retry-After": "soon" }, undefined, null],
  ["an empty header", { "Retry-After": "" }, undefined, null],
  ["a number with a unit", { "Retry-After": "5s" }, undefined, null],
  ["hexadecimal", { "Retry-After": "0x10" }, undefined, null],
  ["a date", { "Retry-After": date(NOW + 9000) }, undefined, 9000],
  ["a date that does not begin with its day", { "Retry-After": "1 Jan 2030 00:00:00 GMT" }, undefined, null],
  ["seconds twice, as two servers on the way may add them", { "Retry-After": "7, 7" }, undefined, 7000],
  ["seconds three times, of which the longest count", { "Retry-After": "5,40, 1.5" }, undefined, 40_000],
  ["a date twice", { "Retry-After": `${date(NOW + 3000)}, ${date(NOW + 9000)}` }, undefined, 9000],
  ["a date and seconds", { "Retry-After": `${date(NOW + 9000)}, 12` }, undefined, 12_000],
  ["seconds and a date", { "Retry-After": `7, ${date(NOW + 9000)}` }, undefined, 9000],
  ["a date in the past", { "Retry-After": date(NOW - 9000) }, undefined, 0],
  ["seconds in the body", {}, { retry_after_seconds: 4 }, 4000],
  ["no seconds in the body", {}, { retry_after_seconds: 0 }, 0],
  ["a part of a second in the body", {}, { retry_after_seconds: 1.5 }, 1500],
  ["less than nothing in the body", {}, { retry_after_seconds: -1 }, null],
  ["text in the body", {}, { retry_after_seconds: "4" }, null],
  ["null in the body", {}, { retry_after_seconds: null }, null],
  ["a body that is no object", {}, "4", null],
  ["more in the body than in the header", { "Retry-After": "2" }, { retry_after_seconds: 6 }, 6000],
  ["less in the body than in the header", { "Retry-After": "6" }, { retry_after_seconds: 2 }, 6000],
  ["a day", { "Retry-After": "86400" }, undefined, DAY_MS],
  ["sixty days, of which one counts", { "Retry-After": "5184000" }, undefined, DAY_MS],
  ["a date next year", { "Retry-After": date(NOW + 366 * DAY_MS) }, undefined, DAY_MS],
  ["more digits than a number has", { "Retry-After": "9".repeat(400) }, undefined, DAY_MS],
  ["thousands of years", { "Retry-After": "999999999999" }, undefined, DAY_MS],
  ["more in the body than a number has", {}, { retry_after_seconds: 1e308 }, DAY_MS],
  [
    "an endless wait in the header and seconds in the body",
    { "Retry-After": "9".repeat(400) },
    { retry_after_seconds: 3 },
    DAY_MS,
  ],
  ["garbage in the header and seconds in the body", { "Retry-After": "x" }, { retry_after_seconds: 3 }, 3000],
];

test.each(WAITS)("an answer that says %s", (_, headers, body, waitMs) => {
  expect(statedWaitMs(new Headers(headers), body, NOW)).toBe(waitMs);
});

/** A date is one of our clock, which the SDK waits by; the server's own date helps only where ours runs ahead. */
const DATES: [when: string, date: number, server: number, waitMs: number][] = [
  ["it is now for us, and lies ahead for the server", NOW, NOW - 60_000, 60_000],
  ["both clocks agree", NOW + 9000, NOW, 9000],
  ["the server's clock is behind ours, but not by so much", NOW + 9000, NOW - 60_000, 9000],
  ["the server's clock is so far behind that the date has passed for us", NOW - 51_000, NOW - 60_000, 9000],
  ["the server's clock is ahead of ours", NOW + 69_000, NOW + 60_000, 69_000],
  [
    "our clock lives long after the server's, as a virtual one may",
    NOW - 90 * DAY_MS + 9000,
    NOW - 90 * DAY_MS,
    9000,
  ],
  ["the date is of our time and the server lives long after it", NOW + 9000, NOW + 90 * DAY_MS, 9000],
  ["the date is of our time and the server lives long before it", NOW + 9000, NOW - 90 * DAY_MS, 9000],
  ["the date has passed for both", NOW - 9000, NOW, 0],
];

test.each(DATES)("a Retry-After date when %s", (_, retryAfter, server, waitMs) => {
  const headers = new Headers({ "Retry-After": date(retryAfter), Date: date(server) });
  expect(statedWaitMs(headers, undefined, NOW)).toBe(waitMs);
});
