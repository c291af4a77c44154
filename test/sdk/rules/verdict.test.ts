import { expect, test } from "vitest";
import type { Call, Outcome, Unanswered } from "../../../src/http/context.js";
import { judgeRead } from "../../../src/http/failure.js";
import { createContext } from "../../support/context.js";
import { createResponse } from "../../support/response.js";

// Errors, retry rules: safe requests may be retried.

const CALL: Call = { method: "GET", path: "/", kind: "read", purpose: "read the task" };

const unanswered = (kind: Unanswered["kind"], fields: Partial<Unanswered> = {}): Outcome => ({
  kind,
  url: "https://music.example/api/v1/task/1",
  timeoutMs: 30_000,
  status: null,
  text: "",
  cause: "why",
  ...fields,
});

const judge = (outcome: Outcome, call = CALL) =>
  judgeRead({ context: createContext(), call, requestId: "request-1", outcome });

const answered = (status: number): Outcome => ({ kind: "answered", response: createResponse(status) });

test.each(["aborted", "aborted_before_sending"] as const)(
  "who has left gets their own reason, and no other try: %s",
  (kind) => {
    expect(judge(unanswered(kind))).toEqual({ error: "why", mayResend: false });
  },
);

test.each([
  ["timed_out", "RequestTimeoutError"],
  ["never_left", "ConnectionError"],
  ["lost", "ConnectionError"],
] as const)("a read without an answer may be tried again: %s", (kind, name) => {
  expect(judge(unanswered(kind))).toMatchObject({ mayResend: true, error: { name } });
});

test.each([
  [302, false],
  [400, false],
  [404, false],
  [429, true],
  [499, false],
  [500, true],
  [503, true],
])("after a %i a read may be tried again: %s", (status, mayResend) => {
  expect(judge(answered(status))).toMatchObject({ mayResend, error: { status } });
});

test.each([
  ["https://music.example", undefined, "so nothing was sent. (request id"],
  ["https://music.example", "Ask again.", "so nothing was sent. Ask again. (request id"],
  ["http://emulator.async-music.test", undefined, "with its `fetch`. (request id"],
  ["http://emulator.async-music.test", "Ask again.", "with its `fetch`. Ask again. (request id"],
])(
  "of a connection to %s that was never made, with the advice %j, the message ends: %s",
  (url, advice, end) => {
    const call = advice === undefined ? CALL : { ...CALL, advice };
    const { error } = judge(unanswered("never_left", { url }), call);
    expect(String(error)).toContain(end);
    expect(String(error).includes("emulator.connection()")).toBe(url.includes("async-music.test"));
  },
);
