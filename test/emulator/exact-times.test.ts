import { describe, expect, test } from "vitest";
import { OFFERS } from "../spec/tables/service.js";
import { BALANCE, createService, failWith, type Service, TASK, USAGE, VALID } from "./support/service.js";

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const BODIES = [VALID.song, VALID.lyrics, VALID.upload, VALID.concat, VALID.providerB];

describe("the rate limit of 120 requests in 60 s", () => {
  test.each([
    [118, 200, "1"],
    [119, 200, "0"],
    [120, 429, "0"],
    [121, 429, "0"],
  ])("after %i requests, the next one is a %i and leaves %s", async (before, status, left) => {
    const { get } = createService({ limits: {} });
    for (let request = 0; request < before; request++) await get(BALANCE);
    const reply = await get(BALANCE);
    expect([reply.status, reply.headers.get("X-RateLimit-Remaining")]).toEqual([status, left]);
  });

  test.each([
    [0, 60],
    [1, 60],
    [999, 60],
    [1_000, 59],
    [1_001, 59],
    [58_999, 2],
    [59_000, 1],
    [59_001, 1],
    [59_999, 1],
  ])("%i ms after the first request of a full window, the stated wait is %i s", async (ms, seconds) => {
    const { get, advance } = createService({ limits: { requests: 1, windowSeconds: 60 } });
    await get(BALANCE);
    await advance(ms);
    const { status, headers, body } = await get(BALANCE);
    expect([status, headers.get("Retry-After"), body.retry_after_seconds]).toEqual([
      429,
      String(seconds),
      seconds,
    ]);
  });

  test.each(
    (["fixed", "sliding"] as const).flatMap((window) =>
      [60, 1.5, 0.001].flatMap((windowSeconds) =>
        [-1, 0, 1].map((offset) => ({ window, windowSeconds, offset })),
      ),
    ),
  )(
    "a $window window of $windowSeconds s has ended $offset ms from its end: only from 0 on",
    async ({ window, windowSeconds, offset }) => {
      const { get, advance } = createService({
        limits: { requests: 1, windowSeconds },
        policy: { rate_limit_window: window },
      });
      await get(BALANCE);
      await advance(windowSeconds * SECOND + offset);
      expect((await get(BALANCE)).status).toBe(offset < 0 ? 429 : 200);
    },
  );
});

describe("a hold and the credits", () => {
  const prices = OFFERS.map(({ credits, ...offer }, index) => ({ ...offer, credits, body: BODIES[index] }));

  test.each(prices.flatMap((price) => [-1, 0, 1].map((offset) => ({ ...price, offset }))))(
    "$model $type for $credits is accepted with $offset credits more, unless they are less",
    async (row) => {
      const service = createService({ credits: row.credits + row.offset });
      const { status, body } = await service.post(row.body);
      if (row.offset < 0) {
        expect([status, body.error_code]).toEqual([402, "insufficient_credits"]);
        expect((await service.balance()).frozen).toBe(0);
      } else {
        expect([status, body.data.credits_charged]).toEqual([202, row.credits]);
        const { credits: frozen, offset: available } = row;
        expect(await service.balance()).toEqual({ available, frozen, total: available + frozen });
      }
    },
  );
});

describe("a task of an hour", () => {
  /** What each request shows of an unfinished song of 10 credits, which are all that the account has. */
  const REQUESTS: Record<string, (service: Service, taskId: string) => Promise<boolean>> = {
    "a read of the task": async ({ read }, taskId) => (await read(taskId)).status === "timeout",
    "the balance": async ({ balance }) => (await balance()).available === 10,
    "the usage": async (service) => {
      await service.get(USAGE);
      return service.ledgerKinds().includes("refund");
    },
    "a create": async ({ post }) => (await post(VALID.song)).status === 202,
  };

  test.each(Object.keys(REQUESTS).flatMap((name) => [-1, 0, 1].map((offset) => ({ name, offset }))))(
    "$name finds a timeout $offset ms from the hour: only after it",
    async ({ name, offset }) => {
      const service = createService({ credits: 10 });
      const taskId = await service.create(VALID.song, { outcome: "hang" });
      await service.advance(HOUR + offset);
      expect(await REQUESTS[name]?.(service, taskId)).toBe(offset > 0);
    },
  );

  test.each([
    [3599.999, 0, "success"],
    [3600, 0, "success"],
    [3600.001, 0, "running"],
    [3600, 1, "timeout"],
    [3600.001, 1, "timeout"],
  ])("a provider that takes %d s, read %i ms after the hour: %s", async (process_seconds, late, status) => {
    const { create, read, advance } = createService();
    const taskId = await create(VALID.song, { process_seconds });
    await advance(HOUR + late);
    expect((await read(taskId)).status).toBe(status);
  });

  test.each([
    [3600, "success"],
    [3600.001, "timeout"],
  ])("late_success: a provider that took %d s, read a day later: %s", async (process_seconds, status) => {
    const { create, read, advance } = createService({ policy: { late_success: "success" } });
    const taskId = await create(VALID.song, { process_seconds });
    await advance(24 * HOUR);
    expect((await read(taskId)).status).toBe(status);
  });
});

test.each([
  [9_999, "pending"],
  [10_000, "running"],
  [10_001, "running"],
  [39_999, "running"],
  [40_000, "success"],
  [40_001, "success"],
])("a task of 10 s in the queue and 30 s of work is after %i ms: %s", async (ms, status) => {
  const { create, read, advance } = createService();
  const taskId = await create(VALID.song, { queue_seconds: 10, process_seconds: 30 });
  await advance(ms);
  expect((await read(taskId)).status).toBe(status);
});

describe("the automatic top-up", () => {
  function createBuyer(credits: number, settings: object) {
    const service = createService({ credits });
    const { accounts, accountId: id } = service.emulator;
    accounts.topUp(id, { usd: 0.01, method: "card" });
    const amounts = { threshold_credits: 50, recharge_usd: 10, monthly_cap_usd: 10_000, ...settings };
    accounts.setAutoTopUp(id, { enabled: true, ...amounts, ...accounts.authorize(id) });
    const charges = () => accounts.payments(id).filter(({ automatic }) => automatic).length;
    return { ...service, charges };
  }

  test.each([
    [51, 0],
    [50, 0],
    [49, 1],
  ])("a freeze that leaves %i credits with a threshold of 50 leads to %i charges", async (left, charges) => {
    const buyer = createBuyer(left + 9, {});
    await buyer.create(VALID.song);
    expect(buyer.charges()).toBe(charges);
  });

  test.each([
    [29, 2],
    [30, 3],
    [31, 3],
    [39, 3],
    [40, 4],
  ])("a monthly cap of %i USD allows %i charges of 10 USD", async (monthly_cap_usd, charges) => {
    const buyer = createBuyer(1_000, { threshold_credits: 100_000, monthly_cap_usd });
    for (let song = 0; song < 6; song++) await buyer.create(VALID.song);
    expect(buyer.charges()).toBe(charges);
  });
});

describe("the audit", () => {
  test.each([
    [999, 1],
    [1_000, 0],
    [1_001, 0],
  ])("a second poll after %i ms has %i findings", async (ms, count) => {
    const { create, read, advance, findings } = createService();
    const taskId = await create(VALID.song, { outcome: "hang" });
    await read(taskId);
    await advance(ms);
    await read(taskId);
    expect(findings()).toEqual(Array(count).fill("polled_too_often"));
  });

  test.each([
    // A wait of 60 s is stated 400 ms after the window began: it ends later than the window.
    [59_599, 429, 1],
    [59_600, 200, 1],
    [59_999, 200, 1],
    [60_000, 200, 0],
    [60_001, 200, 0],
  ])(
    "%i ms after a 429 with a wait of 60 s, a repeat is a %i with %i findings",
    async (ms, status, count) => {
      const { get, advance, findings } = createService({ limits: { requests: 1, windowSeconds: 60 } });
      await get(BALANCE);
      await advance(400);
      expect((await get(BALANCE)).headers.get("Retry-After")).toBe("60");
      await advance(ms);
      expect((await get(BALANCE)).status).toBe(status);
      expect(findings()).toEqual(Array(count).fill("ignored_retry_after"));
    },
  );

  test.each([
    [1_999, 1],
    [2_000, 0],
    [2_001, 0],
  ])("%i ms after a create was refused with a wait of 2 s, a repeat has %i findings", async (ms, count) => {
    const { post, fault, advance, findings } = createService();
    fault({ ...failWith(429), retry_after_seconds: 2 }, { method: "POST" });
    expect((await post(VALID.song)).status).toBe(429);
    await advance(ms);
    expect((await post(VALID.song)).status).toBe(202);
    expect(findings()).toEqual(Array(count).fill("ignored_retry_after"));
  });
});

test.each([1, 2, 3])("a task that ends at read %i ends then, and not before", async (polls) => {
  const { create, read } = createService();
  const taskId = await create(VALID.song, { polls });
  for (let poll = 1; poll < polls; poll++) expect((await read(taskId)).status).not.toBe("success");
  expect((await read(taskId)).status).toBe("success");
});

test.each([1, 2, 3])("a fault of %i times fires so often, and not again", async (times) => {
  const { get, fault } = createService();
  fault(failWith(503), { times });
  const statuses = [];
  for (let request = 0; request <= times; request++) statuses.push((await get(BALANCE)).status);
  expect(statuses).toEqual([...Array(times).fill(503), 200]);
});

test.each([
  [0, "2026-01-01T00:00:00.000Z"],
  [1, "2026-01-01T00:00:00.001Z"],
  [1_500, "2026-01-01T00:00:01.500Z"],
])("a fault of %i ms delays a create by as many milliseconds", async (ms, at) => {
  const { post, fault } = createService();
  fault({ kind: "latency", ms }, { method: "POST", path: TASK });
  expect((await post(VALID.song)).body.data.created_at).toBe(at);
});
