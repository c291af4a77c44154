import { expect, test } from "vitest";
import { BALANCE, createService, serviceOf, TASK, VALID } from "./support/service.js";

const DEFAULT = { limits: { requests: 120, windowSeconds: 60 } };

test("a fixed window ends exactly 60 s after its first request", async () => {
  const { get, emulator } = createService({ limits: { requests: 2, windowSeconds: 60 } });
  await emulator.clock.advance(7_000);
  await get(BALANCE);
  await emulator.clock.advance(30_000);
  await get(BALANCE);
  await emulator.clock.advance(29_999);
  expect((await get(BALANCE)).headers.get("Retry-After")).toBe("1");
  await emulator.clock.advance(1);
  expect((await get(BALANCE)).headers.get("X-RateLimit-Remaining")).toBe("1");
  await get(BALANCE);
  expect((await get(BALANCE)).body.retry_after_seconds).toBe(60);
});

test("a sliding window lets go of each request exactly 60 s after it", async () => {
  const { get, emulator } = createService({
    limits: { requests: 2, windowSeconds: 60 },
    policy: { rate_limit_window: "sliding" },
  });
  await get(BALANCE);
  await emulator.clock.advance(30_000);
  await get(BALANCE);
  await emulator.clock.advance(29_999);
  expect((await get(BALANCE)).body.retry_after_seconds).toBe(1);
  await emulator.clock.advance(1);
  expect((await get(BALANCE)).headers.get("X-RateLimit-Remaining")).toBe("0");
  expect((await get(BALANCE)).body.retry_after_seconds).toBe(30);
});

test("a stated wait is long enough, to the second", async () => {
  const { get, emulator } = createService({ limits: { requests: 1, windowSeconds: 60 } });
  await get(BALANCE);
  await emulator.clock.advance(400);
  const { body, headers } = await get(BALANCE);
  expect([body.retry_after_seconds, headers.get("Retry-After")]).toEqual([60, "60"]);
  await emulator.clock.advance(body.retry_after_seconds * 1000);
  expect((await get(BALANCE)).status).toBe(200);
});

test("neither a 401 nor a 429 counts against a window", async () => {
  const { get, send, emulator } = createService({
    limits: { requests: 1, windowSeconds: 60 },
    policy: { rate_limit_window: "sliding" },
  });
  await send(BALANCE);
  await get(BALANCE, { "x-api-key": "emu_wrong" });
  expect((await get(BALANCE)).headers.get("X-RateLimit-Remaining")).toBe("0");
  for (let second = 0; second < 5; second++) {
    await emulator.clock.advance(10_000);
    expect((await get(BALANCE)).status).toBe(429);
  }
  await emulator.clock.advance(10_000);
  expect((await get(BALANCE)).status).toBe(200);
});

test("what is refused for another reason counts, and shows what is left", async () => {
  const { get, post } = createService(DEFAULT);
  const replies = [await post("{"), await post({}), await get(`${TASK}/none`), await post(VALID.song)];
  expect(replies.map(({ headers }) => headers.get("X-RateLimit-Remaining"))).toEqual([
    "119",
    "118",
    "117",
    "116",
  ]);
});

test("every key has a window of its own", async () => {
  const { get, emulator } = createService({ limits: { requests: 1, windowSeconds: 60 } });
  const { api_key: apiKey } = emulator.accounts.createKey(emulator.accountId);
  await get(BALANCE);
  expect((await get(BALANCE)).status).toBe(429);
  expect((await serviceOf(emulator, { apiKey }).get(BALANCE)).status).toBe(200);
});

test("a refused creation leaves nothing behind", async () => {
  const { post, emulator } = createService({ limits: { requests: 1, windowSeconds: 60 } });
  await post(VALID.song);
  expect((await post(VALID.song)).status).toBe(429);
  expect(emulator.accounts.get(emulator.accountId).balance.frozen).toBe(10);
});

test("under a lowered limit a sliding window states the wait for the request that has to leave it", async () => {
  const { get, emulator } = createService({
    limits: { requests: 3, windowSeconds: 60 },
    policy: { rate_limit_window: "sliding" },
  });
  for (let request = 0; request < 3; request++) {
    await get(BALANCE);
    await emulator.clock.advance(10_000);
  }
  emulator.changeLimits({ requests: 2 });
  expect((await get(BALANCE)).body.retry_after_seconds).toBe(40);
  emulator.changeLimits({ requests: 1 });
  expect((await get(BALANCE)).body.retry_after_seconds).toBe(50);
  await emulator.clock.advance(50_000);
  expect((await get(BALANCE)).status).toBe(200);
});

test("under a lowered limit nothing is left, and never less, also in the answer of a fault", async () => {
  for (const rate_limit_window of ["fixed", "sliding"] as const) {
    const { get, emulator } = createService({ limits: { requests: 5 }, policy: { rate_limit_window } });
    for (let request = 0; request < 4; request++) await get(BALANCE);
    emulator.changeLimits({ requests: 2 });
    emulator.faults.add({ fault: { kind: "status", status: 503, when: "before" } });
    const { status, headers } = await get(BALANCE);
    expect([status, headers.get("X-RateLimit-Remaining")]).toEqual([503, "0"]);
  }
});

test("another kind of window begins with nothing used, also in the answer of a fault", async () => {
  for (const [before, after] of [
    ["fixed", "sliding"],
    ["sliding", "fixed"],
  ] as const) {
    const { get, emulator } = createService({
      limits: { requests: 5 },
      policy: { rate_limit_window: before },
    });
    for (let request = 0; request < 3; request++) await get(BALANCE);
    emulator.changePolicy({ rate_limit_window: after });
    emulator.faults.add({ fault: { kind: "status", status: 503, when: "before" } });
    expect((await get(BALANCE)).headers.get("X-RateLimit-Remaining")).toBe("5");
    expect((await get(BALANCE)).headers.get("X-RateLimit-Remaining")).toBe("4");
  }
});

test("limits change from one request to the next", async () => {
  const { get, emulator } = createService(DEFAULT);
  await get(BALANCE);
  emulator.changeLimits({ requests: 1 });
  expect((await get(BALANCE)).status).toBe(429);
  emulator.changeLimits({ requests: 3 });
  expect((await get(BALANCE)).headers.get("X-RateLimit-Remaining")).toBe("1");
  expect(emulator.limits).toEqual({ requests: 3, windowSeconds: 60 });
});

test.each([
  { requests: 0 },
  { requests: 1.5 },
  { windowSeconds: 0 },
  { windowSeconds: "60" },
  { seconds: 60 },
])("the limits %j are refused, and change nothing", (limits) => {
  const { emulator } = createService(DEFAULT);
  expect(() => emulator.changeLimits(limits as never)).toThrow(/`limits/);
  expect(emulator.limits).toEqual(DEFAULT.limits);
});
