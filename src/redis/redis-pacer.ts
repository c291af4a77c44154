import { LIMITS } from "../contract/service.js";
import { callbackRule, checkOptions } from "../errors/options.js";
import type { PacerFactory } from "../rate-limit/pacer.js";
import { systemUuid } from "../time/clock.js";
import { type Evaluate, evaluateOn, PREFIX, prefixRule, type RedisClient, wholeRule } from "./client.js";
import { createFleetPacer } from "./fleet-pacer.js";
import { type FleetBudget, type FleetSize, marginOf } from "./fleet-window.js";

/** Options of `redisPacer`. They must be the same in all processes of a fleet. */
export interface RedisPacerOptions {
  /** Prefix of the keys in Redis. @defaultValue "async-music" */
  prefix?: string | undefined;
  /** Requests that the service allows the key in a window. @defaultValue 120 */
  requests?: number | undefined;
  /** Length of the service's window, in whole seconds. @defaultValue 60 */
  windowSeconds?: number | undefined;
  /**
   * Called once when Redis becomes unavailable, and again only after it responded. Meanwhile this process paces itself by
   * the service's responses alone, and the key may be rate-limited for moments.
   */
  onUnavailable?: ((error: unknown) => void) | undefined;
}

/**
 * A pacer for a fleet: all processes that use one API key share one budget in Redis, so that the key is not rate-limited
 * however many they are. Pass it as the `pacer` of each client.
 *
 * Each process orders its own requests (creates before polls, likely finished tasks first), and takes them one by one from
 * the fleet's window. The window opens with the fleet's first request and lasts a second longer than the service's. Polls
 * leave a quarter of it to creates and account reads, and release that evenly as it passes. A 429, if other programs use
 * the key too, pauses the whole fleet. Processes need not register.
 *
 * The count is stored under a hash of the API key; the key itself is never sent to Redis. If Redis does not respond within
 * two seconds, requests are sent anyway, paced by each process for itself, and Redis is tried again every ten seconds. The
 * client's clock must run at the speed of Redis's clock: a virtual one does not.
 *
 * @param redis - a client or a cluster of `ioredis` or `redis`; you close it
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
  const checked = checkOptions(options, {
    prefix: prefixRule,
    requests: wholeRule,
    windowSeconds: wholeRule,
    onUnavailable: callbackRule,
  });
  const { prefix = PREFIX, requests = LIMITS.requestsPerWindow, onUnavailable = () => {} } = checked;
  const windowMs = 1000 * (checked.windowSeconds ?? LIMITS.windowMs / 1000);
  const evaluate = evaluateOn(redis);

  return (clock, apiKey) => {
    let hash: Promise<string> | undefined;
    const key = () => (hash ??= hashOf(apiKey));
    const size = { requests, windowMs };
    return createFleetPacer(clock, createRedisBudget(evaluate, { prefix, key }, size), size, onUnavailable);
  };
}

async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Stored instead of the count while a 429 pauses the fleet. */
const HELD = 1_000_000_000;

/** A refused request is not counted. */
const TAKE = `
local taken = tonumber(redis.call('get', KEYS[1]) or 0) + 1
if taken == 1 then
  redis.call('set', KEYS[1], 1, 'PX', ARGV[2])
elseif taken <= tonumber(ARGV[1]) then
  redis.call('incr', KEYS[1])
end
return {taken, redis.call('pttl', KEYS[1])}`;

/** A longer pause stays: a 429 never shortens the wait that another one stated. */
const HOLD = `
local held, lasts = tonumber(ARGV[1]), tonumber(ARGV[2])
local now = tonumber(redis.call('get', KEYS[1]) or 0)
if now < held or redis.call('pttl', KEYS[1]) < lasts then redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2]) end
return 1`;

const CORRECT = `
local taken, lasts, ends, held = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local left, now = redis.call('pttl', KEYS[1]), tonumber(redis.call('get', KEYS[1]) or held)
if left < 0 or left > ends or now >= held then return 0 end
if now < taken then redis.call('incrby', KEYS[1], taken - now) end
if left < lasts then redis.call('pexpire', KEYS[1], lasts) end
return 1`;

/** Stores how many tasks wait in this process, and adds up all processes that reported lately. */
const WEIGH = `
local member, waiting, lasts = unpack(ARGV)
local now, all = tonumber(redis.call('time')[1]), 0
redis.call('hset', KEYS[1], member, waiting .. ' ' .. now)
redis.call('expire', KEYS[1], lasts)
local members = redis.call('hgetall', KEYS[1])
for at = 1, #members, 2 do
  local theirs, reportedAt = string.match(members[at + 1], '(%d+) (%d+)')
  if now - reportedAt > tonumber(lasts) then redis.call('hdel', KEYS[1], members[at]) else all = all + theirs end
end
return all`;

/** The window of a fleet: one count in Redis, which expires with the window. */
export function createRedisBudget(
  evaluate: Evaluate,
  { prefix, key }: { prefix: string; key: () => Promise<string> },
  size: FleetSize,
): FleetBudget {
  const member = systemUuid();
  const windowKey = async () => `${prefix}:pacer:${await key()}`;
  const run = async (script: string, ...numbers: readonly number[]) =>
    evaluate(
      script,
      await windowKey(),
      numbers.map((number) => String(Math.ceil(number))),
    );

  return {
    async take(upTo) {
      const reply = (await run(TAKE, upTo, size.windowMs + marginOf(size))) as readonly unknown[];
      // With its option `stringNumbers`, ioredis returns numbers as strings.
      const [taken = 0, endsInMs = 0] = reply.map(Number);
      return { isTaken: taken <= upTo, isHeld: taken >= HELD, taken, endsInMs: Math.max(0, endsInMs) };
    },
    hold: async (ms) => void (await run(HOLD, HELD, Math.max(1, ms))),
    correct: async ({ taken, lastsMs, endsInMs }) =>
      void (await run(CORRECT, taken, lastsMs, endsInMs, HELD)),
    async weigh(waiting) {
      const lastsSeconds = Math.ceil((2 * size.windowMs) / 1000);
      const parameters = [member, String(waiting), String(lastsSeconds)];
      return Number(await evaluate(WEIGH, `${await windowKey()}:waiting`, parameters));
    },
  };
}
