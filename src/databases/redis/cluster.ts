import { evaluateOn, type RedisClient } from "./client.js";

/** How many slots the masters of a cluster have together. */
const ALL_SLOTS = 16_384;

/** How many slots a master has; all if this Redis lets no script read its slots. */
const COUNT_SLOTS = `
local id, ranges, count = redis.pcall('cluster', 'myid'), redis.pcall('cluster', 'slots'), 0
if type(id) == 'table' or ranges.err then return ${ALL_SLOTS} end
for _, range in ipairs(ranges) do
  local first, last, master = unpack(range)
  if master[3] == id then count = count + last - first + 1 end
end
return count`;

/** So many keys are tried with an old list of masters: a client reads the list again when a server redirects it. */
const MOST_TRIED_KEYS = 100;

/** Whether the keys of one script may be on different servers. */
export function isCluster(redis: RedisClient): boolean {
  return typeof Reflect.get(redis, "nodes") === "function" || Array.isArray(Reflect.get(redis, "masters"));
}

/**
 * Every server that holds keys: the masters of a cluster, otherwise the client itself.
 *
 * @param key - any key: a client that has not connected yet lists its masters after a script with a key
 * @throws Error the client does not list all masters
 */
export async function serversOf(redis: RedisClient, key: string): Promise<RedisClient[]> {
  if (!isCluster(redis)) return [redis];
  const others = Array.from({ length: MOST_TRIED_KEYS }, (_, index) => `${key}${index}`);
  let count = 0;
  for (const keys of [[key], others]) {
    await Promise.all(keys.map((each) => evaluateOn(redis)("return 1", each, [])));
    const masters = await mastersOf(redis);
    const counts = await Promise.all(masters.map((master) => evaluateOn(master)(COUNT_SLOTS, null, [])));
    count = counts.reduce<number>((sum, slots) => sum + Number(slots), 0);
    if (count >= ALL_SLOTS) return masters;
  }
  throw new Error(
    `the client of the Redis cluster reaches masters with ${count} of the ${ALL_SLOTS} slots. ` +
      "Try again when each slot has a master. If each slot has one, connect the client again, since its list of masters is old.",
  );
}

async function mastersOf(redis: RedisClient): Promise<RedisClient[]> {
  // ioredis
  const nodes: unknown = Reflect.get(redis, "nodes");
  if (typeof nodes === "function") return nodes.call(redis, "master");
  // node-redis
  const masters: unknown = Reflect.get(redis, "masters");
  const nodeClient: unknown = Reflect.get(redis, "nodeClient");
  if (!Array.isArray(masters) || typeof nodeClient !== "function") return [redis];
  return Promise.all(masters.map((master) => nodeClient.call(redis, master)));
}
