import { expect, test } from "vitest";
import { createKey, MINUTE } from "./key.js";

// A service may count the requests of the last 60 s instead.

/** A key with one poll a second until a time. */
async function createSliding(untilMs: number) {
  const key = createKey();
  const times: number[] = [];
  for (let ms = 0; ms < untilMs; ms += 1000) {
    key.at(ms);
    times.push(ms);
    await key.request("poll", 120 - times.filter((time) => time > ms - MINUTE).length);
  }
  const at = (sinceMs: number) => key.at(untilMs + sinceMs);
  return { ...key, at };
}

test("is detected when requests from 60 s ago stop counting, and has no reset time", async () => {
  expect((await createSliding(MINUTE)).endsAt()).toBe(MINUTE);
  const { pacer, remaining, at } = await createSliding(MINUTE + 1000);
  expect(pacer.rateLimit()).toMatchObject({ limit: 120, resetAt: null });
  at(10 * MINUTE);
  expect(remaining()).toBe(120);
});

test("has the limit minus the requests of the last 60 s remaining", async () => {
  const { send, remaining, at } = await createSliding(3 * MINUTE);
  at(-1);
  expect(remaining()).toBe(59);
  at(0);
  expect(remaining()).toBe(60);
  at(10_000);
  expect(remaining()).toBe(70);
  await send("create", 3);
  expect(remaining()).toBe(67);
});

test("gives each rank a share of each 5 s: 4.5 creates come before polls", async () => {
  const { clock, pacer, at } = await createSliding(3 * MINUTE);
  at(5000);
  const order: string[] = [];
  const leaving = new AbortController();
  const old = { model: "m", type: "t", submittedAt: 0, unfinishedAt: clock.now() };
  const due = clock.now() + 1000;
  for (let each = 0; each < 30; each++) {
    pacer.admit({ kind: "poll", notBefore: due, dueBy: due, task: old }, leaving.signal).then(
      () => order.push("poll"),
      () => {},
    );
    pacer.admit({ kind: "create", notBefore: due }, leaving.signal).then(
      () => order.push("create"),
      () => {},
    );
  }
  await clock.advance(1000);
  leaving.abort();
  expect(order.indexOf("poll")).toBe(5);
});

test("is checked again 0.5 s after it is used up", async () => {
  const { clock, send, admittedAt, at } = await createSliding(3 * MINUTE);
  at(500);
  expect(await send("create")).toBe(60);
  const sleeps = clock.sleeps.length;
  await admittedAt("create");
  expect(clock.sleeps.slice(sleeps).map(({ ms }) => ms)).toEqual([500]);
});

test("is treated as a fixed window if many requests are missing, but not if a few are", async () => {
  const { request, send, respond, endsAt, remaining, clock } = await createSliding(3 * MINUTE);
  await request("poll", 59 - 2);
  await send("create", 2);
  respond(20);
  expect(endsAt()).toBeNull();
  expect(remaining()).not.toBeNull();
  respond(20);
  expect(remaining()).toBeNull();
  await request("create", 119);
  expect(endsAt()).toBe(clock.elapsed() + MINUTE);
});

test("is held by a 429 as well", async () => {
  const { send, hold, request, endsAt, remaining, at, clock } = await createSliding(3 * MINUTE);
  at(0);
  await send("create", 1);
  hold(2 * MINUTE);
  at(2 * MINUTE - 1);
  expect(await send("create")).toBe(0);
  expect(remaining()).toBeNull();
  at(2 * MINUTE);
  expect(remaining()).toBe(120);
  for (const stated of [20, 119]) await request("create", stated);
  expect(endsAt()).toBe(clock.elapsed() + MINUTE);
});

test("is held by a 429 also when it turns out not to slide meanwhile", async () => {
  const { send, hold, respond, at } = await createSliding(3 * MINUTE);
  at(0);
  await send("create", 2);
  hold(MINUTE);
  respond(20);
  expect(await send("create")).toBe(0);
  at(MINUTE - 1);
  expect(await send("create")).toBe(0);
  at(MINUTE);
  expect(await send("create")).toBe(5);
});
