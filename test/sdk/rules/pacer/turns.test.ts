import * as fc from "fast-check";
import { expect, test } from "vitest";
import { fairLevel, partOf } from "../../../../src/rate-limit/max-min.js";
import { Queue, type QueueEntry } from "../../../../src/rate-limit/queue.js";
import { Tenants } from "../../../../src/rate-limit/tenants.js";

const HOUR = 3_600_000;

function createEntry(tenant: QueueEntry["tenant"], dueAt: number): QueueEntry {
  return {
    rank: 0,
    number: 0,
    tenant,
    taskId: undefined,
    task: null,
    notBefore: dueAt,
    dueBy: Number.POSITIVE_INFINITY,
    dueAt,
    notAfter: Number.POSITIVE_INFINITY,
    maxHoldMs: Number.POSITIVE_INFINITY,
    onDelayed: undefined,
    delayedUntil: Number.NEGATIVE_INFINITY,
    isRemoved: false,
    abort: null,
    resolve() {},
    reject() {},
  };
}

const NAMES = ["a", "b", "c", "d", undefined];
const anyStep = fc.oneof(
  fc.record({ do: fc.constant("add" as const), name: fc.constantFrom(...NAMES) }),
  fc.record({ do: fc.constant("admit" as const), name: fc.constant(undefined) }),
  fc.record({ do: fc.constant("abort" as const), name: fc.constant(undefined), index: fc.nat(30) }),
);

test("tenants take turns: each keeps its order, none waits for two requests of another one, and a request is admitted while any waits", () =>
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 300 }), (steps) => {
      const [queue, tenants] = [new Queue(), new Tenants()];
      let waiting: QueueEntry[] = [];
      /** How many requests of each other tenant were admitted since a tenant's first request began to wait. */
      const admittedSince = new Map<unknown, Map<unknown, number>>();
      const remove = (entry: QueueEntry) => {
        waiting = waiting.filter((each) => each !== entry);
        if (!waiting.some(({ tenant }) => tenant === entry.tenant)) admittedSince.delete(entry.tenant);
      };
      for (const [now, step] of steps.entries()) {
        if (step.do === "add") {
          const entry = createEntry(tenants.get(step.name, now), now);
          queue.add(entry);
          waiting.push(entry);
          if (!admittedSince.has(entry.tenant)) admittedSince.set(entry.tenant, new Map());
        } else if (step.do === "abort") {
          const entry = waiting["index" in step ? step.index : 0];
          if (entry === undefined) continue;
          queue.remove(entry);
          remove(entry);
        } else {
          const [entry] = queue.heads(0);
          expect(entry === undefined).toBe(waiting.length === 0);
          if (entry === undefined) continue;
          expect(entry).toBe(waiting.find(({ tenant }) => tenant === entry.tenant));
          queue.take(entry);
          remove(entry);
          if (admittedSince.has(entry.tenant)) admittedSince.set(entry.tenant, new Map());
          for (const [tenant, counts] of admittedSince) {
            if (tenant === entry.tenant) continue;
            const count = (counts.get(entry.tenant) ?? 0) + 1;
            expect(count).toBe(1);
            counts.set(entry.tenant, count);
          }
        }
        expect([queue.size, queue.tenants]).toEqual([
          waiting.length,
          new Set(waiting.map(({ tenant }) => tenant)).size,
        ]);
      }
      for (const entry of waiting) queue.remove(entry);
    }),
    { numRuns: 300, seed: 26 },
  ));

const RANKS = [0, 1, 2] as const;
const anyRank = fc.constantFrom(...RANKS);
const anyTime = fc.integer({ min: 0, max: 50 });
const anyChange = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("add" as const),
      rank: anyRank,
      name: fc.constantFrom(...NAMES),
      dueAt: anyTime,
      notAfter: fc.oneof(anyTime, fc.constant(Number.POSITIVE_INFINITY)),
    }),
  },
  fc.record({ do: fc.constant("remove" as const), index: fc.nat(60) }),
  fc.record({ do: fc.constant("plan" as const), dueAt: anyTime }),
  fc.record({ do: fc.constant("take" as const), rank: anyRank }),
  fc.record({ do: fc.constant("postpone" as const), rank: anyRank, dueAt: anyTime }),
  fc.record({ do: fc.constant("expire" as const), now: anyTime }),
);

test("in any order of changes, a queue agrees with a list: what waits, what is next, what is due and what expires", () =>
  fc.assert(
    fc.property(fc.array(anyChange, { maxLength: 400 }), (changes) => {
      const [queue, tenants] = [new Queue(), new Tenants()];
      let waiting: QueueEntry[] = [];
      const without = (gone: readonly QueueEntry[]) => waiting.filter((each) => !gone.includes(each));
      const firstOf = (rank: QueueEntry["rank"], tenant: QueueEntry["tenant"]) =>
        waiting
          .filter((each) => each.rank === rank && each.tenant === tenant)
          .sort((one, other) => one.dueAt - other.dueAt || one.number - other.number)[0];
      const firstsOf = (rank: QueueEntry["rank"]) =>
        NAMES.map((name) => firstOf(rank, tenants.get(name, 0))).filter((each) => each !== undefined);
      for (const change of changes) {
        if (change.do === "add") {
          const { rank, dueAt, notAfter } = change;
          const entry = { ...createEntry(tenants.get(change.name, 0), dueAt), rank, notAfter };
          queue.add(entry);
          waiting.push(entry);
        } else if (change.do === "remove") {
          const entry = waiting[change.index];
          if (entry === undefined) continue;
          expect(queue.remove(entry)).toBe(entry);
          waiting = without([entry]);
        } else if (change.do === "plan") {
          for (const entry of waiting)
            if (entry.rank === 2) entry.dueAt = (entry.dueAt * 7 + change.dueAt) % 50;
          queue.reorderPolls();
        } else if (change.do === "expire") {
          const expired = queue.takeExpired(change.now);
          expect(new Set(expired)).toEqual(new Set(waiting.filter(({ notAfter }) => notAfter <= change.now)));
          waiting = without(expired);
        } else {
          const [entry] = queue.heads(change.rank);
          if (entry === undefined) continue;
          if (change.do === "postpone") queue.postpone(entry, change.dueAt);
          else waiting = without([queue.take(entry)]);
        }
        for (const rank of RANKS) {
          expect(new Set(queue.heads(rank))).toEqual(new Set(firstsOf(rank)));
          const later = firstsOf(rank).filter(({ dueAt }) => dueAt > 25);
          expect(queue.dueIn(rank, 25)).toEqual({
            isDue: firstsOf(rank).length > later.length,
            next: Math.min(...later.map(({ dueAt }) => dueAt)),
          });
        }
        expect(queue.nextExpiry).toBeLessThanOrEqual(Math.min(...waiting.map(({ notAfter }) => notAfter)));
        expect(new Set(queue.entries(...RANKS))).toEqual(new Set(waiting));
        for (const name of NAMES) {
          const tenant = tenants.get(name, 0);
          expect(tenant.waiting).toBe(waiting.filter((each) => each.tenant === tenant).length);
        }
        expect([queue.size, queue.polls, queue.tenants]).toEqual([
          waiting.length,
          waiting.filter(({ rank }) => rank === 2).length,
          new Set(waiting.map(({ tenant }) => tenant)).size,
        ]);
      }
      for (const entry of waiting) queue.remove(entry);
    }),
    { numRuns: 100, seed: 26 },
  ));

const anyClaim = fc.record({
  has: fc.integer({ min: 0, max: 100 }),
  wants: fc.integer({ min: 0, max: 100 }),
  weight: fc.constantFrom(1, 0.5, 0.1),
});

test("an amount is divided max-min fairly: nothing is left over while any claimant wants more, and none of those is below the level", () =>
  fc.assert(
    fc.property(
      fc.array(anyClaim, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 0, max: 400 }),
      (claims, amount) => {
        const level = fairLevel(amount, claims);
        const parts = claims.map((claim) => partOf(claim, level));
        const wanted = claims.reduce((sum, { wants }) => sum + wants, 0);
        const given = parts.reduce((sum, part) => sum + part, 0);
        expect(given).toBeCloseTo(Math.min(amount, wanted), 3);
        for (const [index, { has, wants, weight }] of claims.entries()) {
          const part = parts[index] ?? 0;
          if (part < wants && level < Number.POSITIVE_INFINITY)
            expect(has + part).toBeGreaterThanOrEqual(weight * level - 1e-6);
          if (part > 0) expect(has + part).toBeLessThanOrEqual(weight * level + 1e-6);
        }
      },
    ),
    { numRuns: 300, seed: 26 },
  ));

test("without scarcity, no level limits a claimant", () => {
  const claims = [1, 2, 3].map((wants) => ({ has: 5, wants, weight: 1 }));
  expect([fairLevel(7, claims), fairLevel(6, claims)]).toEqual([
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
  ]);
  expect(fairLevel(5, claims)).toBeLessThan(8);
});

test("a tenant is forgotten some minutes after its last request, unless one of its requests waits", () => {
  const tenants = new Tenants();
  const [left, waits] = [tenants.get("left", 0), tenants.get("waits", 0)];
  left.spend(0);
  waits.waiting = 1;
  for (let each = 0; each < 10_000; each++) tenants.get(`customer ${each}`, 1000 * each).spend(1000 * each);
  expect(tenants.get("left", HOUR * 3)).not.toBe(left);
  expect(tenants.get("waits", HOUR * 3)).toBe(waits);
});
