import { describe, expect, test } from "vitest";
import { BALANCE, createService, type Service, USAGE, VALID } from "./support/service.js";

const SECOND = 1000;
const HOUR = 3600 * SECOND;

describe("the window of a rate limit", () => {
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
    expect([status, headers.get("Retry-After")]).toEqual([429, String(seconds)]);
    expect(body.retry_after_seconds).toBe(seconds);
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
});

describe("the audit", () => {
  test.each([
    // A wait of 60 s is stated 400 ms after the window began: it ends later than the window.
    [59_599, 429, 1],
    [59_600, 200, 1],
    [59_999, 200, 1],
    [60_000, 200, 0],
    [60_001, 200, 0],
  ])("%i ms after a wait of 60 s began, a repeat is a %i with %i findings", async (ms, status, count) => {
    const { get, advance, findings } = createService({ limits: { requests: 1, windowSeconds: 60 } });
    await get(BALANCE);
    await advance(400);
    expect((await get(BALANCE)).headers.get("Retry-After")).toBe("60");
    await advance(ms);
    expect((await get(BALANCE)).status).toBe(status);
    expect(findings()).toEqual(Array(count).fill("ignored_retry_after"));
  });
});
