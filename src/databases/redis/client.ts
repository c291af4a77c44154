import { wrongValue } from "../../errors/base.js";
import { numberRule, type OptionRule } from "../../errors/options.js";

/**
 * A connection to Redis: a client or a cluster of `ioredis` from version 5, or of `redis` (node-redis) from version 4. Only
 * `eval` is called, with one key per script; those of a budget have up to three. `open` and `unacknowledged` of a journal also run
 * scripts without a key, which call `SCAN`; in a cluster on each master, together with `CLUSTER SLOTS` and `CLUSTER MYID`.
 */
export interface RedisClient {
  /** Runs a script on the server, atomically. */
  eval(script: string, ...parameters: never[]): Promise<unknown>;
}

/** Runs a script with one key, with several, or with `null` without keys. */
export type Evaluate = (
  script: string,
  key: string | readonly string[] | null,
  parameters: readonly string[],
) => Promise<unknown>;

/** Hides how the two libraries pass keys and arguments to a script. */
export function evaluateOn(redis: RedisClient): Evaluate {
  const evaluate: unknown = redis?.eval;
  if (typeof evaluate !== "function")
    throw wrongValue(
      "redis",
      "be a client or a cluster of ioredis (from version 5) or redis (from version 4)",
    );
  // Only ioredis has `defineCommand`.
  const isIoredis = typeof Reflect.get(redis, "defineCommand") === "function";
  return async (script, key, parameters) => {
    const keys = key === null ? [] : [key].flat();
    const reply: unknown = isIoredis
      ? await evaluate.call(redis, script, keys.length, ...keys, ...parameters)
      : await evaluate.call(redis, script, { keys, arguments: [...parameters] });
    return decoded(reply);
  };
}

/** A client of node-redis may return strings as bytes: see its method `withTypeMapping`. */
function decoded(reply: unknown): unknown {
  if (Array.isArray(reply)) return reply.map(decoded);
  return reply instanceof Uint8Array ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(reply) : reply;
}

/** The prefix that ioredis adds to each key by its option `keyPrefix`; a scan has to match it. */
export function keyPrefixOf(redis: RedisClient): string {
  const keyPrefix: unknown = Object(Reflect.get(redis, "options")).keyPrefix;
  return typeof keyPrefix === "string" ? keyPrefix : "";
}

/** The prefix of all keys in Redis, unless an option sets another one. */
export const PREFIX = "async-music";

/** With empty braces in front of those of a tenant, a cluster would store the keys of one script on different servers. */
export const prefixRule: OptionRule = [
  "be a string that is not empty and does not contain {}",
  (value) => typeof value === "string" && value !== "" && !value.includes("{}"),
];
export const wholeRule = numberRule(
  "be a whole number, 1 or more",
  (value) => Number.isSafeInteger(value) && value >= 1,
);
