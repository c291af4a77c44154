import { expect, test } from "vitest";
import {
  type Audit,
  auditRequest,
  createAudit,
  MOST_NOTES,
  Notes,
  REMEMBERED_FINDINGS,
} from "../../emulator/core/log/audit.js";
import { type LoggedRequest, logRequest, REMEMBERED_REQUESTS } from "../../emulator/core/log/request-log.js";

function auditRefused(audit: Audit, arrival: number, name = `request ${arrival}`): void {
  const at = "2026-01-01T00:00:00.000Z";
  const request = {
    loggedId: String(arrival),
    arrivalOrdinal: arrival,
    arrivedAt: 0,
    now: 0,
    at,
    submission: null,
    abandoned: null,
    caller: null,
  };
  const outcome = { fingerprint: () => name, task: null, known: "refused", retryAfterSeconds: 60 } as const;
  auditRequest(audit, request, outcome, arrival);
}

test("the audit keeps the stated waits of the last 10,000 requests that had one", () => {
  const audit = createAudit();
  for (let number = 0; number < 12_000; number++) auditRefused(audit, number);
  const names = Object.keys(audit.waits.toJSON());
  expect(MOST_NOTES).toBe(10_000);
  expect(names).toEqual(Array.from({ length: 10_000 }, (_, index) => `request ${2_000 + index}`));
});

test("a renewed record is dropped after older ones", () => {
  const notes = new Notes<number>({ first: 0 });
  for (let number = 1; number < MOST_NOTES; number++) notes.keep(() => `note ${number}`, number);
  notes.keep(() => "first", 1);
  notes.keep(() => "last", 2);
  expect([notes.find(() => "first"), notes.find(() => "note 1")]).toEqual([1, undefined]);
  expect(Object.keys(notes.toJSON())).toHaveLength(MOST_NOTES);
});

test("the audit keeps the last 10,000 findings, and at most 20,000", () => {
  const audit = createAudit();
  let most = 0;
  // The first request gets a wait. Each of the others is sent before it is over.
  for (let number = 0; number <= 25_000; number++) {
    auditRefused(audit, number, "the same");
    most = Math.max(most, audit.findings.length);
  }
  expect(REMEMBERED_FINDINGS).toBe(10_000);
  expect(most).toBeLessThanOrEqual(20_000);
  expect(audit.findings.slice(-10_000).map(({ request_id: id }) => Number(id))).toEqual(
    Array.from({ length: 10_000 }, (_, index) => 15_001 + index),
  );
});

test("the log keeps the last 100,000 requests, and at most 200,000", () => {
  const log: LoggedRequest[] = [];
  const request = { at: "", method: "GET", path: "/", status: 200, account_id: null, error_code: null };
  let longest = 0;
  for (let number = 1; number <= 250_000; number++) {
    logRequest(log, new Set(), { ...request, request_id: String(number) });
    longest = Math.max(longest, log.length);
  }
  expect(REMEMBERED_REQUESTS).toBe(100_000);
  expect(longest).toBeLessThanOrEqual(200_000);
  expect(log.slice(-100_000).map(({ request_id: id }) => Number(id))).toEqual(
    Array.from({ length: 100_000 }, (_, index) => 150_001 + index),
  );
});
