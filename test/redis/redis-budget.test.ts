import { describe, expect, test } from "vitest";
import { evaluateOn, type RedisClient } from "../../src/databases/redis/client.js";
import { createRedisWindow } from "../../src/databases/redis/redis-pacer.js";
import type { TenantReport } from "../../src/databases/redis/shared-window.js";
import { clients, connectIoredis } from "./connections.js";

const SIZE = { requests: 10, windowMs: 60_000 };
let places = 0;

/** The windows of two processes that share a place, and a connection that looks at it. */
function createWindows(client: RedisClient, size = SIZE) {
  const place = `budget-${process.pid}-${places++}`;
  const open = () => createRedisWindow(evaluateOn(client), async () => place, size);
  return { place, redis: connectIoredis(), one: open(), other: open() };
}

describe.each(clients)("with %s", (_, connect) => {
  test("all processes use one window, a second longer than the service's, and stay within the limit", async () => {
    const { place, redis, one, other } = createWindows(await connect());
    const first = await one.take(10);
    expect(first).toMatchObject({ isTaken: true, isHeld: false, taken: 1 });
    expect(first.endsInMs).toBeGreaterThan(60_500);
    expect(first.endsInMs).toBeLessThanOrEqual(61_000);
    for (let taken = 2; taken <= 7; taken++) {
      expect(await other.take(7)).toMatchObject({ isTaken: true, taken });
    }
    expect(await one.take(7)).toMatchObject({ isTaken: false, isHeld: false, taken: 8 });
    const rest = await Promise.all([...Array(20)].map(() => one.take(10)));
    expect(rest.filter(({ isTaken }) => isTaken)).toHaveLength(3);
    expect(await redis.get(place)).toBe("10");
    expect(await redis.pttl(place)).toBeGreaterThan(55_000);
  });

  test("a new window starts after the previous one ends", async () => {
    const { place, redis, one } = createWindows(await connect());
    await one.take(10);
    await one.take(10);
    await redis.del(place);
    expect(await one.take(10)).toMatchObject({ isTaken: true, taken: 1 });
  });

  test.each(["a full window", "a hold"])(
    "a key of %s that lost its expiry is a new window",
    async (state) => {
      const { place, redis, one, other } = createWindows(await connect());
      for (let taken = 0; taken < 10; taken++) await one.take(10);
      if (state === "a hold") await one.hold(30_000);
      await redis.persist(place);
      // A correction and a hold also find a key without an expiry.
      await one.correct({ taken: 10, lastsMs: 61_000, endsInMs: 61_000 });
      expect(await redis.pttl(place)).toBe(-1);
      const taking = await other.take(10);
      expect(taking).toMatchObject({ isTaken: true, isHeld: false, taken: 1 });
      expect(taking.endsInMs).toBeGreaterThan(60_500);
      expect(await one.take(10)).toMatchObject({ isTaken: true, taken: 2 });
      await redis.persist(place);
      await one.hold(30_000);
      expect(await redis.pttl(place)).toBeGreaterThan(29_000);
    },
  );

  test("a hold blocks all requests until it ends", async () => {
    const { place, redis, one, other } = createWindows(await connect());
    await one.take(10);
    await one.hold(30_000.5);
    const taking = await other.take(10);
    expect(taking).toMatchObject({ isTaken: false, isHeld: true });
    expect(taking.endsInMs).toBeGreaterThan(29_000);
    expect(taking.endsInMs).toBeLessThanOrEqual(30_001);
    expect(await redis.pttl(place)).toBeLessThanOrEqual(30_001);
  });

  test("a longer hold extends the current one, and a shorter hold does not change it", async () => {
    const { place, redis, one, other } = createWindows(await connect());
    await one.hold(30_000);
    await other.hold(1000);
    expect(await redis.pttl(place)).toBeGreaterThan(29_000);
    await other.hold(50_000);
    expect(await redis.pttl(place)).toBeGreaterThan(49_000);
    expect(await one.take(10)).toMatchObject({ isTaken: false, isHeld: true });
  });

  test("a correction can raise the count and extend the window, and never does the reverse", async () => {
    const { place, redis, one } = createWindows(await connect());
    await one.take(10);
    await one.correct({ taken: 4, lastsMs: 70_000, endsInMs: 62_000 });
    expect(await redis.get(place)).toBe("4");
    expect(await redis.pttl(place)).toBeGreaterThan(69_000);
    await one.correct({ taken: 2, lastsMs: 0, endsInMs: 71_000 });
    expect(await redis.get(place)).toBe("4");
    expect(await redis.pttl(place)).toBeGreaterThan(69_000);
    expect(await one.take(10)).toMatchObject({ taken: 5 });
  });

  test("a correction has no effect on a later window, on a hold, or without a window", async () => {
    const { place, redis, one } = createWindows(await connect());
    const correction = { taken: 9, lastsMs: 90_000, endsInMs: 20_000 };
    await one.correct(correction);
    expect(await redis.exists(place)).toBe(0);
    await one.take(10);
    await one.correct(correction);
    expect(await redis.get(place)).toBe("1");
    await one.hold(10_000);
    await one.correct(correction);
    expect(await redis.pttl(place)).toBeLessThanOrEqual(10_000);
    expect(await one.take(10)).toMatchObject({ isHeld: true });
  });

  test("a request that is given back counts no more, and the last one ends the window", async () => {
    const { place, redis, one, other } = createWindows(await connect());
    await one.take(10);
    await redis.pexpire(place, 30_000);
    await other.take(10);
    await one.giveBack(31_000);
    expect(await redis.get(place)).toBe("1");
    expect(await redis.pttl(place)).toBeLessThanOrEqual(30_000);
    await other.giveBack(31_000);
    const taking = await other.take(10);
    expect(taking).toMatchObject({ isTaken: true, taken: 1 });
    expect(taking.endsInMs).toBeGreaterThan(60_500);
  });

  test("a request is not given back to a later window, to a hold, or without a window", async () => {
    const { place, redis, one } = createWindows(await connect());
    await one.giveBack(61_000);
    expect(await redis.exists(place)).toBe(0);
    await one.take(10);
    await one.giveBack(20_000);
    expect(await redis.get(place)).toBe("1");
    for (let count = 0; count < 3; count++) await one.giveBack(61_000);
    expect(await redis.get(place)).toBe("0");
    await one.hold(10_000);
    await one.giveBack(61_000);
    expect(await one.take(10)).toMatchObject({ isHeld: true });
  });

  test("a task is read by one process at a time, and by another a second after its response", async () => {
    const { place, redis, one, other } = createWindows(await connect());
    expect(await one.reserveRead("task-1")).toBe(0);
    expect(await other.reserveRead("task-2")).toBe(0);
    expect(await one.reserveRead("task-1")).toBe(0);
    const blockedForMs = await other.reserveRead("task-1");
    expect(blockedForMs).toBeGreaterThan(1000);
    expect(blockedForMs).toBeLessThanOrEqual(3000);
    await one.noteRead("task-1");
    const leftMs = await other.reserveRead("task-1");
    expect(leftMs).toBeGreaterThan(0);
    expect(leftMs).toBeLessThanOrEqual(1000);
    await redis.del(`${place}:read:task-1`);
    expect(await other.reserveRead("task-1")).toBe(0);
    await one.noteRead("task-1");
    expect(await one.reserveRead("task-1")).toBeGreaterThan(1000);
    expect(await redis.keys(`${place}*`)).toHaveLength(2);
    for (const key of await redis.keys(`${place}*`)) expect(await redis.pttl(key)).toBeGreaterThan(0);
  });

  test("a reservation without an expiry does not block its task", async () => {
    const { place, redis, one } = createWindows(await connect());
    await redis.set(`${place}:read:task-1`, "another process");
    expect(await one.reserveRead("task-1")).toBe(0);
    expect(await redis.pttl(`${place}:read:task-1`)).toBeGreaterThan(1000);
  });

  testInOneSecond(
    "what all processes report is added up, without processes that stopped reporting",
    async () => {
      const { place, redis, one, other } = createWindows(await connect());
      const unnamed = (waiting: number, used: number) => reportOf({ "": [waiting, used] });
      expect(await one.reportTenants(unnamed(10, 7))).toEqual(unnamed(10, 7));
      expect(await other.reportTenants(unnamed(5, 0))).toEqual(unnamed(15, 7));
      expect(await one.reportTenants(unnamed(3, 8))).toEqual(unnamed(8, 8));
      const names = await redis.hkeys(`${place}:waiting`);
      const silent = String(Math.floor(Date.now() / 1000) - 121);
      for (const name of names) await redis.hset(`${place}:waiting`, name, `50 ${silent}/60`);
      expect(await one.reportTenants(unnamed(3, 9))).toEqual(unnamed(3, 9));
      expect(await redis.hlen(`${place}:waiting`)).toBe(1);
      expect(await redis.ttl(`${place}:waiting`)).toBeGreaterThan(0);
    },
  );

  testInOneSecond(
    "what a tenant does is added up over all processes, and Redis does not receive its name",
    async () => {
      const { place, redis, one, other } = createWindows(await connect());
      await one.reportTenants(
        reportOf({ "": [2, 3], acme: [3, 20], "globex corp = 7": [1, 0], initech: [0, 5] }),
      );
      const all = await other.reportTenants(reportOf({ acme: [4, 6.6] }));
      const [hash, used] = [expect.stringMatching(/^[0-9a-f]{12}$/), Object.fromEntries(all.used)];
      expect([...all.waiting].sort()).toEqual([
        ["", 2],
        [hash, 1],
        ["acme", 7],
      ]);
      expect(used).toMatchObject({ "": 3, acme: 27 });
      expect(Object.values(used).sort()).toEqual([27, 3, 5]);
      // A version without tenants reads the first number.
      const records = Object.values(await redis.hgetall(`${place}:waiting`));
      expect(records.map((record) => record.split(" ")[0]).sort()).toEqual(["4", "6"]);
      expect(records.join()).not.toMatch(/acme|globex|initech/);
      const afterwards = await one.reportTenants(reportOf({}));
      expect([...afterwards.waiting.values(), ...afterwards.used.values()]).toEqual([4, 7]);
    },
  );

  testInOneSecond(
    "a process is told what others have used of its tenants, also while it sends nothing of them",
    async () => {
      const { place, redis, one, other } = createWindows(await connect());
      await one.reportTenants(reportOf({ acme: [0, 20] }));
      const { used } = await other.reportTenants({ waiting: new Map(), used: new Map([["acme", 0]]) });
      expect([...used]).toEqual([["acme", 20]]);
      const records = Object.values(await redis.hgetall(`${place}:waiting`));
      expect(records.filter((record) => record.includes("="))).toHaveLength(1);
    },
  );

  test("what a process has used counts less the older its report is", async () => {
    const { place, redis, one } = createWindows(await connect());
    const usedAt = async (seconds: number) => {
      const at = Math.floor(Date.now() / 1000) - seconds;
      await redis.hset(`${place}:waiting`, "another process", `3 ${at}/40`);
      return (await one.reportTenants(reportOf({}))).used.get("") ?? 0;
    };
    expect(Math.abs((await usedAt(0)) - 40)).toBeLessThanOrEqual(2);
    expect(Math.abs((await usedAt(30)) - 20)).toBeLessThanOrEqual(2);
    expect(await usedAt(70)).toBe(0);
  });

  testInOneSecond(
    "the report of a version that does not know what was used is added up as well",
    async () => {
      const { place, redis, one } = createWindows(await connect());
      await one.reportTenants(reportOf({ acme: [3, 20] }));
      const [record = ""] = Object.values(await redis.hgetall(`${place}:waiting`));
      const [acme = ""] = /[0-9a-f]{12}(?==)/.exec(record) ?? [];
      await redis.hset(`${place}:waiting`, "another process", `6 ${Math.floor(Date.now() / 1000)} ${acme}=4`);
      expect(await one.reportTenants(reportOf({ acme: [3, 20] }))).toEqual(
        reportOf({ acme: [7, 20], "": [2, 0] }),
      );
    },
  );
});

/**
 * A test of what was used, which counts less from one second of Redis's clock to the next. If the test fails and was not done
 * within one second, it starts again.
 */
function testInOneSecond(name: string, run: () => Promise<void>) {
  const second = () => Math.floor(Date.now() / 1000);
  test(name, async () => {
    for (let starts = 1; ; starts++) {
      const startedIn = second();
      try {
        return await run();
      } catch (error) {
        if (starts === 10 || second() === startedIn) throw error;
      }
    }
  });
}

/** Of each tenant, how many tasks wait and how many requests it used. */
function reportOf(tenants: Record<string, [waiting: number, used: number]>): TenantReport {
  const figures = (place: 0 | 1) =>
    new Map(
      Object.entries(tenants).flatMap(([tenant, { [place]: figure }]) =>
        figure > 0 ? [[tenant, figure]] : [],
      ),
    );
  return { waiting: figures(0), used: figures(1) };
}

test("a window of one second is measured in milliseconds", async () => {
  const { one } = createWindows(connectIoredis(), { requests: 5, windowMs: 1000 });
  const { endsInMs } = await one.take(5);
  expect(endsInMs).toBeGreaterThan(1000);
  expect(endsInMs).toBeLessThanOrEqual(1250);
});
