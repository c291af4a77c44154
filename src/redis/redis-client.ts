import { InvalidOptionError } from "../errors/invalid-option-error.js";

/**
 * A connection to Redis: a client or a cluster of `ioredis` from version 5, or of `redis` (node-redis) from version 4. Only
 * `eval` is used, always with a single key.
 */
export interface RedisClient {
  /** Runs a script on the server, as a whole. */
  eval(script: string, ...parameters: never[]): Promise<unknown>;
}

/** Runs a script on one key. */
export type Evaluate = (script: string, key: string, parameters: readonly string[]) => Promise<unknown>;

/** How scripts are run on a client, whichever library it is from. */
export function evaluateOn(redis: RedisClient): Evaluate {
  const evaluate: unknown = redis?.eval;
  if (typeof evaluate !== "function")
    throw new InvalidOptionError("redis", "be a client of ioredis or of redis, from version 4 on");
  // Only ioredis lets its users define commands.
  const isIoredis = typeof Reflect.get(redis, "defineCommand") === "function";
  return async (script, key, parameters) =>
    isIoredis
      ? evaluate.call(redis, script, 1, key, ...parameters)
      : evaluate.call(redis, script, { keys: [key], arguments: [...parameters] });
}
