import { RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import { createRequestId, systemRandom } from "../time/random.js";
import { type Correction, type FleetBudget, type FleetSize, marginOf, type Taking } from "./fleet-budget.js";
import type { Evaluate } from "./redis-client.js";

/** What stands in the place of a count while a 429 holds everybody back. */
const HELD = 1_000_000_000;

/**
 * In the limiter's place of counting: a request that is refused isn't counted, so that those who leave a reserve take
 * nothing of it by asking; and the time is kept in milliseconds.
 */
const TAKE = `
local requests, limit, seconds = tonumber(ARGV[1]), tonumber(ARGV[3]), tonumber(ARGV[4])
local taken = tonumber(redis.call('get', KEYS[1]) or 0) + requests
if taken == requests then
  redis.call('set', KEYS[1], taken, 'PX', math.floor(seconds * 1000))
elseif taken <= limit then
  redis.call('incrby', KEYS[1], requests)
end
return {taken, redis.call('pttl', KEYS[1])}`;

/** A hold that lasts longer stays: what a 429 has stated is not undercut by another one. */
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

/** Of each process, how many tasks wait in it and when it said so; who was silent for too long is forgotten. */
const WEIGH = `
local member, waiting, lasts = unpack(ARGV)
local now, all = tonumber(redis.call('time')[1]), 0
redis.call('hset', KEYS[1], member, waiting .. ' ' .. now)
redis.call('expire', KEYS[1], lasts)
local members = redis.call('hgetall', KEYS[1])
for at = 1, #members, 2 do
  local theirs, toldAt = string.match(members[at + 1], '(%d+) (%d+)')
  if now - toldAt > tonumber(lasts) then redis.call('hdel', KEYS[1], members[at]) else all = all + theirs end
end
return all`;

/** The window of a fleet as one count in Redis, which is gone when the window is over. */
export function createRedisBudget(
  evaluate: Evaluate,
  place: { prefix: string; key: () => Promise<string> },
  size: FleetSize,
): FleetBudget {
  const limiters = new Map<number, RateLimiterRedis>();
  const member = createRequestId(systemRandom);
  const windowKey = async () => limiterOf(size.requests).getKey(await place.key());
  const run = async (script: string, numbers: readonly number[]) => {
    const values = numbers.map((number) => String(Math.ceil(number)));
    await evaluate(script, await windowKey(), values);
  };

  return {
    async take(upTo) {
      try {
        const taken = await limiterOf(upTo).consume(await place.key());
        return takingOf(taken, true);
      } catch (refusal) {
        if (refusal instanceof RateLimiterRes) return takingOf(refusal, false);
        throw refusal;
      }
    },
    hold: (ms) => run(HOLD, [HELD, Math.max(1, ms)]),
    correct: ({ taken, lastsMs, endsInMs }: Correction) => run(CORRECT, [taken, lastsMs, endsInMs, HELD]),
    async weigh(waiting) {
      const lastsSeconds = String(Math.ceil((2 * size.windowMs) / 1000));
      const all = await evaluate(WEIGH, `${await windowKey()}:waiting`, [
        member,
        String(waiting),
        lastsSeconds,
      ]);
      return Number(all);
    },
  };

  /** One limiter for each limit, all on one count: those who leave a reserve may not take the last ones. */
  function limiterOf(limit: number): RateLimiterRedis {
    const limiter = limiters.get(limit) ?? createLimiter(limit);
    limiters.set(limit, limiter);
    return limiter;
  }

  function createLimiter(limit: number): RateLimiterRedis {
    return new RateLimiterRedis({
      // The user's own client would be given a command, and another limiter on it this one's script.
      storeClient: {
        eval: (script: string, { keys, arguments: values }: { keys: [string]; arguments: string[] }) =>
          evaluate(script, keys[0], values),
      },
      useRedisPackage: true,
      customIncrTtlLuaScript: TAKE,
      keyPrefix: `${place.prefix}:pacer`,
      points: limit,
      duration: (size.windowMs + marginOf(size)) / 1000,
    });
  }
}

function takingOf({ consumedPoints, msBeforeNext }: RateLimiterRes, isTaken: boolean): Taking {
  return {
    isTaken,
    isHeld: consumedPoints >= HELD,
    taken: consumedPoints,
    endsInMs: Math.max(0, msBeforeNext),
  };
}
