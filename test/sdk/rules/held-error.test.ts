import { expect, test } from "vitest";
import type { Call } from "../../../src/http/context.js";
import { heldError } from "../../../src/http/failure.js";
import { createMemoryPacer } from "../../../src/rate-limit/memory-pacer.js";
import { createTestClock, START } from "../../support/test-clock.js";

const CALL: Call = { method: "GET", path: "/", kind: "read", purpose: "read the task", taskId: "t-1" };

test("a call that may not wait so long is told until when the key is held back", async () => {
  const clock = createTestClock({ skips: false });
  const pacer = createMemoryPacer(clock);
  await pacer.admit({ kind: "read" });
  pacer.report({ sentAt: START, remaining: null, heldForMs: 90_500 });
  clock.jump(30_000);
  const error = heldError({ clock, pacer }, CALL, "request-1");
  expect(error).toMatchObject({
    status: 429,
    errorCode: "rate_limited",
    requestId: "request-1",
    taskId: "t-1",
    retryAfterSeconds: 61,
    retryAt: new Date(START + 90_500),
  });
  expect(error.message).toContain("2026-01-01T00:01:30.500Z");
});

test("a hold that has just ended is over now", () => {
  const clock = createTestClock({ skips: false });
  const error = heldError({ clock, pacer: createMemoryPacer(clock) }, CALL, "request-1");
  expect(error).toMatchObject({ retryAfterSeconds: 0, retryAt: new Date(START) });
});
