import { AsyncMusic, InvalidOptionError } from "async-music";
import { createEmulator } from "async-music/emulator";
import { type RedisPacerOptions, redisPacer } from "async-music/redis";
import { Redis } from "ioredis";
import { expect, test, vi } from "vitest";
import { clients, connectIoredis, redisSocket } from "./connections.js";

let places = 0;

/** A client of an emulator in real time: Redis expires its keys in real time. */
function createMember(redis: Parameters<typeof redisPacer>[0], options: RedisPacerOptions = {}) {
  const emulator = createEmulator({ clock: "real" });
  const prefix = `pacer-${process.pid}-${places++}`;
  const pacer = redisPacer(redis, { prefix, ...options });
  return { emulator, prefix, client: new AsyncMusic({ ...emulator.connection(), pacer }) };
}

test.each(clients)(
  "a client of %s counts its requests under a hash of the API key, without the key itself",
  async (_, connect) => {
    const redis = connectIoredis();
    const connection = await connect();
    const said = vi.spyOn(connection as { eval(...given: unknown[]): unknown }, "eval");
    const { emulator, client, prefix } = createMember(connection);
    await Promise.all([client.account.balance(), client.account.usage()]);
    expect(client.baseUrl).toBe(emulator.url);

    const places = await redis.keys(`*${prefix}*`);
    expect(places).toHaveLength(1);
    expect(places[0]).toMatch(new RegExp(`^${prefix}:pacer:[0-9a-f]{64}$`));
    expect(await redis.get(places[0] ?? "")).toBe("2");
    expect(JSON.stringify(said.mock.calls)).toContain(prefix);
    expect(JSON.stringify(said.mock.calls)).not.toContain(emulator.apiKey);
  },
);

test("keys of different accounts have separate budgets", async () => {
  const redis = connectIoredis();
  const { emulator, client, prefix } = createMember(redis);
  const { api_key: apiKey } = emulator.accounts.create({ credits: 10 });
  const other = new AsyncMusic({ ...emulator.connection(), apiKey, pacer: redisPacer(redis, { prefix }) });
  await client.account.balance();
  await other.account.balance();
  const counts = await Promise.all((await redis.keys(`${prefix}:*`)).map((key) => redis.get(key)));
  expect(counts).toEqual(["1", "1"]);
});

test("after a rotation, requests count under the new key", async () => {
  const redis = connectIoredis();
  const emulator = createEmulator({ clock: "real" });
  const { account_id: accountId, api_key: old } = emulator.accounts.create({ credits: 10 });
  const prefix = `pacer-${process.pid}-${places++}`;
  let current = old;
  const apiKey = async () => current;
  const client = new AsyncMusic({ ...emulator.connection(), apiKey, pacer: redisPacer(redis, { prefix }) });
  await client.account.balance();
  current = emulator.accounts.createKey(accountId).api_key;
  // This request is admitted before its key is read. The responses show that the service counts it under the new key.
  await client.account.balance();
  await client.account.balance();
  // A process that starts later.
  await new AsyncMusic({
    ...emulator.connection(),
    apiKey,
    pacer: redisPacer(redis, { prefix }),
  }).account.usage();
  const counts = await Promise.all((await redis.keys(`${prefix}:*`)).map((key) => redis.get(key)));
  expect(counts.sort()).toEqual(["2", "3"]);
});

test.each(["120", "1000000000"])(
  "requests are sent although the key has the count %s and no expiry, and Redis is not called in a loop",
  async (count) => {
    const redis = connectIoredis();
    const { client, prefix } = createMember(redis);
    await client.account.balance();
    const [key = ""] = await redis.keys(`${prefix}:*`);
    await redis.set(key, count);
    const calls = vi.spyOn(redis as { eval(...given: unknown[]): unknown }, "eval");
    await Promise.all([client.account.balance(), client.account.usage()]);
    expect(calls.mock.calls.length).toBeLessThan(10);
    expect(await redis.pttl(key)).toBeGreaterThan(0);
  },
);

test("requests are sent without Redis, and `onUnavailable` is called once", async () => {
  const redis = new Redis({ path: `${redisSocket()}-nowhere`, retryStrategy: null, maxRetriesPerRequest: 0 });
  redis.on("error", () => {});
  const troubles: unknown[] = [];
  const { client, emulator } = createMember(redis, { onUnavailable: (error) => troubles.push(error) });
  await Promise.all([client.account.balance(), client.account.usage()]);
  await client.account.balance();
  expect(emulator.requests.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(troubles).toEqual([expect.any(Error)]);
});

test.each([
  ["throws", () => expect.fail("a listener's own error")],
  ["rejects", () => Promise.reject(new Error("a listener's own error"))],
])("no request fails because `onUnavailable` %s", async (_, onUnavailable) => {
  const redis = { eval: () => Promise.reject(new Error("no Redis")), evalsha: async () => null };
  const { client, emulator } = createMember(redis, { onUnavailable });
  await client.account.balance();
  expect(emulator.requests.map(({ status }) => status)).toEqual([200]);
});

test.each([
  ["redis", {}, {}],
  ["prefix", null, { prefix: "" }],
  ["requests", null, { requests: 0 }],
  ["windowSeconds", null, { windowSeconds: 1.5 }],
  ["onUnavailable", null, { onUnavailable: 1 }],
  ["windowSeconds", null, { windowSecond: 60 }],
])("an invalid `%s` is refused", (option, redis, options) => {
  const make = () => redisPacer((redis ?? connectIoredis()) as never, options as never);
  expect(make).toThrow(InvalidOptionError);
  expect(make).toThrow(option);
});
