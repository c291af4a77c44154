import { expect, onTestFinished, test } from "vitest";
import { turnOf } from "../../../../src/databases/redis/fleet-share.js";
import type { RequestKind } from "../../../../src/rate-limit/pacer.js";
import { START, turns } from "../../../support/test-clock.js";
import { createKey, MINUTE } from "./key.js";

// Limits: 120 requests in a window of a minute. Tenants that wait divide them, as one key serves many customers.

const OLD_TASK = {
  model: "provider_a",
  type: "music",
  submittedAt: START - 2 * MINUTE,
  unfinishedAt: START - MINUTE,
};

/** A window of which the first request has just shown the beginning, and requests of tenants, without responses. */
async function createWindow() {
  const key = createKey();
  await key.request("create", 119);
  const leaving = new AbortController();
  const sent = new Map<string | undefined, number>();
  const send = async (tenant: string | undefined, kind: RequestKind, count: number, dueMs = 0) => {
    for (let each = 0; each < count; each++) {
      const due = { notBefore: START + dueMs, dueBy: START + dueMs };
      const poll = kind === "poll" ? { ...due, task: OLD_TASK, taskId: `${tenant} ${each}` } : {};
      const note = () => void sent.set(tenant, (sent.get(tenant) ?? 0) + 1);
      key.pacer.admit({ kind, tenant, ...poll }, leaving.signal).then(note, () => {});
    }
    await turns(1);
  };
  const sentOf = (tenant: string) => sent.get(tenant) ?? 0;
  const advanceTo = async (elapsedMs: number) => {
    while (key.clock.elapsed() < elapsedMs)
      await key.clock.advance(Math.min(500, elapsedMs - key.clock.elapsed()));
  };
  onTestFinished(() => {
    leaving.abort();
    return turns(1);
  });
  return { ...key, send, sentOf, advanceTo };
}

test("a tenant with many reads leaves one song of another tenant, which comes first", async () => {
  const { send, sentOf, remaining } = await createWindow();
  await send("crowd", "read", 300);
  // One request, and a poll in each 5 s of the window.
  expect(remaining()).toBe(13);
  const crowd = sentOf("crowd");
  await send("other", "create", 1);
  await send("other", "poll", 5);
  expect([sentOf("crowd"), sentOf("other")]).toEqual([crowd, 6]);
});

test("polls of a tenant that has had its part leave the parts of those that are due later", async () => {
  const { send, sentOf, advanceTo } = await createWindow();
  await send("late", "poll", 100, 20_000);
  await send("early", "poll", 100);
  await advanceTo(19_999);
  expect(sentOf("early")).toBeLessThanOrEqual(70);
  expect(sentOf("late")).toBe(0);
  await advanceTo(40_000);
  expect(sentOf("late")).toBeGreaterThanOrEqual(40);
});

test("what a tenant has left to others, it may use in the last half second of a window", async () => {
  const { send, advanceTo, remaining } = await createWindow();
  await send("crowd", "create", 300);
  await advanceTo(59_499);
  expect(remaining()).toBe(1);
  await advanceTo(59_500);
  expect(remaining()).toBe(0);
});

test("a tenant that has had its part of a window leaves one song of another tenant until near its end", async () => {
  const { send, sentOf, advanceTo } = await createWindow();
  await send("crowd", "create", 300);
  await advanceTo(50_000);
  await send("other", "create", 1);
  await send("other", "poll", 1, 55_000);
  await advanceTo(55_000);
  expect(sentOf("other")).toBe(2);
});

test("also a tenant that has sent nothing waits for the end of a 429", async () => {
  const { hold, send, sentOf, advanceTo } = await createWindow();
  hold(30_000);
  await send("other", "create", 1);
  await advanceTo(29_999);
  expect(sentOf("other")).toBe(0);
  await advanceTo(30_000);
  expect(sentOf("other")).toBe(1);
});

test("without tenants, a program may use the whole window at once", async () => {
  const { send, remaining } = await createWindow();
  await send(undefined, "read", 300);
  expect(remaining()).toBe(0);
});

test("a process that shares its window is told which of its tenants have had their part, and what they leave", async () => {
  const { clock, pacer, send } = await createWindow();
  const budget = { polls: 119, now: clock.now(), until: clock.now() + MINUTE, from: clock.now(), limit: 120 };
  const turn = (tenant?: string) => turnOf(pacer.tenants, tenant, { budget: () => budget }, clock.now());
  // Without tenants, nothing is left to others.
  expect(turn()).toEqual({ isAhead: true, leave: 0 });
  await send("crowd", "read", 300);
  expect(turn("crowd")).toEqual({ isAhead: true, leave: 13 });
  expect(turn("other")).toEqual({ isAhead: false, leave: 0 });
});
