import { expect, test } from "vitest";
import { createMemoryPacer } from "../../../src/pacer/memory-pacer.js";
import type { PacedRequest, Pacer } from "../../../src/pacer/pacer.js";
import { createTestClock, START, turns } from "../../support/test-clock.js";

// Limits: 120 requests per 60 seconds and key, and no more than one poll a second of one task.

function createPaced() {
  const clock = createTestClock();
  const pacer: Pacer = createMemoryPacer(clock);
  const left: [name: string, at: number][] = [];

  /** Sends a request when its turn comes; it is answered at once. */
  const send = async (name: string, request: PacedRequest, answer = { remaining: null, heldForMs: null }) => {
    const admitted = await pacer.admit(request);
    left.push([admitted ? name : `${name} is late`, clock.elapsed()]);
    if (admitted) pacer.report(answer);
  };
  return { clock, pacer, left, send };
}

const repeat = (count: number, name: string, send: (name: string) => Promise<void>) =>
  Array.from({ length: count }, (_, index) => send(`${name}${index}`));

test("the first 120 requests leave at once and the next ones with the next window, in the order in which they came", async () => {
  const { send, left } = createPaced();
  await Promise.all(repeat(250, "", (name) => send(name, { kind: "account" })));
  expect(left.map(([name]) => Number(name))).toEqual(Array.from({ length: 250 }, (_, index) => index));
  expect(left.map(([, at]) => at)).toEqual([
    ...Array(120).fill(0),
    ...Array(120).fill(60_000),
    ...Array(10).fill(120_000),
  ]);
});

test("the window follows what the service says remains", async () => {
  const { clock, pacer, send, left } = createPaced();
  await pacer.admit({ kind: "account" });
  pacer.report({ remaining: 2, heldForMs: null });
  await clock.sleep(5000);
  await Promise.all(repeat(3, "a", (name) => send(name, { kind: "create" })));
  expect(left.map(([, at]) => at)).toEqual([5000, 5000, 60_000]);
});

test("a request that is on its way counts, though its answer is out", async () => {
  const { pacer, clock } = createPaced();
  await pacer.admit({ kind: "account" });
  pacer.report({ remaining: 1, heldForMs: null });
  await pacer.admit({ kind: "account" });
  await pacer.admit({ kind: "account" });
  expect(clock.elapsed()).toBe(60_000);
});

test("polls leave a reserve, which creates, account reads and reads may use", async () => {
  const { pacer, send, left } = createPaced();
  await pacer.admit({ kind: "account" });
  pacer.report({ remaining: 119, heldForMs: null });
  await pacer.admit({ kind: "account" });
  pacer.report({ remaining: 8, heldForMs: null });
  await Promise.all([
    send("poll", { kind: "poll", taskId: "t" }),
    send("read", { kind: "read", taskId: "u" }),
    send("account", { kind: "account" }),
    send("create", { kind: "create" }),
  ]);
  expect(left.slice(0, 3).map(([, at]) => at)).toEqual([0, 0, 0]);
  expect(left[3]).toEqual(["poll", 60_000]);
});

test("what waits for the next window leaves by rank: creates and account reads, then reads, then polls", async () => {
  const { pacer, send, left } = createPaced();
  await pacer.admit({ kind: "account" });
  pacer.report({ remaining: 0, heldForMs: null });
  await Promise.all([
    send("poll", { kind: "poll", taskId: "t" }),
    send("read", { kind: "read", taskId: "u" }),
    send("create", { kind: "create" }),
    send("account", { kind: "account" }),
  ]);
  expect(left.map(([name]) => name)).toEqual(["create", "account", "read", "poll"]);
});

test("of the polls that are due the one that has waited longest goes first", async () => {
  const { pacer, send, left } = createPaced();
  await pacer.admit({ kind: "account" });
  pacer.report({ remaining: 0, heldForMs: null });
  const due = (taskId: string, afterMs: number) =>
    send(taskId, { kind: "poll", taskId, notBefore: START + afterMs });
  await Promise.all([due("late", 9000), due("early", 1000), due("middle", 5000)]);
  expect(left.map(([name]) => name)).toEqual(["early", "middle", "late"]);
});

test("a 429 holds everything back for as long as it states", async () => {
  const { pacer, send, left } = createPaced();
  await pacer.admit({ kind: "account" });
  pacer.report({ remaining: null, heldForMs: 17_000 });
  expect(pacer.heldUntil()).toBe(START + 17_000);
  await Promise.all([send("create", { kind: "create" }), send("poll", { kind: "poll", taskId: "t" })]);
  expect(left).toEqual([
    ["create", 17_000],
    ["poll", 17_000],
  ]);
});

test("a shorter hold does not end a longer one, and a late answer with room does not either", async () => {
  const { pacer, send, left } = createPaced();
  for (let sent = 0; sent < 3; sent++) await pacer.admit({ kind: "account" });
  pacer.report({ remaining: null, heldForMs: 30_000 });
  pacer.report({ remaining: null, heldForMs: 2000 });
  pacer.report({ remaining: 50, heldForMs: null });
  await send("create", { kind: "create" });
  expect(left).toEqual([["create", 30_000]]);
});

test("reads of one task leave a second apart, and of two tasks together", async () => {
  const { send, left } = createPaced();
  await Promise.all([
    send("a1", { kind: "poll", taskId: "a" }),
    send("a2", { kind: "read", taskId: "a" }),
    send("a3", { kind: "poll", taskId: "a" }),
    send("b1", { kind: "poll", taskId: "b" }),
  ]);
  expect(
    left
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([, at]) => at)
      .slice(0, 3)
      .sort((a, b) => a - b),
  ).toEqual([0, 1000, 2000]);
  expect(left.find(([name]) => name === "b1")).toEqual(["b1", 0]);
});

test("the second between two reads of a task counts from the answer, since nobody knows when the request arrived", async () => {
  const { clock, pacer, send, left } = createPaced();
  await pacer.admit({ kind: "read", taskId: "a" });
  const next = send("next", { kind: "read", taskId: "a" });
  await clock.sleep(400);
  pacer.report({ taskId: "a", remaining: null, heldForMs: null });
  await next;
  expect(left).toEqual([["next", 1400]]);
});

test("a request leaves neither before it is due nor after it is given up", async () => {
  const { pacer, send, left } = createPaced();
  await send("due", { kind: "poll", taskId: "a", notBefore: START + 4000, notAfter: START + 5000 });
  await pacer.admit({ kind: "account" });
  pacer.report({ remaining: null, heldForMs: 60_000 });
  await send("held", { kind: "poll", taskId: "b", notAfter: START + 9000 });
  await send("never due", { kind: "poll", taskId: "c", notBefore: START + 99_000, notAfter: START + 9500 });
  expect(left).toEqual([
    ["due", 4000],
    ["held is late", 9000],
    ["never due is late", 9500],
  ]);
});

test("a request that is due sooner than those before it does not wait for them", async () => {
  const { send, left } = createPaced();
  await Promise.all([
    send("late", { kind: "poll", taskId: "a", notBefore: START + 60_000 }),
    send("soon", { kind: "poll", taskId: "b", notBefore: START + 5000 }),
  ]);
  expect(left).toEqual([
    ["soon", 5000],
    ["late", 60_000],
  ]);
});

test("a window that the service opened when the first request arrived is not over before the service's own", async () => {
  const { clock, pacer, send, left } = createPaced();
  await pacer.admit({ kind: "account" });
  await clock.sleep(3000);
  pacer.report({ remaining: 0, heldForMs: null });
  await send("next", { kind: "create" });
  expect(left).toEqual([["next", 63_000]]);
});

test("an abort gives up the place in the queue, and harms nobody behind it", async () => {
  const { pacer, send, left } = createPaced();
  await pacer.admit({ kind: "account" });
  pacer.report({ remaining: null, heldForMs: 1000 });
  const controller = new AbortController();
  const aborted = pacer.admit({ kind: "create" }, controller.signal);
  const behind = send("behind", { kind: "create" });
  controller.abort("enough");
  await expect(aborted).rejects.toBe("enough");
  await behind;
  expect(left).toEqual([["behind", 1000]]);
  await expect(pacer.admit({ kind: "create" }, AbortSignal.abort("before"))).rejects.toBe("before");
});

test("a pacer for which nobody waits sets no timer", async () => {
  const { clock, send } = createPaced();
  await send("a", { kind: "account" });
  await turns(3);
  expect(clock.sleeps).toEqual([]);
});

test("a clock whose sleep returns without moving its time does not hang the pacer", async () => {
  const sleeps: number[] = [];
  const pacer = createMemoryPacer({ now: () => START, sleep: async (ms) => void sleeps.push(ms) });
  await pacer.admit({ kind: "poll", taskId: "t", notBefore: START + 5000 });
  expect(sleeps).toEqual([5000]);
  pacer.report({ remaining: null, heldForMs: 9000 });
  await pacer.admit({ kind: "create" });
  expect(sleeps.length).toBeLessThan(5);
});

test("a clock that was set back makes no task wait for the time that it had", async () => {
  let time = START;
  const pacer = createMemoryPacer({ now: () => time, sleep: () => new Promise(() => {}) });
  const read = { kind: "read", taskId: "t" } as const;
  await pacer.admit(read);
  pacer.report({ remaining: null, heldForMs: null });
  time -= 3_600_000;
  expect(await Promise.race([pacer.admit(read), turns(3)])).toBe(true);
});
