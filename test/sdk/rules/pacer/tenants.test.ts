import { expect, test } from "vitest";
import { shareTenants } from "../../../../src/databases/redis/fleet-share.js";
import { Durations } from "../../../../src/rate-limit/durations.js";
import { Tenants } from "../../../../src/rate-limit/tenants.js";
import { MINUTE, UNREPORTED } from "./key.js";

// Limits: 120 requests in a window of a minute, and each task is polled at most every 5 s. Times are in milliseconds.

/** A window of 120 requests, from 0 on. */
const budgetAt = (now: number) => ({ polls: 120, now, until: MINUTE, from: 0, limit: 120 });

/** How many requests a tenant sends until it has had its part of the window. */
function sentUntilAhead(tenants: Tenants, name: string, waiting: number): number {
  const { untilAhead } = tenants.fairness(budgetAt(0), waiting);
  const tenant = tenants.get(name, 0);
  let sent = 0;
  for (; untilAhead(tenant) > 0 && sent < 1000; sent++) tenant.spend(0);
  return sent;
}

test.each([
  ["none", [], 0, false],
  ["one without a name", [undefined], 0, false],
  ["one without a name, and another one in another process", [undefined], 1, true],
  ["a named one", ["a"], 0, true],
  ["one without a name, and a named one", [undefined, "a"], 0, true],
])("a window is divided if any request has a tenant: %s", (_, names, elsewhere, expected) => {
  const tenants = new Tenants();
  for (const name of names) tenants.get(name, 0);
  shareTenants(tenants, { ...UNREPORTED, elsewhere });
  expect(tenants.areNamed).toBe(expected);
});

test.each([
  [2, 0, 40],
  [2, 9, 10],
  [5, 0, 20],
])(
  "of %i tenants that wait here, and %i elsewhere, each has had its part after %i requests",
  (waiting, elsewhere, part) => {
    const tenants = new Tenants();
    shareTenants(tenants, { ...UNREPORTED, elsewhere });
    expect(sentUntilAhead(tenants, "a", waiting)).toBe(part);
  },
);

test("of a tenant that waits in several processes, each has its part by its weight", () => {
  const tenants = new Tenants();
  const [known, nameless, absent] = [tenants.get("a", 0), tenants.get(undefined, 0), tenants.get("b", 0)];
  const weights = new Map([
    ["a", 0.5],
    ["", 0.25],
  ]);
  shareTenants(tenants, { ...UNREPORTED, weights });
  tenants.newWeight = 0.75;
  const ofNew = tenants.get("new", 0);
  expect([known, nameless, absent, ofNew].map(({ weight }) => weight)).toEqual([0.5, 0.25, 1, 0.75]);
  expect(sentUntilAhead(tenants, "a", 2)).toBe(20);
  expect(known.left(40)).toBe(0);
  tenants.beginWindow();
  expect(known.left(40)).toBe(20);
});

test("the weight of a tenant falls with a report of the fleet, and rises with the second one in a row", () => {
  const tenants = new Tenants();
  const tenant = tenants.get("a", 0);
  const weightAfter = (weight?: number) => {
    shareTenants(tenants, { ...UNREPORTED, weights: new Map(weight === undefined ? [] : [["a", weight]]) });
    return tenant.weight;
  };
  expect([0.2, 0.5, 0.4, 0.9].map(weightAfter)).toEqual([0.2, 0.2, 0.4, 0.4]);
  // The second report finds no task of it.
  expect([1, undefined, undefined, 0.1].map(weightAfter)).toEqual([0.9, 1, 1, 0.1]);
});

test("what a tenant has sent counts for a window, and in the next one less and less", () => {
  const tenants = new Tenants();
  const tenant = tenants.get("a", 0);
  for (let sent = 0; sent < 60; sent++) tenant.spend(10_000);
  const recentAt = [10_000, 69_999, 70_000, 100_000, 129_999, 130_000].map((now) => tenant.use.recent(now));
  expect(recentAt.map(Math.round)).toEqual([60, 60, 60, 30, 0, 0]);
  tenant.spend(130_000);
  tenant.spend(160_000);
  expect(tenant.use.recent(205_000)).toBeCloseTo(2 * 0.75, 9);
  // After a pause of two windows, nothing counts.
  tenant.spend(400_000);
  expect(tenant.use.recent(400_000)).toBe(1);
});

test("a request that was not sent counts no more, also after the next window has begun", () => {
  const tenants = new Tenants();
  const tenant = tenants.get("a", 0);
  for (let sent = 0; sent < 30; sent++) tenant.spend(0);
  for (let unsent = 0; unsent < 10; unsent++) tenant.spend(0, -1);
  expect([tenant.use.recent(0), tenant.left(40)]).toEqual([20, 20]);
  expect(sentUntilAhead(tenants, "a", 2)).toBe(20);
  expect(tenant.use.recent(60_000)).toBe(40);
  for (let unsent = 0; unsent < 20; unsent++) tenant.spend(59_000, -1);
  tenants.beginWindow();
  tenant.spend(90_000);
  expect([tenant.use.recent(90_000), tenant.left(40)]).toEqual([11, 39]);
});

test("what a tenant has used in other processes counts for its part", () => {
  const tenants = new Tenants();
  tenants.get("a", 0);
  shareTenants(tenants, { ...UNREPORTED, used: new Map([["a", 30]]) });
  expect(sentUntilAhead(tenants, "a", 2)).toBe(10);
  shareTenants(tenants, UNREPORTED);
  expect(sentUntilAhead(tenants, "a", 2)).toBe(30);
});

test.each([
  ["at the beginning of a window", 0, 2, 0, 13],
  ["after 50 s", 50_000, 2, 0, 3],
  ["just before its last half second", 59_499, 2, 0, 1 + 501 / 5000],
  ["in its last half second", 59_500, 2, 0, 0],
  ["among many tenants", 0, 99, 0, 1.2],
  ["among many tenants of other processes", 0, 2, 97, 1.2],
])(
  "a tenant that is ahead leaves one song of another tenant, or a part of the window: %s",
  (_, now, waiting, elsewhere, left) => {
    const tenants = new Tenants();
    shareTenants(tenants, { ...UNREPORTED, elsewhere });
    const { reserve, leftoversAt } = tenants.fairness(budgetAt(now), waiting);
    expect(reserve).toBeCloseTo(left, 9);
    expect(leftoversAt).toBe(MINUTE - 500);
  },
);

test("a task counts as in flight from its poll to its next wait, for 2 s at most", () => {
  const tenants = new Tenants();
  const [tenant, other] = [tenants.get("a", 0), tenants.get("b", 0)];
  const countAt = (now: number) => tenant.pollsInFlight(now);
  tenant.notePoll("first", 0);
  tenant.notePoll("second", 1000);
  expect(tenants.inFlight(1000)).toEqual([tenant]);
  other.notePoll("of another tenant", 1000);
  expect(tenants.inFlight(1000)).toEqual([tenant, other]);
  expect([countAt(1999), countAt(2000)]).toEqual([2, 1]);
  tenant.noteWait("second");
  expect(countAt(2000)).toBe(0);
  expect(tenants.inFlight(2000)).toEqual([other]);

  // A task that is polled again counts from its last poll.
  tenant.notePoll("first", 3000);
  tenant.notePoll("second", 3500);
  tenant.notePoll("first", 4500);
  expect([countAt(5499), countAt(5500), countAt(6499), countAt(6500)]).toEqual([2, 1, 1, 0]);
});

test("as many tasks of a kind are expected as began to wait lately", () => {
  const tenant = new Tenants().get("a", 0);
  const [songs, lyrics] = [new Durations(), new Durations()];
  for (let each = 0; each < 6; each++) tenant.noteArrival(songs, 0);
  expect(tenant.arrivalsWithin(songs, 0, MINUTE)).toBeCloseTo(6, 9);
  expect(tenant.arrivalsWithin(songs, 0, MINUTE / 2)).toBeCloseTo(3, 9);
  expect(tenant.arrivalsWithin(songs, MINUTE, MINUTE)).toBeCloseTo(6 / Math.E, 9);
  expect(tenant.arrivalsWithin(lyrics, 0, MINUTE)).toBe(0);
});

test("of more than 16 tenants, those are forgotten that do not wait and have sent nothing for minutes", () => {
  const tenants = new Tenants();
  const [idle, left, lately, waits] = ["idle", "left", "lately", "waits"].map((name) => tenants.get(name, 0));
  left?.spend(0);
  lately?.spend(MINUTE);
  if (waits !== undefined) waits.waiting = 1;
  const fill = (from: number, to: number) => {
    for (let each = from; each < to; each++) tenants.get(`tenant ${each}`, 2.5 * MINUTE).waiting = 1;
  };
  fill(4, 16);
  expect(tenants.get("idle", 2.5 * MINUTE)).toBe(idle);
  fill(16, 17);
  expect(tenants.get("lately", 2.5 * MINUTE)).toBe(lately);
  expect(tenants.get("waits", 2.5 * MINUTE)).toBe(waits);
  expect(tenants.get("left", 2.5 * MINUTE)).not.toBe(left);
  expect(tenants.get("idle", 2.5 * MINUTE)).not.toBe(idle);
});
