import { expect, test } from "vitest";
import { statedWaitMs } from "../../../src/http/response.js";

const NOW = Date.UTC(2026, 0, 1, 12);
const DAY_MS = 86_400_000;

const date = (ms: number) => new Date(ms).toUTCString();

/** A response's headers and body, and the wait in milliseconds that they state. */
const WAITS: [says: string, headers: Record<string, string>, body: unknown, waitMs: number | null][] = [
  ["nothing", {}, undefined, null],
  ["seconds in the header", { "Retry-After": "7" }, undefined, 7000],
  ["zero seconds in the header", { "Retry-After": "0" }, undefined, 0],
  ["padded seconds", { "Retry-After": "  7 " }, undefined, 7000],
  ["a fraction of a second, which is rounded up", { "Retry-After": "1.2345" }, undefined, 1235],
  ["a negative number", { "Retry-After": "-5" }, undefined, null],
  ["garbage", { "Retry-After": "soon" }, undefined, null],
  ["an empty header", { "Retry-After": "" }, undefined, null],
  ["a number with a unit", { "Retry-After": "5s" }, undefined, null],
  ["hexadecimal", { "Retry-After": "0x10" }, undefined, null],
  ["a date", { "Retry-After": date(NOW + 9000) }, undefined, 9000],
  ["a date that does not begin with its day", { "Retry-After": "1 Jan 2030 00:00:00 GMT" }, undefined, null],
  ["seconds twice, as two proxies may add them", { "Retry-After": "7, 7" }, undefined, 7000],
  ["seconds three times: the longest wait counts", { "Retry-After": "5,40, 1.5" }, undefined, 40_000],
  ["a date twice", { "Retry-After": `${date(NOW + 3000)}, ${date(NOW + 9000)}` }, undefined, 9000],
  ["a date and seconds", { "Retry-After": `${date(NOW + 9000)}, 12` }, undefined, 12_000],
  ["seconds and a date", { "Retry-After": `7, ${date(NOW + 9000)}` }, undefined, 9000],
  ["a date in the past", { "Retry-After": date(NOW - 9000) }, undefined, 0],
  ["seconds in the body", {}, { retry_after_seconds: 4 }, 4000],
  ["zero seconds in the body", {}, { retry_after_seconds: 0 }, 0],
  ["a fraction of a second in the body", {}, { retry_after_seconds: 1.5 }, 1500],
  ["a negative number in the body", {}, { retry_after_seconds: -1 }, null],
  ["a string in the body", {}, { retry_after_seconds: "4" }, null],
  ["null in the body", {}, { retry_after_seconds: null }, null],
  ["a body that is not an object", {}, "4", null],
  ["more in the body than in the header", { "Retry-After": "2" }, { retry_after_seconds: 6 }, 6000],
  ["less in the body than in the header", { "Retry-After": "6" }, { retry_after_seconds: 2 }, 6000],
  ["a day", { "Retry-After": "86400" }, undefined, DAY_MS],
  ["sixty days, which is limited to one day", { "Retry-After": "5184000" }, undefined, DAY_MS],
  ["a date next year", { "Retry-After": date(NOW + 366 * DAY_MS) }, undefined, DAY_MS],
  ["a number too large for a double", { "Retry-After": "9".repeat(400) }, undefined, DAY_MS],
  ["thousands of years", { "Retry-After": "999999999999" }, undefined, DAY_MS],
  ["a number in the body whose milliseconds overflow", {}, { retry_after_seconds: 1e308 }, DAY_MS],
  [
    "an infinite wait in the header and seconds in the body",
    { "Retry-After": "9".repeat(400) },
    { retry_after_seconds: 3 },
    DAY_MS,
  ],
  ["garbage in the header and seconds in the body", { "Retry-After": "x" }, { retry_after_seconds: 3 }, 3000],
];

test.each(WAITS)("the stated wait of a response with %s", (_, headers, body, waitMs) => {
  expect(statedWaitMs(new Headers(headers), body, NOW)).toBe(waitMs);
});

/** Dates are compared with the client's clock. The server's `Date` counts only if the client's clock is ahead. */
const DATES: [when: string, date: number, server: number, waitMs: number][] = [
  ["it is now by the client's clock, and in the future by the server's", NOW, NOW - 60_000, 60_000],
  ["both clocks agree", NOW + 9000, NOW, 9000],
  ["the server's clock is behind, and the date is in the future for both", NOW + 9000, NOW - 60_000, 9000],
  [
    "the server's clock is behind, and the date has passed only for the client",
    NOW - 51_000,
    NOW - 60_000,
    9000,
  ],
  ["the server's clock is ahead of the client's", NOW + 69_000, NOW + 60_000, 69_000],
  [
    "the client's clock is months ahead of the server's, as a virtual clock can be",
    NOW - 90 * DAY_MS + 9000,
    NOW - 90 * DAY_MS,
    9000,
  ],
  [
    "the date matches the client's clock, and the server's clock is months ahead",
    NOW + 9000,
    NOW + 90 * DAY_MS,
    9000,
  ],
  [
    "the date matches the client's clock, and the server's clock is months behind",
    NOW + 9000,
    NOW - 90 * DAY_MS,
    9000,
  ],
  ["the date has passed for both", NOW - 9000, NOW, 0],
];

test.each(DATES)("a Retry-After date: %s", (_, retryAfter, server, waitMs) => {
  const headers = new Headers({ "Retry-After": date(retryAfter), Date: date(server) });
  expect(statedWaitMs(headers, undefined, NOW)).toBe(waitMs);
});
