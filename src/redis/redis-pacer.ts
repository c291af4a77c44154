import { LIMITS } from "../contract/wire.js";
import { InvalidOptionError, shown } from "../errors/base.js";
import { checkOptionNames } from "../http/option-names.js";
import type { PacerFactory } from "../rate-limit/pacer.js";
import { createFleetPacer } from "./fleet-pacer.js";
import { checkPrefix, checkWhole } from "./options.js";
import { createRedisBudget } from "./redis-budget.js";
import { evaluateOn, type RedisClient } from "./redis-client.js";

/** Options of `redisPacer`. All processes of a fleet take the same. */
export interface RedisPacerOptions {
  /** What its keys in Redis begin with. @defaultValue "async-music" */
  prefix?: string | undefined;
  /** Requests that the service allows the key in a window. @defaultValue 120 */
  requests?: number | undefined;
  /** How long a window of the service lasts, in whole seconds. @defaultValue 60 */
  windowSeconds?: number | undefined;
  /**
   * Called when Redis can't be asked, once until it answers again: meanwhile this process paces itself by the
   * service's answers alone, and the key may be limited for moments.
   */
  onUnavailable?: ((error: unknown) => void) | undefined;
}

/**
 * A pacer for a fleet: all processes that use one API key share one budget in Redis, whatever their number, and the key is
 * not limited. It is given to each of their clients as its `pacer`.
 *
 * Each process orders its own requests, creates before polls and likely-finished tasks first, and takes them one by one
 * from the fleet's window. That opens with the fleet's first request and lasts a second longer than the service's. Polls
 * leave a quarter of it to creates and account reads, and set that free as it passes. A 429, should somebody else spend
 * from the key too, holds the whole fleet back. Nobody has to join or to leave.
 *
 * The count stands under a hash of the API key; the key itself never goes to Redis. While Redis doesn't answer within two
 * seconds, requests leave all the same, paced by each process for itself, and Redis is asked again every ten seconds. The
 * client's clock has to go as fast as Redis's: a virtual one does not.
 *
 * It needs the package `rate-limiter-flexible`.
 *
 * @param redis - a client or a cluster of `ioredis` or `redis`; closing it is up to its owner
 * @throws `InvalidOptionError`: an option is out of range
 *
 * @example
 * ```ts sketch
 * import { redisPacer } from "async-music/redis";
 * import { Redis } from "ioredis";
 *
 * const client = new AsyncMusic({ pacer: redisPacer(new Redis()) });
 * ```
 */
export function redisPacer(redis: RedisClient, options: RedisPacerOptions = {}): PacerFactory {
  const checked = checkOptionNames(options, {
    prefix: true,
    requests: true,
    windowSeconds: true,
    onUnavailable: true,
  });
  const { onUnavailable = () => {} } = checked;
  const requests = checkWhole("requests", checked.requests ?? LIMITS.requestsPerWindow);
  const windowMs = 1000 * checkWhole("windowSeconds", checked.windowSeconds ?? LIMITS.windowMs / 1000);
  if (typeof onUnavailable !== "function")
    throw new InvalidOptionError("onUnavailable", "be a function", shown(onUnavailable));
  const prefix = checkPrefix(checked.prefix);
  const evaluate = evaluateOn(redis);

  return (clock, apiKey) => {
    let hash: Promise<string> | null = null;
    const key = () => {
      hash ??= hashOf(apiKey);
      return hash;
    };
    const size = { requests, windowMs };
    return createFleetPacer(clock, createRedisBudget(evaluate, { prefix, key }, size), size, onUnavailable);
  };
}

async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
