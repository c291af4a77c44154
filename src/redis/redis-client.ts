import { InvalidOptionError } from "../errors/base.js";

/**
 * A connection to Redis: a client or a cluster of `ioredis` from version 5, or of `redis` (node-redis) from version 4. Only
 * `eval` is used, with a single key; `open` of a journal in a cluster also lists its masters.
 */
export interface RedisClient {
  /** Runs a script on the server, as a whole. */
  eval(script: string, ...parameters: never[]): Promise<unknown>;
}

/** Runs a script on one key; with `null`, on whatever keys the server has. */
export type Evaluate = (
  script: string,
  key: string | null,
  parameters: readonly string[],
) => Promise<unknown>;

/** Every server that holds a part of the keys: the masters of a cluster, otherwise the client itself. */
export async function masterClients(redis: RedisClient): Promise<RedisClient[]> {
  // ioredis; its plain client has no `nodes`.
  const nodes: unknown = Reflect.get(redis, "nodes");
  if (typeof nodes === "function") return nodes.call(redis, "master");
  // node-redis
  const masters: unknown = Reflect.get(redis, "masters");
  const nodeClient: unknown = Reflect.get(redis, "nodeClient");
  if (!Array.isArray(masters) || typeof nodeClient !== "function") return [redis];
  return Promise.all(masters.map((master) => nodeClient.call(redis, master)));
}

/** What ioredis puts before each key of a script by its option `keyPrefix`; a scan has to match it. */
export function keyPrefixOf(redis: RedisClient): string {
  const keyPrefix: unknown = Object(Reflect.get(redis, "options")).keyPrefix;
  return typeof keyPrefix === "string" ? keyPrefix : "";
}

/** How scripts are run on a client, whichever library it is from. */
export function evaluateOn(redis: RedisClient): Evaluate {
  const evaluate: unknown = redis?.eval;
  if (typeof evaluate !== "function")
    throw new InvalidOptionError("redis", "be a client of ioredis or of redis, from version 4 on");
  // Only ioredis lets its users define commands.
  const isIoredis = typeof Reflect.get(redis, "defineCommand") === "function";
  return async (script, key, parameters) => {
    const keys = key === null ? [] : [key];
    return isIoredis
      ? evaluate.call(redis, script, keys.length, ...keys, ...parameters)
      : evaluate.call(redis, script, { keys, arguments: [...parameters] });
  };
}
