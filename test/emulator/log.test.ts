import { expect, test } from "vitest";
import { type LoggedRequest, logRequest, REMEMBERED_REQUESTS } from "../../emulator/core/audit.js";

test("the log remembers the last 100,000 requests, and never twice as many", () => {
  const log: LoggedRequest[] = [];
  const request = { at: "", method: "GET", path: "/", status: 200, account_id: null, error_code: null };
  let longest = 0;
  for (let number = 1; number <= 250_000; number++) {
    logRequest(log, new Set(), { ...request, request_id: String(number) }, undefined);
    longest = Math.max(longest, log.length);
  }
  expect(REMEMBERED_REQUESTS).toBe(100_000);
  expect(longest).toBeLessThanOrEqual(200_000);
  expect(log.slice(-100_000).map(({ request_id: id }) => Number(id))).toEqual(
    Array.from({ length: 100_000 }, (_, index) => 150_001 + index),
  );
});
