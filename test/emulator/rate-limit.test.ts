import { expect, test } from "vitest";
import { failWith } from "../support/faults.js";
import { BALANCE, createService, serviceOf, TASK, VALID } from "./support/service.js";

/** A service with this limit per minute, and how many requests a response leaves. */
function limitedTo(requests: number, rate_limit_window: "fixed" | "sliding" = "fixed") {
  const limits = { requests, windowSeconds: 60 };
  const service = createService({ limits, policy: { rate_limit_window } });
  const remaining = async () => (await service.get(BALANCE)).headers.get("X-RateLimit-Remaining");
  const retryAfter = async () => (await service.get(BALANCE)).body.retry_after_seconds;
  return { ...service, remaining, retryAfter };
}

test.each([
  ["fixed", "all its requests 60 s after the first one", ["1", "0"], 60],
  ["sliding", "each request 60 s after it", ["0"], 30],
] as const)("a %s window drops %s", async (window, _, left, wait) => {
  const { get, advance, remaining, retryAfter } = limitedTo(2, window);
  await advance(7_000);
  await get(BALANCE);
  await advance(30_000);
  await get(BALANCE);
  await advance(29_999);
  expect(await retryAfter()).toBe(1);
  await advance(1);
  for (const each of left) expect(await remaining()).toBe(each);
  expect(await retryAfter()).toBe(wait);
});

test("neither a 401 nor a 429 counts against a window", async () => {
  const { get, send, advance, remaining } = limitedTo(1, "sliding");
  await send(BALANCE);
  await get(BALANCE, { "x-api-key": "emu_wrong" });
  expect(await remaining()).toBe("0");
  for (const status of [429, 429, 429, 429, 429, 200]) {
    await advance(10_000);
    expect((await get(BALANCE)).status).toBe(status);
  }
});

test("a request that needs no key does not count, and its response has no remainder", async () => {
  const { get, remaining } = limitedTo(2);
  const { status, headers } = await get("/openapi.json");
  expect([status, headers.has("X-RateLimit-Remaining"), await remaining()]).toEqual([200, false, "1"]);
});

test("a request that is refused for another reason counts", async () => {
  const { get, post } = limitedTo(120);
  const responses = [await post("{"), await post({}), await get(`${TASK}/none`), await post(VALID.song)];
  const remaining = responses.map(({ headers }) => headers.get("X-RateLimit-Remaining"));
  expect(remaining).toEqual(["119", "118", "117", "116"]);
});

test("every API key has its own window, and a 429 creates no task", async () => {
  const { post, emulator } = limitedTo(1);
  const { api_key: apiKey } = emulator.accounts.createKey(emulator.accountId);
  expect((await post(VALID.song)).status).toBe(202);
  expect((await post(VALID.song)).status).toBe(429);
  expect(emulator.accounts.get(emulator.accountId).balance.frozen).toBe(10);
  expect((await serviceOf(emulator, { apiKey }).post(VALID.song)).status).toBe(202);
});

test("under a lowered limit a sliding window states the wait for the request that must leave it", async () => {
  const { get, emulator, advance, retryAfter } = limitedTo(3, "sliding");
  for (let request = 0; request < 3; request++) {
    await get(BALANCE);
    await advance(10_000);
  }
  emulator.changeLimits({ requests: 2 });
  expect(await retryAfter()).toBe(40);
  emulator.changeLimits({ requests: 1 });
  expect(await retryAfter()).toBe(50);
  await advance(50_000);
  expect((await get(BALANCE)).status).toBe(200);
});

test.each(["fixed", "sliding"] as const)(
  "a lowered limit leaves 0 requests of a %s window, also in the response of a fault",
  async (window) => {
    const { get, emulator, fault } = limitedTo(5, window);
    for (let request = 0; request < 4; request++) await get(BALANCE);
    emulator.changeLimits({ requests: 2 });
    fault(failWith(503));
    const { status, headers } = await get(BALANCE);
    expect([status, headers.get("X-RateLimit-Remaining")]).toEqual([503, "0"]);
  },
);

test.each([
  ["fixed", "sliding"],
  ["sliding", "fixed"],
] as const)("a change from a %s to a %s window begins an empty one, also for a fault", async (from, to) => {
  const { get, emulator, remaining, fault } = limitedTo(5, from);
  for (let request = 0; request < 3; request++) await get(BALANCE);
  emulator.changePolicy({ rate_limit_window: to });
  fault(failWith(503));
  expect(await remaining()).toBe("5");
  expect(await remaining()).toBe("4");
});

test("a changed limit applies to the next request", async () => {
  const { get, emulator, remaining } = limitedTo(120);
  await get(BALANCE);
  emulator.changeLimits({ requests: 1 });
  expect((await get(BALANCE)).status).toBe(429);
  emulator.changeLimits({ requests: 3 });
  expect(await remaining()).toBe("1");
  expect(emulator.limits).toEqual({ requests: 3, windowSeconds: 60 });
});

test.each([
  { requests: 0 },
  { requests: 1.5 },
  { windowSeconds: 0 },
  { windowSeconds: "60" },
  { seconds: 60 },
])("the limits %j are refused, and change nothing", (limits) => {
  const { emulator } = limitedTo(120);
  expect(() => emulator.changeLimits(limits as never)).toThrow(/`limits/);
  expect(emulator.limits).toEqual({ requests: 120, windowSeconds: 60 });
});
