import { LIMITS } from "../../contract/service.js";
import { callbackRule, checkOptions } from "../../errors/options.js";
import type { PacerFactory } from "../../rate-limit/pacer.js";
import { systemUuid } from "../../time/random.js";
import { sha256Of } from "../hash.js";
import { type Evaluate, evaluateOn, PREFIX, prefixRule, type RedisClient, wholeRule } from "./client.js";
import { FleetPacer } from "./fleet-pacer.js";
import { createEndExchange } from "./redis-ends.js";
import {
  type FleetSize,
  marginOf,
  READ_LASTS_MS,
  type SharedWindow,
  type TenantReport,
} from "./shared-window.js";

/** Options of `redisPacer`. They must be the same in all processes. */
export interface RedisPacerOptions {
  /** Prefix of the keys in Redis, without `{}`. @defaultValue "async-music" */
  prefix?: string | undefined;
  /** How many requests the service allows a key in a window. @defaultValue 120 */
  requests?: number | undefined;
  /** Length of the service's window, in whole seconds. @defaultValue 60 */
  windowSeconds?: number | undefined;
  /**
   * Called when Redis becomes unavailable, once until it responds again. Meanwhile each process paces its own requests,
   * and the service may return 429. What it returns, throws or rejects with is ignored.
   */
  onUnavailable?: ((error: unknown) => unknown) | undefined;
}

/**
 * A pacer for many processes: all that use one API key share one window in Redis, so that the key stays within its rate
 * limit. Pass it as the `pacer` of each client. Processes need not register.
 *
 * Each process orders its own requests: creates before polls, and polls of likely finished tasks first. It takes one request
 * at a time from the shared window. The window opens with the first request of any process and lasts one second longer than
 * the service's. Polls leave a quarter of it to other requests; this part shrinks evenly until the window ends. A 429 pauses all
 * processes. Reads of one task are at least a second apart, whichever processes send them.
 *
 * Processes share how long the last 300 tasks took: polls and `client.tasks.estimate` use it also in a process that has just
 * started.
 *
 * Redis stores the count under a hash of the API key, and never receives the key. If Redis does not respond within 2 s, each
 * process paces its own requests, and tries Redis again after 10 s. The client's clock must run at the speed of Redis's
 * clock, which a virtual clock does not.
 *
 * @param redis - a client or a cluster of `ioredis` or `redis`; you close it
 * @throws `InvalidOptionError` an option is out of range
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

  return (clock, apiKey, currentKey = async () => apiKey) => {
    let last = { apiKey: "", name: "" };
    const keyOf = async () => {
      const current = await currentKey();
      if (last.apiKey !== current)
        last = { apiKey: current, name: `${prefix}:pacer:${await sha256Of(current)}` };
      return last.name;
    };
    const size = { requests, windowMs };
    return new FleetPacer(clock, createRedisWindow(evaluate, keyOf, size), size, onUnavailable);
  };
}

/** Stored instead of the count while a 429 pauses the fleet. */
const HELD = 1_000_000_000;

/**
 * A refused request is not counted. A key without an expiry, as after `PERSIST` or from a backup, would never end: it is
 * replaced by a new window.
 */
const TAKE = `
local hasWindow = redis.call('pttl', KEYS[1]) >= 0
local taken = hasWindow and tonumber(redis.call('get', KEYS[1])) + 1 or 1
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

/** A count of 0 opens a new window with the next request. */
const GIVE_BACK = `
local ends, held = tonumber(ARGV[1]), tonumber(ARGV[2])
local left, now = redis.call('pttl', KEYS[1]), tonumber(redis.call('get', KEYS[1]) or held)
if left < 0 or left > ends or now >= held or now < 1 then return 0 end
redis.call('decr', KEYS[1])
return 1`;

/** Refuses the read of a task while another process's last one is too recent. */
const RESERVE_READ = `
local left = redis.call('pttl', KEYS[1])
if left > 0 and redis.call('get', KEYS[1]) ~= ARGV[1] then return left end
redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 0`;

/** A late response does not shorten what another process has reserved since. */
const NOTE_READ = `
local reader = redis.call('get', KEYS[1])
if reader and reader ~= ARGV[1] then return 0 end
redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;

/**
 * Stores how many tasks this process waits for, and for each tenant how many of them it has and how many requests it used.
 * Returns the sums over all processes that reported lately: for each tenant its name and both numbers. What was used counts
 * less the older its report is, and not after a window. Earlier versions did not report it.
 */
const REPORT_TENANTS = `
local member, waiting, lasts, tenants = unpack(ARGV)
local now, all = tonumber(redis.call('time')[1]), {}
local function add(tenant, tasks, used, freshness)
  local sum = all[tenant] or {0, 0}
  all[tenant] = {sum[1] + tasks, sum[2] + (tonumber(used) or 0) * freshness}
end
redis.call('hset', KEYS[1], member, waiting .. ' ' .. now .. tenants)
redis.call('expire', KEYS[1], lasts)
local members = redis.call('hgetall', KEYS[1])
for at = 1, #members, 2 do
  local unnamed, reportedAt, used = string.match(members[at + 1], '(%d+) (%d+)/?(%d*)')
  if now - reportedAt > tonumber(lasts) then
    redis.call('hdel', KEYS[1], members[at])
  else
    local freshness = math.min(1, math.max(0, 1 - 2 * (now - reportedAt) / lasts))
    for tenant, tasks, ofTenant in string.gmatch(members[at + 1], '(%w+)=(%d+)/?(%d*)') do
      add(tenant, tasks, ofTenant, freshness)
      unnamed = unnamed - tasks
    end
    add('', unnamed, used, freshness)
  end
end
local sums = {}
for tenant, sum in pairs(all) do
  sums[#sums + 1] = tenant
  sums[#sums + 1] = sum[1]
  sums[#sums + 1] = sum[2]
end
return sums`;

/** How many tenants a process reports by name, those with the most tasks; the others count as requests without a tenant. */
const MOST_NAMED = 200;
/** Redis receives no name of a tenant, but this many digits of its hash. */
const NAME_DIGITS = 12;

/** The tenants of a report that are reported by name, by their names in Redis. */
async function namesInRedis({ waiting, used }: TenantReport): Promise<Map<string, string>> {
  const figures = (tenant: string) => [waiting.get(tenant) ?? 0, used.get(tenant) ?? 0] as const;
  const tenants = [...new Set([...waiting.keys(), ...used.keys()])].filter((tenant) => tenant !== "");
  tenants.sort((one, other) => {
    const [[tasks, requests], [othersTasks, othersRequests]] = [figures(one), figures(other)];
    return othersTasks - tasks || othersRequests - requests;
  });
  const named = tenants.slice(0, MOST_NAMED).map(async (tenant) => {
    return [(await sha256Of(tenant)).slice(0, NAME_DIGITS), tenant] as const;
  });
  return new Map(await Promise.all(named));
}

/** The window of a fleet: one count in Redis, which expires with the window. */
export function createRedisWindow(
  evaluate: Evaluate,
  windowKey: () => Promise<string>,
  size: FleetSize,
): SharedWindow {
  const member = systemUuid();
  const run = async (script: string, ...numbers: readonly number[]) =>
    evaluate(
      script,
      await windowKey(),
      numbers.map((number) => String(Math.ceil(number))),
    );

  const runForTask = async (script: string, taskId: string, lastsMs: number) =>
    Number(await evaluate(script, `${await windowKey()}:read:${taskId}`, [member, String(lastsMs)]));

  return {
    exchangeEnds: createEndExchange(evaluate, windowKey, member),
    async take(upTo) {
      const reply = await run(TAKE, upTo, size.windowMs + marginOf(size));
      if (!Array.isArray(reply)) throw new TypeError("Expected Redis to return a count and when it expires.");
      // With its option `stringNumbers`, ioredis returns numbers as strings.
      const [taken = 0, endsInMs = 0] = reply.map(Number);
      return { isTaken: taken <= upTo, isHeld: taken >= HELD, taken, endsInMs: Math.max(0, endsInMs) };
    },
    hold: async (ms) => void (await run(HOLD, HELD, Math.max(1, ms))),
    correct: async ({ taken, lastsMs, endsInMs }) =>
      void (await run(CORRECT, taken, lastsMs, endsInMs, HELD)),
    giveBack: async (endsInMs) => void (await run(GIVE_BACK, endsInMs, HELD)),
    reserveRead: (taskId) => runForTask(RESERVE_READ, taskId, READ_LASTS_MS.inFlight),
    noteRead: async (taskId) => void (await runForTask(NOTE_READ, taskId, READ_LASTS_MS.received)),
    async reportTenants(own) {
      const lastsSeconds = Math.ceil((2 * size.windowMs) / 1000);
      const named = await namesInRedis(own);
      const all = [...own.waiting.values()].reduce((sum, tasks) => sum + tasks, 0);
      const figuresOf = (tenant: string) =>
        `${own.waiting.get(tenant) ?? 0}/${Math.round(own.used.get(tenant) ?? 0)}`;
      // Of a tenant that does nothing here, only what other processes report is needed.
      const tenants = [...named]
        .map(([name, tenant]) => ` ${name}=${figuresOf(tenant)}`)
        .filter((figures) => !figures.endsWith("=0/0"));
      const usedUnnamed = `/${Math.round(own.used.get("") ?? 0)}`;
      const parameters = [member, String(all), String(lastsSeconds), usedUnnamed + tenants.join("")];
      const sums = await evaluate(REPORT_TENANTS, `${await windowKey()}:waiting`, parameters);
      if (!Array.isArray(sums)) throw new TypeError("Expected Redis to return the waiting tasks.");
      const [waiting, used] = [new Map<string, number>(), new Map<string, number>()];
      for (let at = 0; at < sums.length; at += 3) {
        const name = String(sums[at]);
        const tenant = named.get(name) ?? name;
        if (Number(sums[at + 1]) > 0) waiting.set(tenant, Number(sums[at + 1]));
        if (Number(sums[at + 2]) > 0) used.set(tenant, Number(sums[at + 2]));
      }
      return { waiting, used };
    },
  };
}
