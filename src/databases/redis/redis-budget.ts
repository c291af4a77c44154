import { type Budget, type BudgetOptions, checkBudgetOptions } from "../../budget/budget.js";
import { periodOf } from "../../budget/period.js";
import type { BudgetStore, NewReservation, OpenReservation, ReserveResult } from "../../budget/store.js";
import { budgetOf } from "../../budget/tenant-budget.js";
import type { BudgetReservation } from "../../journal/journal.js";
import { evaluateOn, PREFIX, prefixRule, type RedisClient } from "./client.js";
import { isCluster } from "./cluster.js";
import { encoded, PUT_ENTRY, redisPositions } from "./redis-journal.js";

/** Options of `redisBudget`. They must be the same in all processes. */
export interface RedisBudgetOptions extends BudgetOptions {
  /** Prefix of the keys in Redis, without `{}`. Budgets for different things need different prefixes. @defaultValue "async-music" */
  prefix?: string | undefined;
}

/** Of a tenant that orders nothing any more, the numbers are removed after this time: longer than two months. */
const KEPT_SECONDS = 70 * 86_400;

/**
 * Reserves, and defines `reserved`: whether it stands. An account is a hash: `spent:PERIOD` has credits, `open:PERIOD/UUID` the
 * credits of a reservation, its task, if it is known, and its journal key as JSON, with a space between them. The second key
 * remembers its settlement.
 */
const RESERVE = `
local id, period, credits, most, oldest, text, seconds = unpack(ARGV)
local reserved = redis.call('exists', KEYS[2]) == 1
local used = { spent = 0, open = 0 }
local fields = redis.call('hgetall', KEYS[1])
for at = 1, #fields, 2 do
  local kind, name = string.match(fields[at], '^(%a+):(.*)$')
  local own = kind == 'open' and string.match(name, '^(.*)/') or name
  if own == period and fields[at] ~= 'open:' .. id then used[kind] = used[kind] + tonumber(string.match(fields[at + 1], '^%S+')) end
  if own < oldest then redis.call('hdel', KEYS[1], fields[at]) end
end
local fits = used.spent + used.open + tonumber(credits) <= tonumber(most)
if not reserved and fits then
  redis.call('hsetnx', KEYS[1], 'open:' .. id, text)
  reserved = true
end
if seconds ~= '' then redis.call('expire', KEYS[1], seconds) end
local result = { reserved and 1 or 0, tostring(used.spent), tostring(used.open) }`;

const RESERVE_ALONE = `${RESERVE}
return result`;

/** Writes the intent, if its key still has the previous revision, and its reservation, if it fits. */
const RESERVE_WITH_INTENT = `
local previous = ARGV[12] or false
if redis.call('hget', KEYS[3], 'revision') ~= previous then return false end
${RESERVE}
if not reserved then return result end
local revision, entry, lasts, done = ARGV[8], ARGV[9], ARGV[10], ARGV[11]
${PUT_ENTRY("KEYS[3]")}
return result`;

/** The settlement is remembered for as long as the account has what was spent, so that it counts once. */
const SETTLE = `
local id, period, credits, seconds = unpack(ARGV)
redis.call('hdel', KEYS[1], 'open:' .. id)
if not redis.call('set', KEYS[2], '1', 'NX') then return 0 end
redis.call('hincrbyfloat', KEYS[1], 'spent:' .. period, credits)
if seconds ~= '' then
  redis.call('expire', KEYS[1], seconds)
  redis.call('expire', KEYS[2], seconds)
end
return 1`;

const FREE = "return redis.call('hdel', KEYS[1], 'open:' .. ARGV[1])";

const NAME = `
local field = 'open:' .. ARGV[1]
local credits, key = string.match(redis.call('hget', KEYS[1], field) or '', '^(%S+) %S* (.*)$')
if not credits then return 0 end
return redis.call('hset', KEYS[1], field, credits .. ' ' .. ARGV[2] .. ' ' .. key)`;

const READ = "return redis.call('hgetall', KEYS[1])";

/**
 * The most that each customer may spend, kept in Redis: all processes and machines with the same options share it. Each change is
 * one atomic script. Of a `redisJournal` on the same client, an intent and its reservation are written by one script, except
 * in a cluster.
 *
 * For each task that has ended, Redis keeps a small key, so that the task counts once: for 70 days, and without an expiry if `per` is
 * `"total"`.
 *
 * It is as durable as the Redis: see `redisJournal`. While Redis is unavailable, a call rejects with `BudgetError` or
 * `JournalError`, and sends nothing.
 *
 * @param redis - a client or a cluster of `ioredis` or `redis`; you close it
 * @throws `InvalidOptionError` an option is missing or out of range
 *
 * @example
 * ```ts sketch
 * import { redisBudget, redisJournal } from "async-music/redis";
 * import { Redis } from "ioredis";
 *
 * const redis = new Redis();
 * const journal = redisJournal(redis);
 * const budget = redisBudget(redis, { maxCredits: 500, per: "day", timeZone: "Europe/Lisbon", journal });
 * const song = await client.tasks.run(request, { tenant: "acme", budget, journal, journalKey: "order-1" });
 * ```
 */
export function redisBudget(redis: RedisClient, options: RedisBudgetOptions): Budget {
  const { prefix = PREFIX, ...checked } = checkBudgetOptions(options, { prefix: prefixRule });
  return budgetOf(redisStore(redis, `${prefix}:budget:${checked.per}`, checked.per), checked);
}

function redisStore(redis: RedisClient, start: string, per: BudgetOptions["per"]): BudgetStore {
  const evaluate = evaluateOn(redis);
  const seconds = per === "total" ? "" : String(KEPT_SECONDS);
  // In a cluster, keys with the same text in braces are on one server.
  const accountOf = (tenant: string) => `${start}:{${nameOf(tenant)}}`;
  const keysOf = ({ tenant, id }: BudgetReservation) => {
    const account = accountOf(tenant);
    return [account, `${account}:settled:${id}`];
  };

  return {
    async reserve(reserve) {
      const keys = keysOf(reserve.reservation);
      return resultOf(await evaluate(RESERVE_ALONE, keys, valuesOf(reserve, seconds)));
    },
    async settle(reservation, credits) {
      const values = [reservation.id, periodOf(reservation), String(credits), seconds];
      await evaluate(SETTLE, keysOf(reservation), values);
    },
    async free({ id, tenant }) {
      await evaluate(FREE, [accountOf(tenant)], [id]);
    },
    async name(reservation, taskId) {
      await evaluate(NAME, [accountOf(reservation.tenant)], [reservation.id, encodeURIComponent(taskId)]);
    },
    async read(tenant, period) {
      const fields: unknown = await evaluate(READ, [accountOf(tenant)], []);
      return stateOf(Array.isArray(fields) ? fields.map(String) : [], tenant, period);
    },
    withJournal(journal) {
      const position = redisPositions.get(journal);
      if (position === undefined || position.redis !== redis || isCluster(redis)) return null;
      return async ({ key, entry, previous }, reserve) => {
        const keys = [...keysOf(reserve.reservation), position.nameOf(key)];
        const values = [...valuesOf(reserve, seconds), ...position.valuesOf(entry, previous)];
        const reply = await evaluate(RESERVE_WITH_INTENT, keys, values);
        return Array.isArray(reply) ? resultOf(reply) : null;
      };
    },
  };
}

function valuesOf({ reservation, key, maxCredits, oldest }: NewReservation, seconds: string): string[] {
  const { id, credits } = reservation;
  const text = `${credits}  ${JSON.stringify(key)}`;
  return [id, periodOf(reservation), String(credits), String(maxCredits), oldest, text, seconds];
}

function resultOf(reply: unknown): ReserveResult {
  const [isReserved, spent, reserved] = Array.isArray(reply) ? reply.map(Number) : [];
  if (spent === undefined || reserved === undefined)
    throw new TypeError("Expected Redis to return what is spent and reserved.");
  return { isReserved: isReserved === 1, spent, reserved };
}

function stateOf(fields: readonly string[], tenant: string, period: string) {
  let spent = 0;
  const open: OpenReservation[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [name = "", value = ""] = fields.slice(at, at + 2);
    if (name === `spent:${period}`) spent = Number(value);
    if (!name.startsWith("open:")) continue;
    const [, credits, task = "", key = "null"] = /^(\S+) (\S*) (.*)$/s.exec(value) ?? [];
    open.push({
      id: name.slice("open:".length),
      tenant,
      credits: Number(credits),
      key: JSON.parse(key),
      taskId: decodeURIComponent(task) || null,
    });
  }
  return { spent, open };
}

/** Any string can be a tenant. Braces have a meaning in a cluster. */
function nameOf(tenant: string): string {
  return encodeURIComponent(encoded(tenant));
}
