import { describe, expect, test } from "vitest";
import { BALANCE, createService, TASK, USAGE, VALID } from "./support/service.js";

describe("around the commit point", () => {
  test.each([
    ["before", 0],
    ["after", 10],
  ] as const)("a status that comes %s leaves %i credits frozen", async (when, frozen) => {
    const { post, balance, emulator } = createService({ credits: 10 });
    emulator.faults.add({ path: TASK, fault: { kind: "status", status: 500, when } });
    const { status, body, headers } = await post(VALID.song, { "X-Request-Id": "mine" });
    expect(status).toBe(500);
    expect(body).toEqual({ code: 500, error_code: "internal_error", message: expect.any(String) });
    expect(headers.get("X-Request-Id")).toBe("mine");
    expect((await balance()).frozen).toBe(frozen);
  });

  test.each(["fixed", "sliding"] as const)(
    "what a fault struck before shows what is left in a %s window, and counts for nothing",
    async (window) => {
      const { get, send, emulator } = createService({
        limits: { requests: 2 },
        policy: { rate_limit_window: window },
      });
      const struck = async () => {
        emulator.faults.add({ fault: { kind: "status", status: 503, when: "before" } });
        return (await get(BALANCE)).headers.get("X-RateLimit-Remaining");
      };
      expect(await struck()).toBe("2");
      expect((await get(BALANCE)).headers.get("X-RateLimit-Remaining")).toBe("1");
      expect(await struck()).toBe("1");
      await get(BALANCE);
      expect(await struck()).toBe("0");
      await emulator.clock.advance(60_000);
      expect(await struck()).toBe("2");
      emulator.faults.add({ fault: { kind: "status", status: 503, when: "before" } });
      expect((await send(BALANCE)).headers.get("X-RateLimit-Remaining")).toBeNull();
    },
  );
});

test.each([
  [302, "internal_error"],
  [404, "task_not_found"],
  [418, "invalid_request_body"],
  [503, "internal_error"],
])("a status of %i without a code has %s", async (status, errorCode) => {
  const { get, emulator } = createService();
  emulator.faults.add({ fault: { kind: "status", status, when: "before" } });
  const { body, headers } = await get(BALANCE);
  expect([body.code, body.error_code]).toEqual([status, errorCode]);
  expect([body.retry_after_seconds, headers.get("Retry-After")]).toEqual([undefined, null]);
});

test.each([
  [undefined, 1],
  [0, 0],
  [7, 7],
])("a 429 always states its wait: of %j, %i seconds", async (wait, seconds) => {
  const { get, emulator } = createService();
  emulator.faults.add({
    fault: {
      kind: "status",
      status: 429,
      when: "before",
      ...(wait !== undefined && { retry_after_seconds: wait }),
    },
  });
  const { body, headers } = await get(BALANCE);
  expect([body.error_code, body.retry_after_seconds]).toEqual(["rate_limited", seconds]);
  expect(headers.get("Retry-After")).toBe(String(seconds));
});

test.each(["before", "after"] as const)("a status that comes %s has no body for HEAD", async (when) => {
  const { send, emulator } = createService();
  emulator.faults.add({ fault: { kind: "status", status: 503, when } });
  const { status, body, headers } = await send("/", { method: "HEAD" });
  expect([status, body]).toEqual([503, ""]);
  expect(Number(headers.get("Content-Length"))).toBeGreaterThan(0);
});

test("latency passes on the emulator's clock, before anything happens", async () => {
  const { create, read, emulator } = createService();
  emulator.faults.add({ method: "POST", fault: { kind: "latency", ms: 90_000 } });
  const taskId = await create();
  expect((await read(taskId)).created_at).toBe("2026-01-01T00:01:30.000Z");
});

test("no time passes by itself while a request stalls, and it can be advanced all the same", async () => {
  const { emulator } = createService();
  const { clock } = emulator;
  const start = clock.now();
  emulator.faults.add({ fault: { kind: "stall" } });
  const controller = new AbortController();
  const stalled = emulator.fetch(emulator.url + BALANCE, { signal: controller.signal });
  const slept = clock.sleep(60_000).then(() => clock.now() - start);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(clock.now() - start).toBe(0);
  await clock.advance(10_000);
  expect(clock.now() - start).toBe(10_000);
  controller.abort(new Error("enough"));
  await expect(stalled).rejects.toThrow("enough");
  expect(await slept).toBe(60_000);
});

test("a stalled request that nobody can give up does not hold time, and ends with the emulator", async () => {
  const { emulator } = createService();
  emulator.faults.add({ fault: { kind: "stall" } });
  const stalled = emulator.fetch(emulator.url + BALANCE);
  stalled.catch(() => {});
  await emulator.clock.sleep(3_600_000);
  await emulator[Symbol.asyncDispose]();
  await expect(stalled).rejects.toThrow(TypeError);
});

test("a request that is taken back at once never arrives, and one that was under way is carried out", async () => {
  const { emulator, balance } = createService({ credits: 20 });
  const post = (signal: AbortSignal) =>
    emulator.fetch(emulator.url + TASK, {
      method: "POST",
      headers: { "x-api-key": emulator.apiKey, "Content-Type": "application/json" },
      body: JSON.stringify(VALID.song),
      signal,
    });

  const early = new AbortController();
  const takenBack = post(early.signal);
  early.abort();
  await expect(takenBack).rejects.toMatchObject({ name: "AbortError" });
  await emulator.clock.sleep(10_000);
  expect((await balance()).frozen).toBe(0);

  emulator.faults.add({ method: "POST", fault: { kind: "latency", ms: 5_000 } });
  const late = new AbortController();
  const underWay = post(late.signal);
  await emulator.clock.sleep(1_000);
  late.abort();
  await expect(underWay).rejects.toMatchObject({ name: "AbortError" });
  await emulator.clock.sleep(10_000);
  expect((await balance()).frozen).toBe(10);
});

describe("which requests a fault meets", () => {
  const fault = { kind: "status", status: 503, when: "before" } as const;
  const statuses = async (paths: string[], get: (path: string) => Promise<{ status: number }>) => {
    const seen = [];
    for (const path of paths) seen.push((await get(path)).status);
    return seen;
  };

  test("the first of its path, once, unless it says otherwise", async () => {
    const { get, emulator } = createService();
    emulator.faults.add({ path: USAGE, fault });
    expect(await statuses([BALANCE, USAGE, USAGE], get)).toEqual([200, 503, 200]);
    emulator.faults.add({ method: "get", path: "/api/v1/account/*", times: 2, fault });
    expect(await statuses([`${TASK}/x`, BALANCE, USAGE, BALANCE], get)).toEqual([404, 503, 503, 200]);
  });

  test("of several the first that was added fires, and the others wait", async () => {
    const { get, emulator } = createService();
    emulator.faults.add({ fault: { ...fault, status: 500 } });
    emulator.faults.add({ fault: { ...fault, status: 502 } });
    expect(await statuses([BALANCE, BALANCE, BALANCE], get)).toEqual([500, 502, 200]);
  });

  test("one that nothing has met is listed still, so that a test sees its mistyped path", async () => {
    const { get, emulator } = createService();
    emulator.faults.add({ path: "/task", fault });
    emulator.faults.add({ path: USAGE, times: 2, fault });
    emulator.faults.add({ path: BALANCE, fault });
    await statuses([BALANCE, USAGE], get);
    expect(emulator.faults.list()).toEqual([
      { rule: { path: "/task", fault }, left: 1 },
      { rule: { path: USAGE, times: 2, fault }, left: 1 },
    ]);
  });

  test("with a probability those that the seed chooses, for ever, and the same ones each time", async () => {
    const run = async (seed: number) => {
      const { get, emulator } = createService({ seed });
      emulator.faults.add({ probability: 0.3, fault });
      return statuses(
        Array.from({ length: 300 }, () => BALANCE),
        get,
      );
    };
    const [first, again, other] = [await run(1), await run(1), await run(2)];
    const struck = first.filter((status) => status === 503).length;
    expect(struck).toBeGreaterThan(60);
    expect(struck).toBeLessThan(120);
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
  });
});

test.each([200, 204, 304, 308, 418, 599])(
  "a status of %i is possible, with or without a body",
  async (status) => {
    const { get, emulator } = createService();
    emulator.faults.add({ fault: { kind: "status", status, when: "before" } });
    expect((await get(BALANCE)).status).toBe(status);
  },
);

test("an exchange without an answer is in the log without a status", async () => {
  const { get, emulator } = createService();
  emulator.faults.add({ fault: { kind: "disconnect", when: "after" } });
  await get(BALANCE, { "X-Request-Id": "lost" }).catch(() => {});
  expect(emulator.requests).toEqual([
    {
      at: "2026-01-01T00:00:00.000Z",
      method: "GET",
      path: BALANCE,
      status: null,
      request_id: "lost",
      account_id: emulator.accountId,
      error_code: null,
    },
  ]);
});

test.each([
  [{ fault: { kind: "explode" } }, /`fault\.fault/],
  [{ fault: { kind: "status", status: 99, when: "before" } }, /`fault\.fault\.status`/],
  [{ fault: { kind: "disconnect" } }, /`fault\.fault\.when`/],
  [{ probability: 2, fault: { kind: "stall" } }, /`fault\.probability`/],
  [{ times: 0, fault: { kind: "stall" } }, /`fault\.times`/],
  [{ paths: "/", fault: { kind: "stall" } }, /`paths`/],
])("the fault %j is refused with its field's name", (rule, message) => {
  expect(() => createService().emulator.faults.add(rule as never)).toThrow(message);
});
