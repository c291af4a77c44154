import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { evaluateOn } from "../../src/databases/redis/client.js";
import { createEndExchange } from "../../src/databases/redis/redis-ends.js";
import { clients, connectIoredis } from "./connections.js";

const END = { model: "provider_a", type: "music", unfinishedMs: 40_000, ageMs: 45_000 };

function createMember(redis: Parameters<typeof evaluateOn>[0], name: string) {
  return createEndExchange(evaluateOn(redis), async () => name, randomUUID());
}

test.each(clients)(
  "with %s, each process receives each end of another one once, and none of its own",
  async (_, connect) => {
    const redis = await connect();
    const name = `ends-${randomUUID()}`;
    const [first, second] = [createMember(redis, name), createMember(redis, name)];
    expect(await first([])).toEqual([]);
    expect(await first([END, { ...END, ageMs: 46_000 }])).toEqual([]);
    expect(await second([{ ...END, type: "lyrics" }])).toEqual([END, { ...END, ageMs: 46_000 }]);
    expect(await second([])).toEqual([]);
    expect(await first([])).toEqual([{ ...END, type: "lyrics" }]);
    expect(await first([])).toEqual([]);
    expect(await createMember(redis, name)([])).toHaveLength(3);
  },
);

test("the stream is bounded, expires, and has short names", async () => {
  const redis = connectIoredis();
  const name = `ends-${randomUUID()}`;
  const member = createMember(redis, name);
  const long = { ...END, model: "m".repeat(1000) };
  for (let count = 0; count < 8; count++) await member(Array.from({ length: 50 }, () => long));
  expect(await redis.xlen(`${name}:ends`)).toBe(300);
  expect(await redis.ttl(`${name}:ends`)).toBeGreaterThan(86_000);
  const read = await createMember(redis, name)([]);
  expect(read).toHaveLength(300);
  expect(read[0]?.model).toBe("m".repeat(100));
});

test("entries of another version are read as far as they are known, and others are ignored", async () => {
  const redis = connectIoredis();
  const name = `ends-${randomUUID()}`;
  const add = (entry: string) => redis.xadd(`${name}:ends`, "*", "end", entry);
  for (const entry of ["", "{", "{}", "[]", '["provider_a","music",5,5,"m"]', '["provider_a","music","1",5]'])
    await add(entry);
  await add('["provider_a","music",40000,45000,"another","a later field"]');
  expect(await createMember(redis, name)([])).toEqual([END]);
});

test("a rotated key has a record of its own", async () => {
  const redis = connectIoredis();
  let name = `ends-${randomUUID()}`;
  const member = createEndExchange(evaluateOn(redis), async () => name, "one");
  await member([END]);
  name = `ends-${randomUUID()}`;
  await createMember(redis, name)([END]);
  expect(await member([])).toEqual([END]);
});

test("a process whose last reply was lost receives none of its own ends", async () => {
  const redis = connectIoredis();
  const name = `ends-${randomUUID()}`;
  const run = evaluateOn(redis);
  let isLost = true;
  const evaluate: typeof run = async (...call) => {
    const reply = await run(...call);
    if (isLost) throw new Error("The reply was lost.");
    return reply;
  };
  const member = createEndExchange(evaluate, async () => name, "one");
  await expect(member([END])).rejects.toThrow("lost");
  isLost = false;
  await createMember(redis, name)([{ ...END, type: "lyrics" }]);
  expect(await member([])).toEqual([{ ...END, type: "lyrics" }]);
});
